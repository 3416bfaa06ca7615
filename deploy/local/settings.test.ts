import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { listen } from "@belfry/testing/listen";
import { portLike } from "./servers/ports.ts";
import { curlLine, portFaults } from "./settings.ts";

const run = promisify(execFile);

test("the curl line, pasted twice into bash, sends a JSON body under two keys", async (t) => {
  const { url, seen } = await recorder(t);
  for (let i = 0; i < 2; i++) {
    await run("bash", ["-c", curlLine(url, "bf_key")], { env: { PATH: "/usr/bin:/bin" } });
  }
  assert.equal(seen.length, 2);
  for (const request of seen) {
    assert.equal(request.url, "/api/v1/events/trigger");
    assert.equal(request.headers["x-api-key"], "bf_key");
    assert.equal(request.headers["content-type"], "application/json");
    assert.equal(JSON.parse(request.body).eventType, "order.confirmed");
  }
  const keys = new Set(seen.map((request) => request.headers["x-idempotency-key"]));
  assert.equal(keys.size, 2);
});

test("a taken port is named with the variable that moves it, and a free one is no fault", async (t) => {
  const port = await listen(t, createServer());
  const [free, other] = [await portLike(undefined, 0), await portLike(undefined, 0)];
  const faults = await portFaults({
    INGEST_API_PORT: free,
    REALTIME_GATEWAY_PORT: port,
    ADMIN_PORT: await portLike(undefined, 0),
    DEMO_PORT: other,
  });
  assert.equal(faults.length, 1);
  assert.match(faults[0]!, new RegExp(`port ${port} is taken.*REALTIME_GATEWAY_PORT`));
});

test("two variables with one port are told apart", async () => {
  const port = await portLike(undefined, 0);
  const faults = await portFaults({
    INGEST_API_PORT: port,
    REALTIME_GATEWAY_PORT: await portLike(undefined, 0),
    ADMIN_PORT: await portLike(undefined, 0),
    DEMO_PORT: port,
  });
  assert.deepEqual(faults, [
    `DEMO_PORT and INGEST_API_PORT are both ${port}: give each a port of its own`,
  ]);
});

interface Seen {
  url: string | undefined;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

async function recorder(t: TestContext): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    seen.push({ url: request.url, headers: request.headers, body });
    response.end("{}");
  });
  const port = await listen(t, server);
  return { url: `http://127.0.0.1:${port}`, seen };
}
