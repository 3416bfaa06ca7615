import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { setTenantActive } from "@belfry/administration/tenants/tenants";
import { createClient } from "@belfry/client/client";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { wholeFile } from "@belfry/testing/whole-file";
import { startIngest } from "../fuzz/start-ingest.ts";
import { ask } from "../openapi/ask.ts";

const ingest = await startIngest(wholeFile());

const PATH = "/api/v1/webhooks";
const URL_OF_MINE = "https://example.com/hooks";

const send = (method: string, path: string, key: string, body?: unknown) =>
  ask(ingest.url, { method, path, key, body });

/** Every call that writes, with a body that is good. */
const WRITES: [string, string, unknown?][] = [
  ["PATCH", "", { description: "x" }],
  ["POST", "/rotate-secret"],
  ["POST", "/test"],
  ["POST", `/messages/${randomUUID()}/resend`],
  ["POST", "/replay", { since: "2026-01-01T00:00:00Z" }],
  ["DELETE", ""],
];
const READS = ["", "/attempts", "/messages", `/messages/${randomUUID()}`];

test("an endpoint is made, changed, tested, replayed and deleted by the client, and the log says so", async () => {
  const { apiKey, id: tenantId } = await ingest.createTenant();
  const { webhooks } = createClient({ baseUrl: ingest.url, apiKey });
  const { secret, ...made } = await webhooks.put({ url: URL_OF_MINE });
  assert.match(secret ?? "", /^whsec_/);
  assert.deepEqual(await webhooks.list(), [made]);
  assert.equal("secret" in (await webhooks.put({ url: URL_OF_MINE })), false);
  const changed = await webhooks.change(made.id, { types: ["delivery.failed"] });
  assert.deepEqual(await webhooks.show(made.id), changed);
  assert.notEqual((await webhooks.rotateSecret(made.id)).secret, secret);
  const messageId = await webhooks.test(made.id);
  const message = await webhooks.message(made.id, messageId);
  assertHas(message, { type: "webhook.test", status: "queued", attempts: [] });
  assert.equal(JSON.parse(message.payload).data.webhookId, made.id);
  const { items, next } = await webhooks.messages(made.id, { status: "queued", limit: 1 });
  assert.deepEqual([items[0]?.id, next], [messageId, undefined]);
  assert.deepEqual(await webhooks.attempts(made.id), { items: [], next: undefined });
  await assert.rejects(webhooks.resend(made.id, messageId), { status: 409 });
  await ingest.pool.query("update deliveries set status = 'failed' where event_id = $1", [
    messageId,
  ]);
  const copy = await webhooks.resend(made.id, messageId);
  assert.equal((await webhooks.message(made.id, copy)).headerId, messageId);
  const window = { since: "2026-01-01T00:00:00Z" };
  assert.deepEqual(await webhooks.replay(made.id, window), { replayed: 0, more: false });
  await webhooks.change(made.id, { active: false });
  await assert.rejects(webhooks.test(made.id), { status: 409 });
  await webhooks.delete(made.id);
  assert.deepEqual(await webhooks.list(), []);
  const { rows } = await ingest.pool.query(
    "select action, person, before, after from audit_log where tenant_id = $1 order by id",
    [tenantId],
  );
  assert.deepEqual(
    rows.filter(({ action }) => action.startsWith("webhook.")).map(({ action }) => action.slice(8)),
    ["create", "update", "rotate-secret", "test", "resend", "replay", "update", "delete"],
    "to put what is there already is no change",
  );
  assert.ok(!JSON.stringify(rows).includes("whsec_"));
});

test("every fault names its field and the rule, and nothing is stored", async () => {
  const { apiKey: key } = await ingest.createTenant();
  const fault = async (method: string, path: string, body: unknown) => {
    const answer = await send(method, path, key, body);
    assert.equal(answer.status, 422, JSON.stringify(body));
    return answer.body.message;
  };
  assert.deepEqual(
    await fault("POST", PATH, { url: 1, types: "x", description: 2, active: "on" }),
    [
      "url must be a string",
      "types must be an array of strings",
      "description must be a string, or null",
      "active must be true or false",
    ],
  );
  assert.match(String(await fault("POST", PATH, { types: [] })), /^url must/);
  const bad = await fault("POST", PATH, { url: "http://x", types: ["x"], description: "\u0000" });
  assertEach(bad, (one: string) => one.split(" ")[0], ["url", "types", "description"]);
  assert.deepEqual((await send("GET", PATH, key)).body.data, []);
  const { body } = await send("POST", PATH, key, { url: URL_OF_MINE });
  const own = `${PATH}/${body.data.id}`;
  assert.match(
    String(await fault("PATCH", own, { url: "https://10.0.0.1/" })),
    /^url must be at a public/,
  );
  const replay = await fault("POST", `${own}/replay`, { since: "x", until: 1, all: 1, after: 1 });
  assertEach(replay, (one: string) => one.split(" ")[0], ["since", "until", "all", "after"]);
  for (const list of ["attempts", "messages"]) {
    for (const query of ["limit=0", "limit=501", "status=sent", "after=x", "after=a&after=b"]) {
      assert.equal((await send("GET", `${own}/${list}?${query}`, key)).status, 422, query);
    }
  }
});

test("what is another tenant's, or nobody's, is 404; a suspended tenant is told nothing", async () => {
  const [mine, other] = [await ingest.createTenant(), await ingest.createTenant()];
  const { body } = await send("POST", PATH, mine.apiKey, { url: URL_OF_MINE });
  for (const id of [body.data.id, randomUUID(), "x", "%00", "%27%3B--"]) {
    for (const end of READS) {
      assert.equal((await send("GET", `${PATH}/${id}${end}`, other.apiKey)).status, 404, end);
    }
    for (const [method, end, value] of WRITES) {
      const answer = await send(method, `${PATH}/${id}${end}`, other.apiKey, value);
      assert.equal(answer.status, 404, `${method} ${end}`);
      assert.ok(!JSON.stringify(answer.body).includes("example.com"));
    }
  }
  assert.deepEqual((await send("GET", PATH, other.apiKey)).body.data, []);
  const { status } = await send("GET", `${PATH}/${body.data.id}`, mine.apiKey);
  assert.equal(status, 200);
  const suspended = await ingest.createTenant();
  await setTenantActive(ingest.db, suspended.id, false);
  assert.equal((await send("GET", PATH, suspended.apiKey)).status, 401);
});
