import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isFree, randomPort } from "@belfry/local/servers/ports";

/** The folder in which a test run records the ports in use; `test/run.ts` creates and removes it. */
export const PORTS_FOLDER = "belfry-ports";

/** Returns a free loopback TCP port that no other process of this run was given. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomPort();
    if ((await isUntaken(port)) && (await isFree(port))) return port;
  }
}

/** Reserves the port: a server may listen only seconds after its port was chosen, as Postgres does after `initdb`. */
async function isUntaken(port: number): Promise<boolean> {
  try {
    await writeFile(join(tmpdir(), PORTS_FOLDER, String(port)), "", { flag: "wx" });
    return true;
  } catch (error) {
    // The folder is absent outside a test run, and then no other process shares ports.
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}
