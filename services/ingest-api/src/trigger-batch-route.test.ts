import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { IN_APP } from "@belfry/contracts/channels";
import { MAX_BODY_BYTES } from "@belfry/contracts/identifiers";
import { HEADERS } from "@belfry/contracts/trigger";
import type { BatchResult } from "@belfry/contracts/trigger-batch";
import { parseSecretKeys } from "@belfry/database/secrets";
import { createTenantDirectory } from "@belfry/http-api/tenant-directory";
import { assertEach } from "@belfry/testing/assert-each";
import { connectedDatabase } from "@belfry/testing/database";
import { acceptorUnderTest, appUnderTest } from "../test/app-under-test.ts";

/** The API with a NATS that takes every message, or with none. */
async function setUp(t: test.TestContext, { nats = true } = {}) {
  const { pool, db } = await connectedDatabase(t);
  const published: string[][] = [];
  const acceptor = acceptorUnderTest(t, pool, {
    async publishIds(_subject, items) {
      published.push(items.map(({ id }) => id));
      return { duplicate: false, streamSequence: 1 };
    },
  });
  const keys = parseSecretKeys(`k1:${randomBytes(32).toString("base64")}`);
  const { app } = await appUnderTest(db, {
    directory: createTenantDirectory(db, keys),
    acceptor,
    nats: { isConnected: () => nats },
  });
  t.after(() => app.close());
  const tenant = (more: Partial<Parameters<typeof createTenant>[1]> = {}) =>
    createTenant(db, { name: "Acme", ...more }, keys);
  const post = async (path: string, apiKey: string, text: string, headers = {}) => {
    const answer = await app.inject({
      method: "POST",
      url: `/api/v1/events/${path}`,
      headers: { "x-api-key": apiKey, "content-type": "application/json", ...headers },
      payload: text,
    });
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
  };
  const batch = async (apiKey: string, events: unknown, headers = {}) => {
    const answer = await post("trigger-batch", apiKey, JSON.stringify({ events }), headers);
    return { ...answer, results: answer.body.results as BatchResult[] };
  };
  /** Sends events as a batch to one tenant, and one after another to another that is like it. */
  const twins = async (input = {}) => {
    const [many, one] = [await tenant(input), await tenant(input)];
    /** Messages of the batch that differ from those of the single calls, which all else is held to. */
    const differences: unknown[][] = [];
    const both = async (events: unknown[]) => {
      const answer = await batch(many.apiKey, events);
      for (const [at, given] of events.entries()) {
        const { key, text } = singleOf(given);
        const single = await post("trigger", one.apiKey, text, key);
        const { eventId, replayed, retryAfter, message, ...rest } = answer.results[at]!;
        const { message: singleMessage, retryAfter: singleRetryAfter, ...body } = single.body;
        const { statusCode } = rest;
        assert.equal(statusCode, single.status, `event ${at}`);
        assert.deepEqual(rest, { statusCode, ...body }, `event ${at}`);
        assert.equal(eventId !== undefined, single.headers["x-event-id"] !== undefined);
        assert.equal(replayed === true, single.headers["idempotency-replayed"] === "true");
        assert.equal(replayed !== undefined, statusCode === 200);
        // A second may lie between the two.
        assert.equal(typeof retryAfter, typeof singleRetryAfter);
        if (!isDeepStrictEqual(message, singleMessage)) differences.push([message, singleMessage]);
      }
      return answer;
    };
    return { both, differences };
  };
  const stored = async (id: string | undefined) =>
    (await pool.query("select * from events where id = $1", [id])).rows[0];
  return { tenant, post, batch, twins, stored, published };
}

/** The single call of an event of a batch. */
function singleOf(given: unknown) {
  if (typeof given !== "object" || given === null) return { text: JSON.stringify(given) };
  const { idempotencyKey, ...body } = given as { idempotencyKey?: string };
  const key = idempotencyKey === undefined ? {} : { [HEADERS.idempotencyKey]: idempotencyKey };
  return { key, text: JSON.stringify(body) };
}

const event = (over: object = {}) => ({
  eventType: "order.confirmed",
  payload: { userId: "user-1" },
  ...over,
});
const statuses = (results: readonly BatchResult[]) => results.map(({ statusCode }) => statusCode);

test("each event of a batch gets the answer of a single call", async (t) => {
  const { twins } = await setUp(t);
  const { both, differences } = await twins();
  const { status, body, headers, results } = await both([
    event({ idempotencyKey: "a", eventId: "order-1" }),
    event({ idempotencyKey: "a" }),
    event({ payload: {} }),
    "no object",
    null,
    event({ channels: [IN_APP], locale: "de-AT", idempotencyKey: "b" }),
    event({ payload: { userId: "user-2" } }),
    event({ payload: { userId: "user-2" }, variables: { other: true } }),
    event({ idempotencyKey: "" }),
    event({ sendAt: "2099-01-01T00:00:00Z" }),
    event({ sendAt: "2026-01-01T00:00:00Z", delaySeconds: 5 }),
    event({ variables: { text: "x".repeat(MAX_BODY_BYTES) } }),
  ]);
  assert.equal(status, 200);
  assert.equal(body.success, true);
  assert.match(String(headers["ratelimit-policy"]), /"per-minute"/);
  assert.equal(results[1]!.eventId, results[0]!.eventId);
  // Each names its own place: the field and the event of a batch, the header and the body of a call.
  assert.deepEqual(differences, [
    [["idempotencyKey should not be empty"], ["X-Idempotency-Key should not be empty"]],
    ["The event is too large", "Request body is too large"],
  ]);
});

