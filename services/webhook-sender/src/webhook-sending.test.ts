import assert from "node:assert/strict";
import { test } from "node:test";
import { WEBHOOK_RETRY_SECONDS } from "@belfry/contracts/webhook-payload";
import { assertHas } from "@belfry/testing/assert-has";
import { type ScriptedAnswer, startRecordingServer } from "@belfry/testing/recording-server";
import { Webhook } from "standardwebhooks";
import {
  createWebhookFixture,
  createWebhookPair,
  DONE,
  message,
  type TestEndpoint,
} from "../test/webhook-fixture.ts";

test("a message is posted once, signed by the standard, and its arrival is written down", async (t) => {
  const fixture = await createWebhookFixture(t);
  const server = await startRecordingServer(t);
  server.answer = { status: 204 };
  const endpoint = await fixture.endpoint(await fixture.tenant(), `${server.url}/hook?a=1`);
  const [id] = await fixture.told(endpoint);
  assert.deepEqual(await fixture.sender()(message(endpoint.tenantId, [id!])), [DONE]);

  assert.equal(server.requests.length, 1);
  const { method, path, headers, body } = server.requests[0]!;
  assert.deepEqual([method, path], ["POST", "/hook?a=1"]);
  assert.equal(headers["content-type"], "application/json");
  assert.match(headers["user-agent"] ?? "", /^Belfry\/\d/);
  assert.equal(headers["webhook-id"], id);
  const judge = new Webhook(endpoint.secret);
  const verified = judge.verify(body, headers as Record<string, string>) as { data: object };
  assert.deepEqual(verified.data, { id, at: 0 });

  const row = await fixture.row(id!);
  assert.equal(row.status, "accepted");
  assert.deepEqual([row.reason, row.attempts, row.retries, row.due_at], [null, 1, 0, null]);
  const [attempt, ...others] = await fixture.attempts(id!);
  assert.equal(others.length, 0);
  assert.equal(attempt.class, "accepted");
  assert.deepEqual([attempt.provider_kind, attempt.vendor_status], ["webhook", "204"]);
  assert.equal(attempt.vendor_answer, null);
});

test("while a secret rotates the old and the new one verify", async (t) => {
  const { fixture, server, endpoint, handle } = await createWebhookPair(t);
  await handle(message(endpoint.tenantId, await fixture.told(endpoint)));
  const newer = await fixture.rotate(endpoint);
  await handle(message(endpoint.tenantId, await fixture.told(endpoint)));
  const { headers, body } = server.requests[1]!;
  for (const secret of [newer, endpoint.secret]) {
    new Webhook(secret).verify(body, headers as Record<string, string>);
  }
  const [first, second] = (headers["webhook-signature"] as string).split(" ");
  assert.ok(first !== second && second?.startsWith("v1,"));
  await fixture.pool.query("update webhooks set previous_secret_until = now()");
  await handle(message(endpoint.tenantId, await fixture.told(endpoint)));
  assert.ok(!(server.requests[2]!.headers["webhook-signature"] as string).includes(" "));
});

/** One try of a new message; what stands in its attempt and its delivery. */
async function tried(
  fixture: Awaited<ReturnType<typeof createWebhookFixture>>,
  endpoint: TestEndpoint,
  handle = fixture.sender(),
) {
  const [id] = await fixture.told(endpoint);
  assert.deepEqual(await handle(message(endpoint.tenantId, [id!])), [DONE]);
  const [attempt] = await fixture.attempts(id!);
  const row = await fixture.row(id!);
  return {
    id: id!,
    outcome: `${row.status}, ${row.retries} counted: ${attempt?.class}: ${attempt?.reason}`,
    answer: attempt?.vendor_answer ?? null,
    waitMs: Number(attempt?.next_in_ms ?? 0),
  };
}

test("everything but a success is tried again, and its reason is told", async (t) => {
  const { fixture, server, endpoint, handle } = await createWebhookPair(t);
  const elsewhere = await startRecordingServer(t);
  const cases: [ScriptedAnswer, string][] = [
    [{ status: 200 }, "accepted, 0 counted: accepted: it answered 200"],
    [{ status: 299 }, "accepted, 0 counted: accepted: it answered 299"],
    [{ status: 400 }, "waiting, 1 counted: transient: it answered 400"],
    [{ status: 404 }, "waiting, 1 counted: transient: it answered 404"],
    [{ status: 429 }, "waiting, 1 counted: transient: it answered 429"],
    [{ status: 500 }, "waiting, 1 counted: transient: it answered 500"],
    [
      { status: 307, headers: { location: elsewhere.url } },
      "waiting, 1 counted: transient: it redirected (307), which is not followed",
    ],
    [
      { instead: "reset" },
      "waiting, 1 counted: ambiguous: the request left and no answer came: it closed the connection (cut)",
    ],
  ];
  for (const [answer, expected] of cases) {
    server.answer = answer;
    // Each on its own: no row of failures.
    await fixture.pool.query("update webhooks set failures = 0, paused_until = null");
    const { outcome } = await tried(fixture, endpoint, handle);
    assert.equal(outcome.replace(/\((ECONNRESET|UND_ERR_SOCKET)\)/, "(cut)"), expected);
  }
  assert.equal(elsewhere.requests.length, 0);
  await server.close();
  assert.equal(
    (await tried(fixture, endpoint)).outcome,
    "waiting, 1 counted: transient: no connection: it refuses connections (ECONNREFUSED)",
  );
});

