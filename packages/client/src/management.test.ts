import assert from "node:assert/strict";
import { test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { BelfryError, BelfryNetworkError, sign } from "./call.ts";
import { createManagementClient, type ManagementOptions } from "./management.ts";

async function setUp(t: test.TestContext, over: Partial<ManagementOptions> = {}) {
  const server = await startRecordingServer(t);
  server.answer = { body: { success: true, data: { items: [] } } };
  const client = createManagementClient({
    baseUrl: `${server.url}/`,
    apiKey: "bf_key",
    sleep: async () => undefined,
    ...over,
  });
  return { server, client };
}

const template = { eventType: "a/b", channel: "SMS" } as const;

test("fields go where the document has them; those that are undefined go nowhere", async (t) => {
  const { server, client } = await setUp(t);
  await client.call("bundleApply", { files: { "a.md": "ü" }, plan: "p", dryRun: true });
  await client.call("templateDraftDiscard", { ...template, locale: "de AT", revision: 7 });
  await client.call("templateActivate", template);
  await client.call("categoryPut", JSON.parse('{"key":"k","position":0}'));
  await client.call("outboxList", { limit: 1, after: undefined } as { limit: number });
  assertEach(server.requests, ({ method, path, body }) => `${method} ${path} ${body}`, [
    'POST /api/v1/manage/bundle?dryRun=true {"files":{"a.md":"ü"},"plan":"p"}',
    "DELETE /api/v1/manage/templates/a%2Fb/SMS/draft?locale=de+AT&revision=7 ",
    "POST /api/v1/manage/templates/a%2Fb/SMS/activate ",
    'PUT /api/v1/manage/categories/k {"position":0}',
    "GET /api/v1/manage/outbox?limit=1 ",
  ]);
  assert.equal(server.requests[0]?.headers["x-service-signature"], undefined);
  for (const key of ["", ".", ".."]) {
    await assert.rejects(client.call("categoryDelete", { key }), TypeError);
  }
  await assert.rejects(client.call("categoryBurn" as "categoryList"), /has no call "categoryBurn"/);
});

test("a second try is signed anew, with its own time and the whole path", async (t) => {
  let nowMs = 1_764_000_000_900;
  t.mock.method(Date, "now", () => nowMs);
  const server = await startRecordingServer(t);
  const { client } = await setUp(t, {
    baseUrl: `${server.url}/belfry`,
    webhookSecret: "hush",
    sleep: async (ms) => {
      nowMs += ms;
    },
  });
  server.answer = { body: { data: [] } };
  server.next({ status: 429, headers: { "retry-after": "60" }, body: {} });
  await client.call("digestList", { limit: 7 });
  const path = "/belfry/api/v1/manage/digests?limit=7";
  const signed = (at: string) => [at, sign("hush", `${at}.GET.${path}.`)];
  assertEach(
    server.requests,
    ({ headers }) => [headers["x-service-timestamp"], headers["x-service-signature"]],
    [signed("1764000000"), signed("1764000060")],
  );
});

test("a call that Belfry may have carried out is tried again only where that does no harm", async (t) => {
  const { server, client } = await setUp(t);
  const files = {};
  const calls: [call: () => Promise<unknown>, isRepeated: boolean][] = [
    [() => client.call("categoryList"), true],
    [() => client.call("categoryPut", { key: "k" }), true],
    [() => client.call("categoryDelete", { key: "k" }), true],
    [() => client.call("bundleApply", { files, dryRun: true }), true],
    [() => client.call("bundleApply", { files }), true],
    [() => client.call("eventResend", { id: "e" }), true],
    [() => client.call("templateDraftPut", { ...template, content: "c", revision: 7 }), false],
    [() => client.call("templatePut", { ...template, content: "c", basedOnVersion: 7 }), false],
  ];
  for (const [call, isRepeated] of calls) {
    for (const fault of [{ status: 503, body: {} }, { instead: "reset" }] as const) {
      const before = server.requests.length;
      server.next(fault);
      if (isRepeated) await call();
      else await assert.rejects(call(), fault.instead ? BelfryNetworkError : BelfryError);
      const tries = server.requests.slice(before);
      const keys = new Set(tries.map(({ headers }) => headers["idempotency-key"]));
      assert.equal(keys.size, 1, "of one call");
      assert.equal(keys.has(undefined), tries[0]?.method !== "POST");
      assert.equal(server.requests.length - before, isRepeated ? 2 : 1, String(call));
    }
    server.next({ status: 429, headers: { "retry-after": "1" }, body: {} });
    await call();
  }
});

test("a list is read page by page, and no further than it is used", async (t) => {
  const { server, client } = await setUp(t);
  server.next(
    { body: { data: { users: [{ userId: "a" }, { userId: "b" }], next: "b" } } },
    { body: { data: { users: [{ userId: "c" }], next: "c" } } },
  );
  const seen: string[] = [];
  for await (const { userId } of client.each("userList", { limit: 2 })) {
    seen.push(userId);
    if (userId === "c") break;
  }
  assert.deepEqual(seen, ["a", "b", "c"]);
  assertEach(server.requests, ({ path }) => path, [
    "/api/v1/manage/users?limit=2",
    "/api/v1/manage/users?after=b&limit=2",
  ]);
});
