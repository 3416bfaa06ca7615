import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isFree, randomPort } from "@belfry/local/servers/ports";

/** Where a run of the tests keeps what it has handed out; `test/run.ts` makes it, and removes it. */
export const PORTS_FOLDER = "belfry-ports";

/** A loopback TCP port that is free, and that no other process of the same run was given. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomPort();
    if ((await isUntaken(port)) && (await isFree(port))) return port;
  }
}

/** A server may listen seconds after its port was chosen, as Postgres after `initdb`. */
async function isUntaken(port: number): Promise<boolean> {
  try {
    await writeFile(join(tmpdir(), PORTS_FOLDER, String(port)), "", { flag: "wx" });
    return true;
  } catch (error) {
    // Outside of a run there is no folder, and nobody to share with.
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}