test("the waits are those of the schedule, ±20 %, and after the last the message has failed", async (t) => {
  for (const [random, factor] of [
    [0, 0.8],
    [0.999_999, 1.2],
  ] as const) {
    const { fixture, server, endpoint, handle } = await createWebhookPair(t, {
      random: () => random,
    });
    server.answer = { status: 503, body: "down" };
    const [id] = await fixture.told(endpoint);
    for (const _ of [...WEBHOOK_RETRY_SECONDS, 0]) {
      await fixture.pool.query("update webhooks set failures = 0, paused_until = null");
      await fixture.release(id!);
      await handle(message(endpoint.tenantId, [id!]));
    }
    const attempts = await fixture.attempts(id!);
    const waits = attempts.slice(0, -1).map((one) => Math.round(Number(one.next_in_ms)));
    const expected = WEBHOOK_RETRY_SECONDS.map((seconds) => seconds * factor * 1000);
    for (const [at, wait] of waits.entries()) {
      assert.ok(Math.abs(wait - expected[at]!) < expected[at]! * 0.001, `${at}: ${wait}`);
    }
    assert.equal(attempts.length, WEBHOOK_RETRY_SECONDS.length + 1);
    const row = await fixture.row(id!);
    assertHas(row, { status: "failed", reason: "retries exhausted: it answered 503" });
    const sent = new Set(server.requests.map(({ headers }) => headers["webhook-id"]));
    assert.deepEqual([...sent], [id]);
  }
});

test("Retry-After in seconds or as a date is waited for, up to a day, never less than the schedule", async (t) => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const { fixture, server, endpoint, handle } = await createWebhookPair(t, { now: () => now });
  const cases: [string, number][] = [
    ["120", 120],
    ["Thu, 01 Jan 2026 01:00:00 GMT", 3600],
    ["1", 5],
    ["Wed, 31 Dec 2025 01:00:00 GMT", 5],
    ["999999", 86_400],
    ["Thu, 01 Jan 2032 01:00:00 GMT", 86_400],
    ["tomorrow", 5],
    ["-7", 5],
  ];
  for (const [value, seconds] of cases) {
    server.answer = { status: 503, headers: { "retry-after": value } };
    await fixture.pool.query("update webhooks set failures = 0, paused_until = null");
    const { waitMs } = await tried(fixture, endpoint, handle);
    assert.equal(Math.round(waitMs / 1000), seconds, value);
  }
  server.answer = { status: 503, headers: { "x-ratelimit-reset": String(now / 1000 + 500) } };
  assert.equal(Math.round((await tried(fixture, endpoint, handle)).waitMs / 1000), 5);
});

test("of an answer the first KiB is kept as text, whatever it holds, and nothing is decompressed", async (t) => {
  const { fixture, server, endpoint, handle } = await createWebhookPair(t);
  const keeps = async (body: string, headers: Record<string, string> = {}) => {
    server.answer = { status: 400, body, headers };
    await fixture.pool.query("update webhooks set failures = 0, paused_until = null");
    return (await tried(fixture, endpoint, handle)).answer;
  };
  assert.equal(await keeps("no such shop"), "no such shop");
  assert.equal(await keeps("a\u0000b"), "a\ufffdb");
  assert.equal(await keeps("x".repeat(5000)), "x".repeat(1024));
  assert.equal(await keeps("not gzip", { "content-encoding": "gzip" }), "not gzip");
});

test("a secret that cannot be read is waited for and logged, and nothing is posted or held against it", async (t) => {
  const fixture = await createWebhookFixture(t);
  const server = await startRecordingServer(t);
  const tenant = await fixture.tenant();
  const endpoint = await fixture.endpoint(tenant, server.url);
  const other = await fixture.endpoint(tenant, `${server.url}/other`);
  // A secret of another endpoint: each secret decrypts only for its own row.
  await fixture.pool.sql`update webhooks w set secret = o.secret from webhooks o
    where w.id = ${endpoint.id} and o.id = ${other.id}`;
  const { outcome } = await tried(fixture, endpoint);
  assert.equal(outcome, "waiting, 1 counted: transient: its secret cannot be read");
  assert.equal(server.requests.length, 0);
  assert.equal((await fixture.webhook(endpoint)).failures, 0);
  const line = fixture.logged.find(({ msg }) => msg === "an endpoint's secret cannot be read");
  assert.equal(line?.webhookId, endpoint.id);
  assert.ok(!JSON.stringify(fixture.logged).includes("whsec_"));
});
