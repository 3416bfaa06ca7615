import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { PORT_VARIABLES, type PortVariable } from "../settings.ts";

/**
 * Below the ports that systems hand out by themselves (Linux from 32,768, others from 49,152): none of these becomes the
 * local end of somebody's connection between a look and its use.
 */
const FIRST = 15_000;
const LAST = 32_000;

/** One that nobody was asked about; see `isFree`. */
export function randomPort(): number {
  return randomInt(FIRST, LAST);
}

/** Faults of the ports that people type, one line each, naming the variable; none: all are free. */
export async function portFaults(ports: Record<PortVariable, number>): Promise<string[]> {
  const faults: string[] = [];
  const taken = new Map<number, PortVariable>();
  for (const variable of PORT_VARIABLES) {
    const port = ports[variable];
    const other = taken.get(port);
    taken.set(port, variable);
    if (other !== undefined) {
      faults.push(`${variable} and ${other} are both ${port}: give each a port of its own`);
    } else if (!(await isFree(port))) {
      faults.push(
        `port ${port} is taken by another program: set ${variable} to a free one, as ${variable}=${port + 1000 > 65_535 ? port - 1000 : port + 1000} npx --yes pnpm@12 start`,
      );
    }
  }
  return faults;
}

/** Whether 127.0.0.1 has the port free at this moment. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/**
 * The remembered port if it is, or within `waitMs` becomes, free (an earlier server may be on its way
 * out), else any free one.
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
