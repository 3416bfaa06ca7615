import { randomInt } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Below the ports that systems hand out by themselves (Linux from 32,768, others from 49,152): none of
 * these becomes the local end of somebody's connection between this look and its use.
 */
const FIRST = 15_000;
const LAST = 32_000;
/** Where a run of the tests keeps what it has handed out; `test/run.ts` makes it, and removes it. */
export const PORTS_FOLDER = "belfry-ports";

/** A loopback TCP port that is free, and that no other process of the same run was given. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if (!(await isUntaken(port))) continue;
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
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
