import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { test } from "node:test";
import { MAX_ATTACHMENT_BYTES } from "@belfry/contracts/attachments";
import { MAX_BROADCAST_BODY_BYTES, MAX_BROADCAST_USERS } from "@belfry/contracts/broadcasts";
import { MAX_CANCEL_NAMES } from "@belfry/contracts/cancel";
import { MAX_PREFERENCES } from "@belfry/contracts/preferences";
import { MAX_MEMBERS_OF_CHANGE } from "@belfry/contracts/topics";
import { TRIGGER_PATH } from "@belfry/contracts/trigger";
import { MAX_EVENTS_OF_BATCH } from "@belfry/contracts/trigger-batch";
import { MAX_USERS_OF_BATCH } from "@belfry/contracts/users";
import { eventually } from "@belfry/testing/eventually";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { wholeFile } from "@belfry/testing/whole-file";
import { startIngest } from "../fuzz/start-ingest.ts";
import { ask } from "../openapi/ask.ts";
import { document } from "../openapi/document.ts";

/** Calls of one tenant beside another tenant's triggers: nobody's calls fail somebody else's. */

const AT_ONCE = 32;
const EVENTS = 2_000;
const ID = "0198c0de-0000-7000-8000-000000000001";
const USER = "user-1";

/** The memory limit of ingest-api in the chart, and the heap that Node takes of it. */
const MEMORY_MIB = 512;
const ingest = await startIngest(wholeFile(), { NODE_OPTIONS: "--max-old-space-size=256" });

const names = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, n) => `${prefix}-${n}`.padEnd(200, "x"));
const LONG_AGO = new Date(Date.now() - 20 * 86_400_000).toISOString();

const EVENTS_OF_BATCH = Array.from({ length: MAX_EVENTS_OF_BATCH }, (_, n) => ({
  eventType: "nothing.listens",
  payload: { userId: `user-${n}` },
  variables: { text: "x".repeat(9_000) },
}));

/** Of each call but the trigger the dearest input that is allowed: a query, a body. A new call needs a row. */
const DEAREST: Readonly<
  Record<string, { query?: string; body?: unknown; headers?: Record<string, string> }>
