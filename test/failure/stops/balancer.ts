import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cleanup } from "@belfry/testing/cleanup";
import { listen } from "@belfry/testing/listen";

/** A replica behind the balancer. Both ports are read anew, because a restart may change them. */
export interface Backend {
  port(): number;
  managementPort(): number;
}

export interface Probe {
  periodMs: number;
  failureThreshold: number;
}

/** The time that a packet travels between the client and the service. */
const LATENCY_MS = 20;

/**
 * Starts a TCP proxy as a Service of Kubernetes is one: a new connection leads to the next replica that is ready, and
 * stays with it until either side closes it, ready or not. Returns its port.
 */
export async function startBalancer(
  t: Cleanup,
  backends: readonly Backend[],
  { periodMs, failureThreshold }: Probe,
): Promise<number> {
  const failures = new Map(backends.map((backend) => [backend, failureThreshold]));
  const probe = async (backend: Backend) => {
    const ready = await fetch(`http://127.0.0.1:${backend.managementPort()}/health/ready`)
      .then(async (answer) => (await answer.arrayBuffer()) && answer.ok)
      .catch(() => false);
    failures.set(backend, ready ? 0 : failures.get(backend)! + 1);
  };
  const done = new AbortController();
  const watch = async (backend: Backend) => {
    while (!done.signal.aborted) {
      await probe(backend);
      await sleep(periodMs, undefined, { signal: done.signal }).catch(() => undefined);
    }
  };
  await Promise.all(backends.map(probe));
  const watching = Promise.all(backends.map(watch));
  t.after(async () => {
    done.abort();
    await watching;
  });

  let turn = 0;
  const server = createServer((client) => {
    const ready = backends.filter((backend) => failures.get(backend)! < failureThreshold);
    turn += 1;
    const backend = ready[turn % ready.length];
    if (backend === undefined) return client.resetAndDestroy();
    const service = connect(backend.port(), "127.0.0.1");
    carry(client, service);
    carry(service, client);
  });
  return await listen(t, server);
}

/** Passes everything on after the latency, the end included. */
function carry(from: Socket, to: Socket): void {
  from.on("data", (chunk) => setTimeout(() => to.write(chunk), LATENCY_MS));
  from.on("error", () => undefined);
  from.on("close", (hadError) => {
    setTimeout(() => (hadError ? to.resetAndDestroy() : to.destroySoon()), LATENCY_MS);
  });
}
