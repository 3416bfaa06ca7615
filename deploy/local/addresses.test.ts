import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { listen } from "@belfry/testing/listen";
import { curlLine } from "./addresses.ts";

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
