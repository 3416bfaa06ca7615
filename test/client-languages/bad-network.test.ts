import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startForTenant } from "@belfry/admin/test/start-admin";
import { createKey } from "@belfry/administration/tenants/tenant-credentials";
import { updateTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import { assertHas } from "@belfry/testing/assert-has";
import { wholeFile } from "@belfry/testing/whole-file";
import { readDoc } from "../docs/markdown.ts";
import { startIngest } from "../fuzz/start-ingest.ts";
import { type Fault, startFaultyProxy } from "./faulty-proxy.ts";
import { DRIVERS, type Driver, type DriverCommand, missingLanguage } from "./installed.ts";

/** The clients for Python and Go behind a proxy that cuts, delays and refuses, before a real ingest-api and admin. */

const SECRET = "a webhook secret";
const NOBODY_LISTENS = "http://127.0.0.1:1";
const EVENT = {
  eventType: "order.confirmed",
  payload: { userId: "ann/ü#1?" },
  variables: { title: "Grüße <&>" },
};
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();
const limited = (headers: Record<string, string>, body = {}): Fault => ({
  status: 429,
  headers,
  body: { statusCode: 429, error: "Too Many Requests", message: "slow down", ...body },
});
const NETWORKS: Record<string, () => Fault[]> = {
  "as it should be": () => [],
  "cut before the request is forwarded": () => [{ cut: "before" }],
  "cut after Belfry has stored the event": () => [{ cut: "after" }],
  slow: () => [{ delayMs: 50 }],
  "limited for seconds": () => [limited({ "retry-after": "1" }, { retryAfter: 1 })],
  "limited until a time": () => [limited({ "retry-after": inSeconds(1), date: inSeconds(0) })],
  "unavailable and then cut": () => [{ status: 503, body: "no JSON" }, { cut: "after" }],
};

const cleanup = wholeFile();
const ingest = await startIngest(cleanup);
const proxy = await startFaultyProxy(cleanup, ingest.url);
const { admin, id: managed } = await startForTenant(cleanup);
const managing = await startFaultyProxy(cleanup, admin.url);
const manageKey = (await actsIn(admin.db, managed)(createKey, { role: "manage" })).apiKey;
await updateTenant(admin.db, managed, { webhookSecret: SECRET }, admin.keys);
const management = { base_url: managing.url, api_key: manageKey, webhook_secret: SECRET };

for (const [name, { language, canCancel, start }] of Object.entries(DRIVERS)) {
  const missing = await missingLanguage(language);
  const skip = missing ?? false;
  describe(`the client for ${name}`, { skip }, async () => {
    if (missing !== undefined) return;
    const driver = await start(cleanup);
    networkTests(driver);
    callTests(driver);
    errorTests(driver);
    managementTests(driver);
    if (canCancel) cancelTests(driver);
  });
}

/** Returns the calls of a new tenant that signs, through the proxy or without it. */
async function signedTenant(driver: Driver) {
  proxy.reset();
  const tenant = await ingest.createTenant({ webhookSecret: SECRET });
  const calling = (base_url: string) => (call: string, args: unknown[], key?: string) => {
    const options = { base_url, api_key: tenant.apiKey, webhook_secret: SECRET };
    return driver.call({ client: "tenant", call, args, options, ...(key && { key }) });
  };
  return { id: tenant.id, call: calling(proxy.url), directly: calling(ingest.url) };
}

async function countRows(table: string, tenantId: string): Promise<number> {
  const text = `select count(*)::int as n from ${table} where tenant_id = $1`;
  return (await ingest.pool.query(text, [tenantId])).rows[0].n;
}

function networkTests(driver: Driver): void {
  for (const [network, faults] of Object.entries(NETWORKS)) {
    test(`a trigger creates one event if the network is ${network}`, async () => {
      const { id, call, directly } = await signedTenant(driver);
      proxy.faults.push(...faults());
      const tries = faults().filter((fault) => !("delayMs" in fault)).length + 1;
      const { answer, error } = await call("trigger", [EVENT], "order-1001");
      assert.equal(error, undefined);
      assert.equal(proxy.seen.length, tries);
      assert.deepEqual(new Set(proxy.seen.map((one) => one.headers["x-idempotency-key"])).size, 1);
      assert.equal(await countRows("events", id), 1);
      const again = (await directly("trigger", [EVENT], "order-1001")).answer;
      const [first, second] = [answer, again].map((one) => [
        one.id ?? one.ID,
        one.message ?? one.Message,
        one.warnings ?? one.Warnings,
      ]);
      assert.deepEqual(first, second);
      assert.equal(again.replayed ?? again.Replayed, true);
    });
  }

  test("without a key, each trigger is an event of its own, and a retry is none", async () => {
    const { id, call } = await signedTenant(driver);
    for (let count = 1; count <= 2; count++) {
      proxy.faults.push({ cut: "after" });
      await call("trigger", [EVENT]);
      assert.equal(await countRows("events", id), count);
    }
  });

  test("a batch and a broadcast whose answers are lost are stored once", async () => {
    const { id, call } = await signedTenant(driver);
    proxy.faults.push({ cut: "after" });
    const { answer } = await call("triggerBatch", [[EVENT, EVENT]]);
    const results = answer.results ?? answer;
    assert.deepEqual(
      results.map((one: { replayed: boolean }) => one.replayed),
      [true, true],
    );
    assert.equal(await countRows("events", id), 2);
    proxy.faults.push({ cut: "after" });
    const broadcast = { userIds: ["u-1"], eventType: "global.info" };
    const created = await call("createBroadcast", [broadcast]);
    assert.equal(created.error, undefined);
    assert.equal(await countRows("broadcasts", id), 1);
    const shown = await call("showBroadcast", [created.answer.data.id]);
    assert.equal(shown.answer.data.id, created.answer.data.id);
  });
}

function callTests(driver: Driver): void {
  test("users, topics, tokens, devices, attachments and cancels are signed where they must be", async () => {
    const { id, call } = await signedTenant(driver);
    for (const userId of ["batch", "a/b (c)'!*ü?%", "ann"]) {
      const put = await call("putUser", [userId, { email: "ann@example.com" }]);
      assert.equal(put.error, undefined);
      assert.equal((await call("showUser", [userId])).answer.data.userId, userId);
    }
    const changed = await call("changeMembers", ["order:1001", { add: ["ann", "batch"] }]);
    assert.equal(changed.answer.members, 2);
    assert.equal((await call("deleteTopic", ["order:1001"])).error, undefined);
    const token = await call("createRealtimeToken", [{ userId: "ann" }]);
    assert.ok(token.answer.channels.includes("personal#ann"));
    assert.equal((await call("listDevices", ["ann"])).error, undefined);
    assert.deepEqual((await call("listNotifications", [id, "ann"])).answer.data, []);
    const data = Buffer.from("%PDF-1.7 ü").toString("base64");
    const uploaded = await call("uploadAttachment", ["Rechnung ü.pdf", "application/pdf", data]);
    assert.equal(uploaded.answer?.data.name, "Rechnung ü.pdf", uploaded.error?.text);
    await call("trigger", [{ ...EVENT, cancelKey: "k", delaySeconds: 3600 }]);
    const cancelled = await call("cancelEvents", [{ cancelKeys: ["k"] }]);
    assert.equal(cancelled.answer.cancelled.length, 1);
  });

  test("a part of a path that HTTP clients remove is refused before it is sent", async () => {
    const { call } = await signedTenant(driver);
    for (const userId of ["", ".", ".."]) {
      assert.match((await call("showUser", [userId])).error!.kind, /cannot be part of a path/);
    }
    assert.equal(proxy.seen.length, 0);
  });
}

function errorTests(driver: Driver): void {
  const rows = [...readDoc("errors.md").matchAll(/^\| (\d{3}) \|/gm)].map(([, status]) => +status!);
  const statuses = [...rows, 302].filter((status) => status < 500 && status !== 429);

  test("each error of docs/errors.md that a retry cannot help is told after one try", async () => {
    assert.ok(statuses.length > 10);
    const { call } = await signedTenant(driver);
    for (const status of statuses) {
      proxy.reset();
      const messages =
        status === 422 ? ["eventType is bad", "payload is bad"] : [`words ${status}`];
      const message = status === 422 ? messages : messages[0];
      proxy.faults.push({
        status,
        headers: { "x-trace-id": `trace-${status}`, location: `${ingest.url}/elsewhere` },
        body: { statusCode: status, error: `Name ${status}`, message },
      });
      const { error } = await call("trigger", [EVENT]);
      const wanted = { kind: "answer", status, messages, error: `Name ${status}` };
      assertHas(error, { ...wanted, trace_id: `trace-${status}` });
      for (const one of messages) assert.ok(error!.text.includes(one), error!.text);
      assert.equal(proxy.seen.length, 1, `${status} is not retried`);
    }
  });

  test("a 500 is tried four times and then told", async () => {
    const { id, call } = await signedTenant(driver);
    const body = { statusCode: 500, error: "Internal Server Error", message: "our fault" };
    proxy.faults.push(...Array.from({ length: 4 }, () => ({ status: 500, body })));
    assertHas((await call("trigger", [EVENT])).error, { kind: "answer", status: 500 });
    assert.equal(proxy.seen.length, 4);
    assert.equal(await countRows("events", id), 0);
  });

  test("a 429 that asks for a long wait is told at once, with the wait in either form", async () => {
    const { call } = await signedTenant(driver);
    const times = [
      { "retry-after": "3600" },
      { "retry-after": inSeconds(3600), date: inSeconds(0) },
    ];
    for (const headers of times) {
      proxy.reset();
      proxy.faults.push(limited(headers as Record<string, string>));
      assertHas((await call("trigger", [EVENT])).error, { status: 429, retry_after: 3600 });
      assert.equal(proxy.seen.length, 1);
    }
  });

  test("an answer that is no JSON, and no answer at all, are errors of their own", async () => {
    const { call } = await signedTenant(driver);
    proxy.faults.push({ status: 200, body: "<html>" });
    assertHas((await call("showUser", ["ann"])).error, { kind: "answer", status: 200 });
    assert.equal(proxy.seen.length, 1);
    const options = { base_url: NOBODY_LISTENS, api_key: "any" };
    const { error } = await driver.call({
      client: "tenant",
      call: "showUser",
      args: ["ann"],
      options,
    });
    assert.equal(error?.kind, "network");
    assert.match(error!.text, /no answer to GET \/api\/v1\/users$/);
  });
}

function managementTests(driver: Driver): void {
  const call = (name: string, ...args: unknown[]) =>
    driver.call({ client: "management", call: name, args, options: management } as DriverCommand);

  test("management calls are signed with their time, path, query and body", async () => {
    managing.reset();
    const label = { "": "Über uns" };
    const put = await call("categoryPut", "offers", { label });
    assert.equal(put.error, undefined);
    const listed = await call("categoryList");
    assert.deepEqual(listed.answer?.data[0]?.label, label, listed.error?.text);
    assert.deepEqual((await call("categoryDelete", "offers")).answer.data.label, label);
  });

  test("a change over a revision is not repeated, because Belfry may have made it; others are", async () => {
    const draft = { content: "Thanks", revision: 2147483647 };
    const unavailable: Fault = { status: 503 };
    managing.reset();
    managing.faults.push(unavailable, unavailable);
    const based = await call("templateDraftPut", "order.confirmed", "SMS", draft);
    assert.equal(based.error?.status, 503);
    assert.equal(managing.seen.length, 1);
    managing.reset();
    managing.faults.push(limited({ "retry-after": "1" }));
    const refused = await call("templateDraftPut", "order.confirmed", "SMS", draft);
    assert.equal(managing.seen.length, 2, "a 429 has changed nothing");
    assertHas(refused.error, { status: 412 });
    managing.reset();
    managing.faults.push({ cut: "after" });
    const free = await call("templateDraftPut", "order.confirmed", "SMS", { content: "Thanks" });
    assert.equal(free.error, undefined);
    assert.equal(managing.seen.length, 2);
  });

  test("a POST that is repeated has the same key", async () => {
    managing.reset();
    managing.faults.push({ cut: "after" });
    const addresses = ["ann@example.com"];
    const added = await call("suppressionAdd", { channel: "EMAIL", addresses });
    assert.equal(added.error, undefined);
    const keys = managing.seen.map((one) => one.headers["idempotency-key"]);
    assert.deepEqual([keys.length, new Set(keys).size], [2, 1]);
    await call("suppressionRemove", { channel: "EMAIL", addresses });
  });
}

function cancelTests(driver: Driver): void {
  const waits: Record<string, Fault> = {
    "in a pause": limited({ "retry-after": "60" }),
    "while no answer comes": { hangs: true },
  };
  for (const [when, fault] of Object.entries(waits)) {
    test(`a cancelled call ends ${when}, and nothing more is sent`, async () => {
      const { call } = await signedTenant(driver);
      proxy.faults.push(fault, { delayMs: 1000 });
      const ended = call("trigger", [EVENT]);
      await proxy.arrived();
      driver.cancel();
      // A call that began later ends later: the cancelled one has not waited out its pause.
      const later = call("trigger", [EVENT]);
      assert.equal((await ended).error?.kind, "cancelled");
      assert.equal((await later).error, undefined);
      assert.equal(proxy.seen.length, 2);
    });
  }
}
