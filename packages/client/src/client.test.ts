import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type {
  BroadcastRequest,
  Broadcast as DocumentedBroadcast,
} from "@belfry/contracts/broadcasts";
import type { EventReport as Documented } from "@belfry/contracts/event-report";
import type {
  Notification as DocumentedNotification,
  InboxTabs as DocumentedTabs,
} from "@belfry/contracts/notification";
import type { PreferencesResponse } from "@belfry/contracts/preferences";
import type { RealtimeTokenResponse } from "@belfry/contracts/realtime-token";
import type { TriggerRequest } from "@belfry/contracts/trigger";
import type { ErasureResponse, UserRequest, UserResponse } from "@belfry/contracts/users";
import type {
  WebhookAttempt as DocumentedAttempt,
  WebhookMessage as DocumentedMessage,
  Webhook as DocumentedWebhook,
  ReplayRequest,
  WebhookRequest,
} from "@belfry/contracts/webhook-endpoints";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { startRecordingServer } from "@belfry/testing/recording-server";
import {
  BelfryError,
  BelfryNetworkError,
  type Broadcast,
  type BroadcastInput,
  type ClientOptions,
  createClient,
  type Erasure,
  type EventReport,
  type InboxTabs,
  type Notification,
  type Preferences,
  type RealtimeToken,
  type ReplayInput,
  sign,
  type TriggerInput,
  type User,
  type UserInput,
  type Webhook,
  type WebhookAttempt,
  type WebhookInput,
  type WebhookMessage,
} from "./client.ts";

// The types of the client are those of the interface; the compiler says so.
const input: (mine: TriggerInput) => TriggerRequest = (mine) => mine;
const report: (theirs: Documented) => EventReport = (theirs) => theirs;
const item: (theirs: DocumentedNotification) => Notification = (theirs) => theirs;
const tabs: (theirs: DocumentedTabs) => InboxTabs = (theirs) => theirs;
const token: (theirs: RealtimeTokenResponse) => RealtimeToken = (theirs) => theirs;
const userInput: (mine: UserInput) => UserRequest = (mine) => mine;
const user: (theirs: UserResponse["data"]) => User = (theirs) => theirs;
const preferences: (theirs: PreferencesResponse["data"]) => Preferences = (theirs) => theirs;
const erasure: (theirs: ErasureResponse["data"]) => Erasure = (theirs) => theirs;
const webhookInput: (mine: WebhookInput) => WebhookRequest = (mine) => mine;
const webhook: (theirs: DocumentedWebhook) => Webhook = (theirs) => theirs;
const attempt: (theirs: DocumentedAttempt) => WebhookAttempt = (theirs) => theirs;
const message: (theirs: DocumentedMessage) => WebhookMessage = (theirs) => theirs;
const replay: (mine: ReplayInput) => ReplayRequest = (mine) => mine;
const broadcast: (theirs: DocumentedBroadcast) => Broadcast = (theirs) => theirs;
const broadcastInput: (mine: BroadcastInput) => BroadcastRequest = (mine) => mine;
void [broadcast, broadcastInput];
void [input, report, item, tabs, token, userInput, user, preferences, erasure];
void [webhookInput, webhook, attempt, message, replay];

const event: TriggerInput = { eventType: "order.confirmed", payload: { userId: "user-1" } };
const HOUR_MS = 3_600_000;
const accepted = {
  status: 200,
  headers: { "x-event-id": "e-1", "x-trace-id": "t-1" },
  body: { success: true, message: "m" },
};

async function setUp(t: test.TestContext, over: Partial<ClientOptions> = {}) {
  const server = await startRecordingServer(t);
  server.answer = accepted;
  const pauses: number[] = [];
  const client = createClient({
    baseUrl: `${server.url}/`,
    apiKey: "bf_key",
    tenantId: "acme",
    sleep: async (ms) => void pauses.push(ms),
    random: () => 1,
    ...over,
  });
  return { server, client, pauses };
}