> = {
  "POST /api/v1/events/trigger-batch": { body: { events: EVENTS_OF_BATCH } },
  "POST /api/v1/attachments": {
    body: "x".repeat(MAX_ATTACHMENT_BYTES / 16),
    headers: { "content-type": "application/pdf", "x-file-name": "a.pdf" },
  },
  "POST /api/v1/events/cancel": {
    body: {
      cancelKeys: names(MAX_CANCEL_NAMES, "key"),
      userIds: names(MAX_CANCEL_NAMES, "user"),
    },
  },
  "PATCH /api/v1/events/{eventId}": { body: { sendAt: "2099-01-01T00:00:00Z" } },
  "GET /api/v1/events/{eventId}": {},
  "POST /api/v1/broadcasts": {
    body: {
      userIds: names(MAX_BROADCAST_USERS, "for"),
      exceptUserIds: names(MAX_BROADCAST_USERS, "not"),
      eventType: "product.news",
      variables: { text: "x".repeat(60_000) },
    },
  },
  "GET /api/v1/broadcasts": { query: "limit=200" },
  "GET /api/v1/broadcasts/{broadcastId}": {},
  "POST /api/v1/broadcasts/{broadcastId}/pause": {},
  "POST /api/v1/broadcasts/{broadcastId}/resume": {},
  "POST /api/v1/broadcasts/{broadcastId}/cancel": {},
  "GET /api/v1/events/scheduled": { query: "limit=1000" },
  "POST /api/v1/auth/realtime-token": { body: { userId: USER } },
  "GET /api/v1/notifications/{tenantId}/{userId}": { query: "limit=1000&offset=1000000" },
  "PUT /api/v1/notifications/{tenantId}/{userId}/{notificationId}/read": {},
  "PUT /api/v1/notifications/{tenantId}/{userId}/read": {},
  "PUT /api/v1/notifications/{tenantId}/{userId}/archived": {},
  "GET /api/v1/notifications/{tenantId}/{userId}/tabs": {},
  "GET /api/v1/notifications/{tenantId}/{userId}/unread-count": {},
  "PATCH /api/v1/notifications/{tenantId}/{userId}/{notificationId}": { body: { archived: true } },
  "DELETE /api/v1/notifications/{tenantId}/{userId}/{notificationId}": {},
  "PUT /api/v1/users/{userId}": { body: { email: "ann@example.com", timezone: "Europe/Berlin" } },
  "GET /api/v1/users/{userId}": {},
  "DELETE /api/v1/users/{userId}": {},
  "POST /api/v1/users/batch": {
    body: {
      users: names(MAX_USERS_OF_BATCH, "user").map((userId) => ({
        ...{ userId, email: "ann@example.com", phone: "+12025550123", locale: "de-AT" },
        ...{ timezone: "Europe/Vienna", quietHours: { from: "22:00", to: "06:00" } },
      })),
    },
  },
  "GET /api/v1/erasures/{erasureId}": {},
  "GET /api/v1/users/{userId}/preferences": {},
  "PATCH /api/v1/users/{userId}/preferences": {
    body: {
      preferences: Array.from({ length: MAX_PREFERENCES }, (_, n) => ({
        ...{ category: "*", channel: "EMAIL", enabled: n % 2 === 0 },
      })),
    },
  },
  "GET /api/v1/topics": { query: "limit=1000" },
  "PATCH /api/v1/topics/{key}/members": {
    body: {
      add: names(MAX_MEMBERS_OF_CHANGE / 2, "in"),
      remove: names(MAX_MEMBERS_OF_CHANGE / 2, "out"),
    },
  },
  "GET /api/v1/topics/{key}/members": { query: "limit=1000&search=in" },
  "DELETE /api/v1/topics/{key}": {},
  "GET /api/v1/webhooks": {},
  "POST /api/v1/webhooks": { body: { url: "https://hooks.example.com/a", types: [] } },
  "GET /api/v1/webhooks/{webhookId}": {},
  "PATCH /api/v1/webhooks/{webhookId}": { body: { description: "x".repeat(255) } },
  "DELETE /api/v1/webhooks/{webhookId}": {},
  "POST /api/v1/webhooks/{webhookId}/rotate-secret": {},
  "GET /api/v1/webhooks/{webhookId}/attempts": { query: "limit=500" },
  "POST /api/v1/webhooks/{webhookId}/test": {},
  "POST /api/v1/webhooks/{webhookId}/replay": { body: { since: LONG_AGO, all: true } },
  "GET /api/v1/webhooks/{webhookId}/messages": { query: "limit=500" },
  "GET /api/v1/webhooks/{webhookId}/messages/{messageId}": {},
  "POST /api/v1/webhooks/{webhookId}/messages/{messageId}/resend": {},
};

const CALLS = Object.entries(document.paths)
  .flatMap(
    ([path, methods]) =>
      Object.entries(methods)
        .filter(([, { security }]) => security.length > 0)
        .map(([method]) => `${method.toUpperCase()} ${path}`)
        .filter((call) => call !== `POST ${TRIGGER_PATH}`),
    // What they delete the others need.
  )
  .toSorted((a, b) => Number(a.startsWith("DELETE")) - Number(b.startsWith("DELETE")));

function trigger(key: string, userId: string, more: object = {}) {
  const body = { eventType: "order.confirmed", payload: { userId }, ...more };
  return ask(ingest.url, { method: "POST", path: TRIGGER_PATH, key, body });
}

