import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "@belfry/contracts/problems";
import { TRIGGER_PATH } from "@belfry/contracts/trigger";
import { createHttpServer } from "@belfry/service/http";
import { createLogger } from "@belfry/service/logger";
import { eventually } from "@belfry/testing/eventually";
import { createAbuseLimits } from "./abuse-limits.ts";
import { guardKeyedRoutes } from "./authenticate.ts";
import { heldBytes } from "./held-bodies.ts";
import type { Tenant } from "./tenant-directory.ts";

const KIB = 1024;

/** A server whose calls hang until `end`, but answer 422 where `x-answer` says so. The header `x-tenant` names the caller. */
async function world(
  t: test.TestContext,
  bounds: { heldBodyBytes: number; otherPerMinute: number },
) {
  const log = createLogger({ service: "test", level: "silent" });
  const app = createHttpServer({ log, maxBodyBytes: 256 * KIB, jsonBody: "raw" });
  t.after(() => app.close());
  const limits = await createAbuseLimits(app, {
    ...{ unknownKeysPerMinute: 1, otherAtATime: 64 },
    ...bounds,
  });
  app.decorateRequest("tenant", null as unknown as Tenant);
  const access = { [`POST ${TRIGGER_PATH}`]: "trigger", "POST /call": "manage" } as const;
  guardKeyedRoutes(app, access, limits);
  const working: (() => void)[] = [];
  for (const url of [TRIGGER_PATH, "/call"]) {
    app.post(url, {
      schema: { security: [{ apiKey: [] }] } as object,
      async onRequest(request) {
        request.tenant = { id: request.headers["x-tenant"] } as unknown as Tenant;
      },
      async handler({ headers }) {
        if (headers["x-answer"] === "422") throw new Problem("validation", { message: ["no"] });
        await new Promise<void>((done) => working.push(done));
        return {};
      },
    });
  }
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  const send = async (
    tenant: string,
    kib: number,
    more: { path?: string; answer?: string; signal?: AbortSignal } = {},
  ) => {
    const { path = "/call", answer = "200", signal = null } = more;
    const headers = { "x-tenant": tenant, "x-answer": answer, "content-type": "application/json" };
    const init = { method: "POST", headers, body: "x".repeat(kib * KIB), signal };
    const { status, headers: answered } = await fetch(`${origin}${path}`, init);
    return { status, retryAfter: Number(answered.get("retry-after")) };
  };
  return {
    send,
    working: (count: number) => eventually(() => assert.equal(working.length, count)),
    end() {
      for (const done of working.splice(0)) done();
    },
    async heldKib() {
      const { values } = await heldBytes.get();
      return values[0]!.value / KIB;
    },
  };
}

test("bodies of one tenant that hang hold at most half of the bytes; others, small ones and triggers go on", async (t) => {
  const { send, working, end, heldKib } = await world(t, {
    heldBodyBytes: 256 * KIB,
    otherPerMinute: 9,
  });
  const hanging = Array.from({ length: 5 }, () => send("loud", 60));
  await working(2);
  assert.equal(await heldKib(), 120);
  const others = [send("quiet", 60), send("loud", 16), send("loud", 17, { path: TRIGGER_PATH })];
  await working(5);
  const refused = await Promise.all(hanging.slice(2));
  assert.deepEqual(refused, Array(3).fill({ status: 429, retryAfter: 1 }));
  assert.equal(await heldKib(), 197);
  end();
  const answered = await Promise.all([...hanging.slice(0, 2), ...others]);
  assert.deepEqual(new Set(answered.map(({ status }) => status)), new Set([200]));
  await eventually(async () => assert.equal(await heldKib(), 0));
});

test("a body is held until its work has ended, also where the client has hung up", async (t) => {
  const { send, working, end, heldKib } = await world(t, {
    heldBodyBytes: 256 * KIB,
    otherPerMinute: 9,
  });
  const client = new AbortController();
  const gone = send("loud", 100, { signal: client.signal });
  await working(1);
  client.abort();
  await assert.rejects(gone);
  assert.deepEqual(await send("loud", 100), { status: 429, retryAfter: 1 });
  assert.equal(await heldKib(), 100);
  end();
  await eventually(async () => assert.equal(await heldKib(), 0));
  const next = send("loud", 100);
  await working(1);
  end();
  assert.equal((await next).status, 200);
});

test("large bodies that are refused count as calls of their sender, and its next large ones are 429 for that minute", async (t) => {
  const { send, working, end } = await world(t, { heldBodyBytes: 256 * KIB, otherPerMinute: 3 });
  const path = TRIGGER_PATH;
  for (const [kib, status] of [
    [17, 422],
    [100, 422],
    [300, 413],
    [17, 422],
  ] as const) {
    assert.equal((await send("loud", kib, { path, answer: "422" })).status, status);
  }
  await eventually(async () => {
    const { status, retryAfter } = await send("loud", 17, { path, answer: "422" });
    assert.equal(status, 429);
    assert.ok(retryAfter > 1 && retryAfter <= 60, String(retryAfter));
  });
  const going = [send("loud", 16, { path }), send("quiet", 17, { path })];
  await working(2);
  end();
  assert.deepEqual(
    (await Promise.all(going)).map(({ status }) => status),
    [200, 200],
  );
});
