import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * These ports are below the system's ephemeral ports (Linux: from 32,768, others: from 49,152). So the system does not
 * give one to an outgoing connection between our check and our use.
 */
const FIRST = 15_000;
const LAST = 32_000;

/** Returns a random port, which may be in use: check it with `isFree`. */
export function randomPort(): number {
  return randomInt(FIRST, LAST);
}

/** Whether the port is free on 127.0.0.1 now. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/**
 * Returns the remembered port if it is free or becomes free within `waitMs` (an earlier server may still be ending).
 * Otherwise returns any free port.
 */
export async function portLike(remembered: number | undefined, waitMs: number): Promise<number> {
  const deadline = Date.now() + waitMs;
  while (remembered !== undefined) {
    if (await isFree(remembered)) return remembered;
    if (Date.now() >= deadline) break;
    await sleep(100);
  }
  for (;;) {
    const port = randomPort();
    if (await isFree(port)) return port;
  }
}
