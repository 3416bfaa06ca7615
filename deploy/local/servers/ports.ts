import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { PORT_VARIABLES, type PortVariable } from "../settings.ts";

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
export async function isFree(port: number): Promise<boolean> {
  return (await listenOnce(port)) !== undefined;
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
  const port = await listenOnce(0);
  if (port === undefined) throw new Error("127.0.0.1 has no free port");
  return port;
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      const bound = typeof address === "object" && address !== null ? address.port : undefined;
      server.close(() => resolve(bound));
    });
  });
}