test("accepted, replayed, invalid and over each limit: all in one batch, as in single calls one after another", async (t) => {
  const { twins } = await setUp(t);
  const { both, differences } = await twins({ perMinute: 6, dailyCap: 4 });
  await both([event({ idempotencyKey: "known" }), event({ idempotencyKey: "known, too" })]);
  const { results } = await both([
    event({ idempotencyKey: "a" }),
    event({ idempotencyKey: "a", eventType: "of no importance" }),
    event({ payload: {} }),
    event({ payload: { userId: "user-2" } }),
    event({ idempotencyKey: "over the cap" }),
    event({ idempotencyKey: "later", delaySeconds: 60 }),
    event({ idempotencyKey: "known" }),
    event({ idempotencyKey: "known, too" }),
    event({ idempotencyKey: "over both" }),
    event({ payload: {} }),
  ]);
  const short = ({ statusCode, replayed, message }: BatchResult) =>
    replayed ? "replayed" : statusCode === 429 ? String(message).slice(-5) : statusCode;
  assertEach(results, short, [
    ...[200, "replayed", 422, 200, "4/day", "4/day"],
    ...["replayed", "6/min", "6/min", 422],
  ]);
  assert.deepEqual(differences, []);
});

test("the limits count event by event, in the order of the batch", async (t) => {
  const { tenant, post, batch } = await setUp(t);
  const { apiKey } = await tenant({ perMinute: 4 });
  const five = ["e", "d", "c", "b", "a"].map((idempotencyKey) => event({ idempotencyKey }));
  const { results } = await batch(apiKey, [event({ payload: {} }), ...five]);
  assert.deepEqual(statuses(results), [422, 200, 200, 200, 200, 429]);
  assert.match(String(results[5]!.message), /Limit: 4\/min$/);
  assert.ok(results[5]!.retryAfter! >= 1);
  assert.equal((await post("trigger", apiKey, JSON.stringify(event()))).status, 429);
  assert.deepEqual(statuses((await batch(apiKey, five)).results), [429, 429, 429, 429, 429]);

  const capped = await tenant({ perMinute: 100, dailyCap: 2 });
  const [first, ...rest] = five;
  const day = await batch(capped.apiKey, [first, first, ...rest]);
  assert.deepEqual(statuses(day.results), [200, 200, 200, 429, 429, 429]);
  assert.match(String(day.results[3]!.message), /Limit: 2\/day$/);
  assert.deepEqual(
    day.results.map(({ replayed }) => replayed),
    [false, true, false, undefined, undefined, undefined],
  );
});

test("events keep their order, their numbers as written and their own variables", async (t) => {
  const { tenant, post, stored, published } = await setUp(t);
  const { apiKey } = await tenant();
  const texts = Array.from(
    { length: 100 },
    (_, n) =>
      `{"eventType":"t","idempotencyKey":"${99 - n}","payload":{"userId":"u"},"variables":{"n":${n}.10}}`,
  );
  const { body } = await post("trigger-batch", apiKey, `{"events":[${texts.join(",")}]}`);
  const ids = body.results.map(({ eventId }: BatchResult) => eventId);
  assert.deepEqual(ids.toSorted(), ids);
  assert.deepEqual(published.flat(), ids);
  assert.equal((await stored(ids[0])).variables, '{"n":0.10}');
  assert.equal((await stored(ids[99])).variables, '{"n":99.10}');
});

test("a batch that cannot be read is refused whole, and costs nothing", async (t) => {
  const { tenant, post, batch } = await setUp(t);
  const { apiKey } = await tenant({ perMinute: 1 });
  assert.equal((await batch("bfy_wrong", [event()])).status, 401);
  assert.equal((await post("trigger-batch", apiKey, '{"events":')).status, 400);
  for (const [events, fault] of [
    [undefined, "events must be an array"],
    [{}, "events must be an array"],
    [[], "events must have at least 1 item"],
    [Array.from({ length: 101 }, () => event()), "events must have at most 100 items"],
  ] as const) {
    const { status, body } = await batch(apiKey, events);
    assert.deepEqual([status, body.message], [422, [fault]]);
  }
  const large = event({ variables: { text: "x".repeat(MAX_BODY_BYTES) } });
  assert.equal((await batch(apiKey, Array(5).fill(large))).status, 413);
  assert.deepEqual(statuses((await batch(apiKey, [large, event()])).results), [413, 200]);

  const secret = "0123456789abcdef";
  const signing = await tenant({ webhookSecret: secret });
  assert.equal((await batch(signing.apiKey, [event()])).status, 401);
  const text = JSON.stringify({ events: [event()] });
  const signature = createHmac("sha256", secret).update(text).digest("hex");
  const signed = await post("trigger-batch", signing.apiKey, text, {
    [HEADERS.signature]: signature,
  });
  assert.equal(signed.status, 200);
});

test("while NATS is away only what waits for its time is accepted", async (t) => {
  const { tenant, batch } = await setUp(t, { nats: false });
  const { apiKey } = await tenant();
  const { status, results } = await batch(apiKey, [event(), event({ delaySeconds: 60 })]);
  assert.equal(status, 200);
  assert.deepEqual(statuses(results), [500, 200]);
  assert.equal(results[0]!.error, "Internal Server Error");
});