/** Ends the newest wait of an hour by hand: a test goes by what has happened, not by the clock. */
function timeouts(t: test.TestContext): () => void {
  const { mock } = t.mock.method(globalThis, "setTimeout");
  return () => {
    const set = mock.calls.findLast((call) => call.arguments[1] === HOUR_MS);
    (set!.arguments[0] as () => void)();
  };
}

function tooMany(retryAfter: number) {
  const body = { statusCode: 429, error: "Too Many Requests", message: "m", retryAfter };
  return { status: 429, headers: { "retry-after": String(retryAfter) }, body };
}

test("a trigger carries key, idempotency key and, with a secret, the signature of its bytes", async (t) => {
  const { server, client } = await setUp(t, { webhookSecret: "hush" });
  const answer = await client.trigger(
    { ...event, variables: { name: "Jörg" } },
    { traceId: "mine" },
  );
  assert.deepEqual(answer, { id: "e-1", message: "m", replayed: false, traceId: "t-1" });
  const [request] = server.requests;
  assert.deepEqual([request?.method, request?.path], ["POST", "/api/v1/events/trigger"]);
  assert.equal(request?.headers["x-api-key"], "bf_key");
  assert.equal(request?.headers["x-trace-id"], "mine");
  assert.equal(request?.headers["content-type"], "application/json");
  assert.match(String(request?.headers["x-idempotency-key"]), /^[0-9a-f-]{36}$/);
  assert.equal(request?.headers["x-service-signature"], sign("hush", request?.body ?? ""));
});

test("without a secret nothing is signed; each call has a key of its own", async (t) => {
  const { server, client } = await setUp(t);
  await client.trigger(event);
  await client.trigger(event);
  await client.trigger(event, { idempotencyKey: "mine" });
  const keys = server.requests.map((request) => request.headers["x-idempotency-key"]);
  assert.equal(new Set(keys).size, 3);
  assert.equal(keys[2], "mine");
  assert.equal(server.requests[0]?.headers["x-service-signature"], undefined);
});

test("429 waits as long as it is told and sends the same again, at most 3 times", async (t) => {
  const { server, client, pauses } = await setUp(t);
  server.next(tooMany(7), tooMany(1));
  assert.equal((await client.trigger(event)).id, "e-1");
  assert.deepEqual(pauses, [7000, 1000]);
  const bodies = server.requests.map(({ body, headers }) => [body, headers["x-idempotency-key"]]);
  assert.deepEqual(bodies[1], bodies[0]);
  assert.deepEqual(bodies[2], bodies[0]);

  server.answer = tooMany(2);
  const before = server.requests.length;
  await assert.rejects(client.trigger(event), (error: unknown) => {
    assert.ok(error instanceof BelfryError);
    assert.deepEqual([error.status, error.retryAfterSeconds], [429, 2]);
    return true;
  });
  assert.equal(server.requests.length - before, 4);
});

test("429 until midnight is told at once", async (t) => {
  const { server, client, pauses } = await setUp(t);
  server.answer = tooMany(40_000);
  await assert.rejects(client.trigger(event), { status: 429, retryAfterSeconds: 40_000 });
  assert.deepEqual([server.requests.length, pauses.length], [1, 0]);
});

test("5xx and cut connections are tried again with growing pauses, under the same key", async (t) => {
  const { server, client, pauses } = await setUp(t);
  server.next({ status: 500, body: {} }, { status: 503, body: "<html>" }, { instead: "reset" });
  assert.equal((await client.trigger(event)).id, "e-1");
  assert.deepEqual(pauses, [500, 1000, 2000]);
  const keys = server.requests.map((request) => request.headers["x-idempotency-key"]);
  assert.deepEqual([keys.length, new Set(keys).size], [4, 1]);
  const { client: other, server: down, pauses: spread } = await setUp(t, { random: () => 0 });
  down.answer = { status: 500, body: { statusCode: 500, error: "E", message: "m" } };
  await assert.rejects(other.realtimeToken("u"), { name: "BelfryError", status: 500 });
  assert.deepEqual(spread, [250, 500, 1000]);
});