test("every call at its dearest, 32 at a time, fails no trigger of another tenant and no call of its own", async (t) => {
  assert.deepEqual(Object.keys(DEAREST).toSorted(), CALLS.toSorted());
  const [loud, quiet] = [await ingest.createTenant(), await ingest.createTenant()];
  await ingest.pool.query(
    `insert into events (id, tenant_id, event_type, user_id, reference, trace_id, cancel_key, accepted_at, dispatched_at)
     select gen_random_uuid(), $1, 'sale', rpad('user-' || n % 100, 200, 'x'), null, 't',
            rpad('key-' || n % 100, 200, 'x'), now(), now() from generate_series(1, $2::integer) n`,
    [loud.id, EVENTS],
  );
  await ingest.pool.query(
    `insert into templates (id, tenant_id, event_type, channel, active)
     values (gen_random_uuid(), $1, 'product.news', 'PUSH', true)`,
    [loud.id],
  );
  const webhook = {
    path: "/api/v1/webhooks",
    key: loud.apiKey,
    body: { url: "https://a.example" },
  };
  const made = await ask(ingest.url, { method: "POST", ...webhook });
  await ingest.pool.query(
    `with told as (
       insert into webhook_messages (id, webhook_id, tenant_id, type, event_id, payload, created_at)
       select gen_random_uuid(), $2, $1, 'delivery.accepted', gen_random_uuid(), '{}', now()
       from generate_series(1, $3::integer) returning id
     )
     insert into deliveries (id, event_id, tenant_id, channel, status, settled_at)
     select id, id, $1, 'WEBHOOK', 'failed', now() from told`,
    [loud.id, made.body.data.id, EVENTS],
  );
  const counts: string[] = [];
  for (const call of CALLS) {
    const [method = "", template = ""] = call.split(" ");
    const { query, body, headers } = DEAREST[call]!;
    const path = template
      .replace("{tenantId}", loud.id)
      .replace("{userId}", USER)
      .replace("{webhookId}", made.body.data.id)
      .replace(/\{\w+\}/g, ID);
    const asked = { method, path: query === undefined ? path : `${path}?${query}`, body, headers };
    const [calls, triggers] = await Promise.all([
      Promise.all(
        Array.from({ length: AT_ONCE }, () => ask(ingest.url, { ...asked, key: loud.apiKey })),
      ),
      Promise.all(
        Array.from({ length: 8 }, (_, n) => trigger(quiet.apiKey, `${call} ${n}`.slice(0, 200))),
      ),
    ]);
    assert.deepEqual(new Set(triggers.map(({ status }) => status)), new Set([200]), call);
    const statuses = new Set(calls.map(({ status }) => status));
    for (const status of statuses) {
      if (status >= 500 || status === 422) {
        assert.fail(`${call}: ${status} ${JSON.stringify(ingest.faults())}`);
      }
    }
    counts.push(`${call}: ${[...statuses].join(", ")}`);
  }
  t.diagnostic(counts.join("\n"));
  assert.deepEqual(ingest.faults(), []);
});

/** For each route a body that is refused and takes the most CPU time before that. */
const BIG_BODIES: Readonly<Record<string, string>> = {
  [`POST ${TRIGGER_PATH}`]: `{"variables":{"a":[${"0,".repeat(130_000)}0]}}`,
  "POST /api/v1/events/trigger-batch": `{"events":[${"{},".repeat(340_000)}{}]}`,
  "POST /api/v1/users/batch": `{"users":[${"{},".repeat(340_000)}{}]}`,
  "PATCH /api/v1/topics/news/members": `{"add":[${'"",'.repeat(350_000)}""]}`,
  "POST /api/v1/broadcasts": `{"userIds":[${'"",'.repeat(2_790_000)}""]}`,
};

test("24 connections with the dearest body of a route leave another tenant's triggers answered, and the process within its memory", async (t) => {
  const [loud, quiet] = [await ingest.createTenant(), await ingest.createTenant()];
  const counts: string[] = [];
  for (const [call, body] of Object.entries(BIG_BODIES)) {
    const [method = "", path = ""] = call.split(" ");
    const asked = { method, path, body, key: loud.apiKey };
    const [floods, triggers] = await Promise.all([
      Promise.all(Array.from({ length: 24 }, () => ask(ingest.url, asked))),
      Promise.all(Array.from({ length: 24 }, (_, n) => trigger(quiet.apiKey, `big ${call} ${n}`))),
    ]);
    assert.deepEqual(new Set(triggers.map(({ status }) => status)), new Set([200]), call);
    const statuses = new Set(floods.map(({ status }) => status));
    assert.ok(
      [...statuses].every((status) => [422, 429].includes(status)),
      call,
    );
    counts.push(`${call}: ${[...statuses].join(", ")}`);
  }
  const status = await readFile(`/proc/${ingest.process.pid}/status`, "utf8");
  const peakMib = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
  t.diagnostic(`${counts.join("\n")}\nat most ${Math.round(peakMib)} MiB`);
  assert.ok(peakMib < MEMORY_MIB, `${peakMib} MiB`);
  assert.deepEqual(ingest.faults(), []);
});

