import { mkdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "@belfry/testing/eventually";
import { processTree } from "./cpu-time.ts";

const MEMORY = "/sys/fs/cgroup/memory";

/**
 * Puts this benchmark's Postgres into a memory cgroup (version 1, as root). `set` limits what it and the system's cache of
 * its files may take, in bytes; undefined for no limit.
 */
export async function postgresMemory() {
  const group = join(MEMORY, `belfry-bench-${process.pid}`);
  await mkdir(group);
  const moveTo = async (folder: string) => {
    for (const { pid, part } of await processTree()) {
      if (part === "postgres") await writeFile(join(folder, "cgroup.procs"), String(pid));
    }
  };
  await moveTo(group);
  return {
    set: (bytes: number | undefined) =>
      // The kernel refuses a limit while it cannot give back enough.
      eventually(async () => {
        await writeFile(join(group, "memory.limit_in_bytes"), String(bytes ?? -1));
      }),
    async [Symbol.asyncDispose]() {
      await moveTo(MEMORY);
      await rmdir(group);
    },
  };
}