test("what cannot pass is not tried again: 401, 404, 422 with every fault", async (t) => {
  const { server, client, pauses } = await setUp(t);
  for (const status of [400, 401, 403, 404, 413, 415, 422, 302]) {
    server.next({ status, body: { statusCode: status, error: "E", message: ["a is", "b is"] } });
    await assert.rejects(client.trigger(event), (error: unknown) => {
      assert.ok(error instanceof BelfryError);
      assertHas(error, { status, error: "E", messages: ["a is", "b is"] });
      return true;
    });
  }
  assert.deepEqual(pauses, []);
});

test("a redirect is not followed: the key stays here", async (t) => {
  const { server, client } = await setUp(t);
  const elsewhere = await startRecordingServer(t);
  server.next({ status: 307, headers: { location: elsewhere.url } });
  await assert.rejects(client.trigger(event), { name: "BelfryError", status: 307 });
  assert.equal(elsewhere.requests.length, 0);
});

test("an answer that came while this process stood still is taken, not asked for again", async (t) => {
  const stage = new Int32Array(new SharedArrayBuffer(4));
  const server = new Worker(
    `const { parentPort, workerData: stage } = require("node:worker_threads");
    require("node:http").createServer((request, response) => {
      request.resume().on("end", () => {
        Atomics.store(stage, 0, 1);
        Atomics.wait(stage, 0, 1);
        response.end('{"success":true,"message":"m"}', () => {
          Atomics.store(stage, 0, 3);
          Atomics.notify(stage, 0);
        });
      });
    }).listen(0, "127.0.0.1", function () { parentPort.postMessage(this.address().port); });`,
    { eval: true, workerData: stage },
  );
  t.after(() => server.terminate());
  const [port] = await once(server, "message");
  const { client } = await setUp(t, {
    baseUrl: `http://127.0.0.1:${port}`,
    timeoutMs: HOUR_MS,
    retries: 0,
  });
  const timeOut = timeouts(t);
  const triggered = client.trigger(event);
  while (Atomics.load(stage, 0) !== 1) await nextTurn();
  Atomics.store(stage, 0, 2);
  Atomics.notify(stage, 0);
  Atomics.wait(stage, 0, 2);
  timeOut();
  assert.equal((await triggered).message, "m");
});

test("a server that hangs is given up after the timeout, one that is not there at once", async (t) => {
  const { server, client } = await setUp(t, { timeoutMs: HOUR_MS, retries: 1 });
  server.answer = { instead: "hang" };
  const timeOut = timeouts(t);
  const hanging = assert.rejects(client.trigger(event), BelfryNetworkError);
  for (const tries of [1, 2]) {
    await server.received(tries);
    timeOut();
  }
  await hanging;
  assert.equal(server.requests.length, 2);
  await server.close();
  await assert.rejects(client.trigger(event), BelfryNetworkError);
});

test("a call ends with its signal, in a try and in a pause", async (t) => {
  const { server, client } = await setUp(t);
  server.answer = { instead: "hang" };
  const stop = new AbortController();
  const call = client.trigger(event, { signal: stop.signal });
  await server.received(1);
  stop.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
  const { status, headers, body } = tooMany(1_000_000);
  const waiting = createClient({
    baseUrl: server.url,
    apiKey: "k",
    longestWaitMs: Number.MAX_SAFE_INTEGER,
    fetch: async () => Response.json(body, { status, headers }),
  });
  const other = new AbortController();
  const pausing = waiting.trigger(event, { signal: other.signal });
  // The answer is there already: after this turn nothing but the pause is left.
  await nextTurn();
  other.abort();
  await assert.rejects(pausing, { name: "AbortError" });
});

test("a batch is signed as a trigger is, and each of its events has a key, so that a retry doubles none", async (t) => {
  const { server, client } = await setUp(t, { webhookSecret: "hush" });
  const results = [{ statusCode: 422, error: "Validation Error", message: ["eventType is wrong"] }];
  server.answer = { status: 200, body: { success: true, results } };
  const events = [{ ...event, idempotencyKey: "mine" }, event, event];
  assert.deepEqual(await client.triggerBatch(events, { traceId: "trace-1" }), results);
  const { method, path, body, headers } = server.requests[0]!;
  assert.equal(`${method} ${path}`, "POST /api/v1/events/trigger-batch");
  assert.equal(headers["x-service-signature"], sign("hush", body));
  assert.equal(headers["x-trace-id"], "trace-1");
  const keys = JSON.parse(body).events.map((one: { idempotencyKey: string }) => one.idempotencyKey);
  assert.equal(keys[0], "mine");
  assert.equal(new Set(keys).size, 3);
});

