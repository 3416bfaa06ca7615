import { pause } from "@belfry/service/pause";
import { DISCONNECTS } from "./protocol/protocol-codes.ts";
import type { Connection } from "./socket/connection.ts";

const STEP_MS = 50;

export interface DrainOptions {
  /** Over how long the closes are spread: so wide is the wave of clients that come to the others. */
  spreadMs: number;
  /** How long the last ones have to answer. */
  timeoutMs: number;
}

/** Closes all connections with 3001, flushed first; resolves when none is left. */
export async function drain(connections: Set<Connection>, options: DrainOptions): Promise<void> {
  const all = [...connections];
  const steps = Math.max(1, Math.floor(options.spreadMs / STEP_MS));
  const size = Math.ceil(all.length / steps);
  for (let start = 0; start < all.length; start += size) {
    for (const connection of all.slice(start, start + size)) {
      connection.session.end(DISCONNECTS.shutdown);
    }
    if (start + size < all.length) await pause(STEP_MS);
  }
  const deadline = performance.now() + options.timeoutMs;
  while (connections.size > 0 && performance.now() < deadline) await pause(STEP_MS);
  for (const connection of connections) connection.terminate();
}
