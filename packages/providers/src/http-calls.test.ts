import assert from "node:assert/strict";
import { createServer } from "node:http";
import test, { type TestContext } from "node:test";
import { listen } from "@belfry/testing/listen";
import { startPort, startVendor } from "../test/loopback-vendor.ts";
import { testDeps } from "../test/messages.ts";
import { AddressRefused } from "./address-guard.ts";
import { createHttpCalls, getText, guardedAgent, postOnce } from "./http-calls.ts";

test("a literal private address gets no connection, whoever let it pass before", async (t) => {
  const port = await startPort(t, () => assert.fail("connected"));
  const calls = createHttpCalls({ ...testDeps({ allowPrivateAddresses: false }), maxCalls: 32 });
  t.after(() => calls.close());
  for (const host of [
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "localhost",
  ]) {
    const url = `http://${host}:${port}/`;
    const result = await calls.post({ url, headers: {}, body: "secret" });
    assert.equal(result.answered, false, host);
    assert.equal(!result.answered && result.outcome.class, "credentials", host);
  }
});

async function countingServer(t: TestContext) {
  const counts = { connections: 0, requests: 0 };
  const server = createServer((request, response) => {
    counts.requests += 1;
    request.resume();
    response.end();
  });
  server.on("connection", () => {
    counts.connections += 1;
  });
  const port = await listen(t, server);
  return { counts, server, port };
}

test("a name that has become private is called no more once its connection has ended", async (t) => {
  const { counts, server, port } = await countingServer(t);
  const looked: string[] = [];
  // The server's address stands for a public one until the name changes.
  const guard = {
    allowPrivateAddresses: true,
    connectTimeoutMs: 60_000,
    async resolve(name: string) {
      looked.push(name);
      return [{ address: "127.0.0.1", family: 4 }];
    },
  };
  const agent = guardedAgent(guard);
  t.after(() => agent.close());
  const post = () =>
    postOnce(
      agent,
      { url: `http://rebound.example.com:${port}/`, headers: {}, body: "secret" },
      { signal: new AbortController().signal, maxAnswerBytes: 1024 },
    );
  assert.equal((await post()).answered, true);
  guard.allowPrivateAddresses = false;
  assert.deepEqual([looked.length, counts.connections, counts.requests], [1, 1, 1]);

  const gone = new Promise((resolve) => agent.once("disconnect", resolve));
  server.closeAllConnections();
  await gone;
  for (const lookUps of [2, 3]) {
    const result = await post();
    assert.ok(!result.answered && result.error instanceof AddressRefused && !result.begun);
    assert.equal(looked.length, lookUps);
  }
  assert.deepEqual([counts.connections, counts.requests], [1, 1]);
});

test("what a vendor's server has at an address is read once, whole or not at all", async (t) => {
  const vendor = await startVendor(t, (response, { path }) => {
    if (path === "/found") response.end("text");
    else if (path === "/moved") response.writeHead(302, { location: "/found" }).end();
    else if (path === "/long") response.end("x".repeat(1_000_000));
    else response.writeHead(404).end("none");
  });
  const read = (path: string) => getText(vendor.url + path, { allowPrivateAddresses: true });
  assert.equal(await read("/found"), "text");
  assert.equal(await read("/moved"), undefined, "no redirect is followed");
  assert.equal(await read("/none"), undefined);
  assert.equal((await read("/long"))?.length, 65_536);
  assert.equal(vendor.received.length, 4);
  assert.equal(await getText(`${vendor.url}/found`), undefined, "it is no public address");
  assert.equal(await getText("no address"), undefined);
  assert.equal(vendor.received.length, 4);
});