test("a file is sent as it is, under its name and type, with the signature of its bytes", async (t) => {
  const { server, client } = await setUp(t, { webhookSecret: "hush" });
  const kept = { id: "a-1", name: "发票.pdf", type: "application/pdf", bytes: 3, expiresAt: "x" };
  server.answer = { status: 201, body: { success: true, data: kept } };
  const data = Buffer.from("abc");
  const file = { name: "发票.pdf", type: "application/pdf", data };
  assert.deepEqual(await client.uploadAttachment(file), kept);
  const [request] = server.requests;
  assert.deepEqual([request?.method, request?.path], ["POST", "/api/v1/attachments"]);
  assert.equal(request?.headers["content-type"], "application/pdf");
  assert.equal(request?.headers["x-file-name"], "%E5%8F%91%E7%A5%A8.pdf");
  assert.equal(request?.headers["x-service-signature"], sign("hush", "abc"));
  assert.equal(request?.body, "abc");
});

test("a cancel is signed as a trigger is, and tells what it stopped", async (t) => {
  const { server, client } = await setUp(t, { webhookSecret: "hush" });
  const told = { cancelled: ["e-1"], partly: [], pending: [], tooLate: [], more: true };
  server.answer = { status: 200, body: { success: true, ...told } };
  assert.deepEqual(await client.cancel({ cancelKeys: ["order-1"], userIds: ["u"] }), told);
  const [{ method, path, body, headers } = server.requests[0]!] = server.requests;
  assert.equal(`${method} ${path}`, "POST /api/v1/events/cancel");
  assert.equal(body, '{"cancelKeys":["order-1"],"userIds":["u"]}');
  assert.equal(headers["x-service-signature"], sign("hush", body));
});

test("a broadcast is signed as a trigger is and has a key; each call has its path", async (t) => {
  const { server, client } = await setUp(t, { webhookSecret: "hush" });
  const made = { id: "b-1", state: "running" };
  server.answer = { status: 202, body: { success: true, data: made } };
  const { broadcasts } = client;
  const input = { topics: ["news"], eventType: "product.news" };
  assert.deepEqual(await broadcasts.create(input, { idempotencyKey: "mine" }), made);
  await broadcasts.create(input);
  await broadcasts.pause("b-1");
  await broadcasts.resume("b/1");
  await broadcasts.cancel("b-1");
  await broadcasts.show("b-1");
  server.answer = { status: 200, body: { success: true, data: [made], next: "b-0" } };
  const page = await broadcasts.list({ limit: 1, after: "b-2" });
  assert.deepEqual(page, { broadcasts: [made], next: "b-0" });
  const text = JSON.stringify(input);
  assertEach(server.requests, ({ method, path, body }) => `${method} ${path} ${body}`, [
    `POST /api/v1/broadcasts ${text}`,
    `POST /api/v1/broadcasts ${text}`,
    "POST /api/v1/broadcasts/b-1/pause ",
    "POST /api/v1/broadcasts/b%2F1/resume ",
    "POST /api/v1/broadcasts/b-1/cancel ",
    "GET /api/v1/broadcasts/b-1 ",
    "GET /api/v1/broadcasts?limit=1&after=b-2 ",
  ]);
  const signatures = server.requests.map(({ headers }) => headers["x-service-signature"]);
  const expected = server.requests.map(({ body }, at) => (at < 5 ? sign("hush", body) : undefined));
  assert.deepEqual(signatures, expected);
  const [mine, other] = server.requests.map(({ headers }) => headers["x-idempotency-key"]);
  assert.equal(mine, "mine");
  assert.match(String(other), /^[0-9a-f-]{36}$/);
});

