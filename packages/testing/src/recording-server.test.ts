import assert from "node:assert/strict";
import { test } from "node:test";
import { startRecordingServer } from "./recording-server.ts";

test("requests are recorded as they came, and answered by the script", async (t) => {
  const server = await startRecordingServer(t);
  server.next({ status: 503, headers: { "retry-after": "1" } }, { instead: "reset" });
  const post = () =>
    fetch(`${server.url}/send?x=1`, { method: "POST", headers: { "x-a": "b" }, body: "hello" });
  const refused = await post();
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get("retry-after"), "1");
  await assert.rejects(post());
  assert.deepEqual(await (await post()).json(), {});
  const [first] = await server.received(3);
  assert.equal(first?.path, "/send?x=1");
  assert.equal(first?.headers["x-a"], "b");
  assert.equal(first?.body, "hello");
});

test("a request that never comes is a clear failure", async (t) => {
  const server = await startRecordingServer(t);
  await assert.rejects(server.received(1, 50), /0 of 1 requests/);
});