test("of bodies that one key announces and does not send few are waited for; the others are 429, and another tenant's large ones are taken", async (t) => {
  const [loud, quiet] = [await ingest.createTenant(), await ingest.createTenant()];
  const head = `POST /api/v1/broadcasts HTTP/1.1\r\nhost: a\r\nx-api-key: ${loud.apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${MAX_BROADCAST_BODY_BYTES}\r\n\r\n`;
  const answers: string[] = [];
  for (let n = 0; n < 24; n += 1) {
    const socket = connect(ingest.port, "127.0.0.1").on("error", () => undefined);
    t.after(() => socket.destroy());
    socket.once("data", (answer) => answers.push(String(answer).slice(9, 12)));
    socket.write(head);
  }
  await eventually(() => assert.ok(answers.length >= 22));
  assert.deepEqual(answers.slice(0, 22), Array(22).fill("429"));
  const metrics = await fetch(`http://127.0.0.1:${ingest.process.managementPort}/metrics`);
  const [, held] = /^belfry_held_body_bytes (\d+)$/m.exec(await metrics.text()) ?? [];
  assert.ok(Number(held) <= 2 * MAX_BROADCAST_BODY_BYTES, held);
  const variables = { text: "x".repeat(200_000) };
  const large = await trigger(quiet.apiKey, "user-1", { variables });
  const body = DEAREST["POST /api/v1/users/batch"]!.body;
  const batch = { method: "POST", path: "/api/v1/users/batch", key: quiet.apiKey, body };
  assert.deepEqual([large.status, (await ask(ingest.url, batch)).status], [200, 200]);
});

test("a cancel of many events holds few of them at a time", async () => {
  const { id: tenant, apiKey: key } = await ingest.createTenant();
  await ingest.pool.query(
    `insert into events (id, tenant_id, event_type, user_id, trace_id, cancel_key, accepted_at, dispatched_at)
     select gen_random_uuid(), $1, 'sale', 'u', 't', 'many', now(), now() from generate_series(1, 1000)`,
    [tenant],
  );
  const holder = await ingest.pool.connect();
  try {
    await holder.query("begin");
    // The last one that the cancel comes to.
    await holder.query(
      "select from events where tenant_id = $1 order by id desc limit 1 for update",
      [tenant],
    );
    const body = { cancelKeys: ["many"] };
    const cancel = ask(ingest.url, { method: "POST", path: "/api/v1/events/cancel", key, body });
    await untilBlocked(ingest.pool);
    const { rows } = await ingest.pool.query(
      "select id from events where tenant_id = $1 and cancel_asked_at is null for update skip locked",
      [tenant],
    );
    const done = await ingest.pool.query(
      "select count(*)::integer as n from events where tenant_id = $1 and cancel_asked_at is not null",
      [tenant],
    );
    await holder.query("rollback");
    assert.equal((await cancel).body.tooLate.length, 1000);
    assert.ok(1000 - rows.length - done.rows[0].n <= 200, `${rows.length}, ${done.rows[0].n}`);
  } finally {
    holder.release();
  }
});

test("calls of one tenant that hang in the database keep neither triggers nor other tenants' calls waiting; too many are 429", async () => {
  const [loud, quiet] = [await ingest.createTenant(), await ingest.createTenant()];
  const path = `/api/v1/users/${USER}`;
  const put = () => ask(ingest.url, { method: "PUT", path, key: loud.apiKey, body: {} });
  const holder = await ingest.pool.connect();
  try {
    await holder.query("begin");
    await holder.query("lock table recipients in access exclusive mode");
    const hanging = Array.from({ length: 2 * AT_ONCE + 8 }, put);
    await untilBlocked(ingest.pool);
    const others = await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, n) => [
        (await trigger(quiet.apiKey, `beside-${n}`)).status,
        (await ask(ingest.url, { method: "GET", path: "/api/v1/webhooks", key: quiet.apiKey }))
          .status,
      ]),
    );
    assert.deepEqual(new Set(others.flat()), new Set([200]));
    await holder.query("rollback");
    const refused = (await Promise.all(hanging)).filter(({ status }) => status === 429);
    assert.ok(refused.length > 0);
    assert.deepEqual(refused[0]?.body, {
      ...{ statusCode: 429, error: "Too Many Requests", retryAfter: 1 },
      message: "Too many calls at a time; send the next one when one has been answered",
    });
    assert.equal(refused[0]?.headers.get("retry-after"), "1");
  } finally {
    holder.release();
  }
});