test("what changes a user is signed as a trigger is, an empty body too, and sent to its path", async (t) => {
  const { server, client } = await setUp(t, { webhookSecret: "hush" });
  server.answer = { status: 200, body: { success: true, data: { id: "e" }, results: [] } };
  const off = { category: "*", channel: "SMS", enabled: false } as const;
  await client.putUser("a/b", { locale: "de", email: "jörg@example.com" });
  await client.putUsers([{ userId: "u" }]);
  await client.changePreferences("batch", [off]);
  await client.eraseUser("batch");
  await client.user("u");
  await client.preferences("u");
  await client.erasure("e-1");
  assertEach(server.requests, ({ method, path, body }) => `${method} ${path} ${body}`, [
    'PUT /api/v1/users/a%2Fb {"locale":"de","email":"jörg@example.com"}',
    'POST /api/v1/users/batch {"users":[{"userId":"u"}]}',
    `PATCH /api/v1/users/%62atch/preferences {"preferences":[${JSON.stringify(off)}]}`,
    "DELETE /api/v1/users/%62atch ",
    "GET /api/v1/users/u ",
    "GET /api/v1/users/u/preferences ",
    "GET /api/v1/erasures/e-1 ",
  ]);
  const signatures = server.requests.map(({ headers }) => headers["x-service-signature"]);
  const expected = server.requests.map(({ body }, at) => (at < 4 ? sign("hush", body) : undefined));
  assert.deepEqual(signatures, expected);
  for (const id of ["", ".", ".."]) await assert.rejects(client.eraseUser(id), TypeError);
});

test("what changes a topic is signed, and sent to its path; pages are read by their next", async (t) => {
  const { server, client } = await setUp(t, { webhookSecret: "hush" });
  server.answer = { status: 200, body: { success: true, data: ["u"], next: "u", members: 7 } };
  assert.equal(await client.changeMembers("a:b", { add: ["u"], remove: ["v"] }), 7);
  await client.deleteTopic("news");
  assert.deepEqual(await client.members("news", { limit: 1, after: "t", search: "u" }), {
    userIds: ["u"],
    next: "u",
  });
  assert.equal((await client.topics({ after: "m" })).next, "u");
  assertEach(server.requests, ({ method, path, body }) => `${method} ${path} ${body}`, [
    'PATCH /api/v1/topics/a%3Ab/members {"add":["u"],"remove":["v"]}',
    "DELETE /api/v1/topics/news ",
    "GET /api/v1/topics/news/members?after=t&limit=1&search=u ",
    "GET /api/v1/topics?after=m ",
  ]);
  const signatures = server.requests.map(({ headers }) => headers["x-service-signature"]);
  const expected = server.requests.map(({ body }, at) => (at < 2 ? sign("hush", body) : undefined));
  assert.deepEqual(signatures, expected);
});

test("ids are one path segment, whatever they hold", async (t) => {
  const { server, client } = await setUp(t);
  server.answer = { status: 200, body: { success: true, data: [] } };
  await client.history("a/b?c#d", { limit: 5, offset: 10 });
  await client.history("../x");
  await client.markRead("ü", "n/1");
  await client.inboxTabs("a/b");
  await client.archiveAll("ü", { category: "a&b" });
  await client.markAllRead("ü", { category: "orders" });
  await client.event("..%2f");
  assertEach(server.requests, ({ method, path }) => `${method} ${path}`, [
    "GET /api/v1/notifications/acme/a%2Fb%3Fc%23d?limit=5&offset=10",
    "GET /api/v1/notifications/acme/..%2Fx",
    "PUT /api/v1/notifications/acme/%C3%BC/n%2F1/read",
    "GET /api/v1/notifications/acme/a%2Fb/tabs",
    "PUT /api/v1/notifications/acme/%C3%BC/archived?category=a%26b",
    "PUT /api/v1/notifications/acme/%C3%BC/read?category=orders",
    "GET /api/v1/events/..%252f",
  ]);
  await assert.rejects(createClient({ baseUrl: server.url, apiKey: "k" }).history("u"), /tenantId/);
  for (const id of ["", ".", ".."]) {
    await assert.rejects(client.markRead(id, "n"), TypeError);
    await assert.rejects(client.event(id), TypeError);
  }
  assert.equal(server.requests.length, 7);
});
