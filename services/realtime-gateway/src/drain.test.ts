import assert from "node:assert/strict";
import { test } from "node:test";
import type { Connection } from "./connection.ts";
import { drain } from "./gateway.ts";

test("closes are spread evenly over the given time, and clients that do not answer are dropped at the end", async () => {
  const endedAt: number[] = [];
  const dropped: number[] = [];
  const connections = new Set<Connection>();
  for (let n = 0; n < 12; n += 1) {
    const connection = {
      session: {
        end({ code }: { code: number }) {
          assert.equal(code, 3001);
          endedAt.push(performance.now());
          if (n !== 5) connections.delete(connection);
        },
      },
      terminate() {
        dropped.push(n);
        connections.delete(connection);
      },
    } as unknown as Connection;
    connections.add(connection);
  }
  const begunAt = performance.now();
  await drain(connections, { spreadMs: 300, timeoutMs: 1 });
  assert.equal(endedAt.length, 12);
  // Two per 50 ms: a busy machine is later, never earlier.
  for (const [n, at] of endedAt.entries()) {
    assert.ok(at - begunAt >= Math.floor(n / 2) * 50 - 5, `${n}: ${at - begunAt} ms`);
  }
  assert.deepEqual([dropped, connections.size], [[5], 0]);
});
