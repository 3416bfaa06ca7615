import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { MAX_BROADCAST_BODY_BYTES } from "@belfry/contracts/broadcasts";
import { TRIGGER_PATH } from "@belfry/contracts/trigger";
import { eventually } from "@belfry/testing/eventually";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { wholeFile } from "@belfry/testing/whole-file";
import { startIngest } from "../fuzz/start-ingest.ts";
import { ask } from "../openapi/ask.ts";
import { beside, trigger } from "./beside.ts";
import { CALLS, DEAREST, USER } from "./dearest-calls.ts";
import { heapOf, withinMemory } from "./within-memory.ts";

/** Calls of one tenant beside another tenant's triggers: nobody's calls fail somebody else's. */

const AT_ONCE = 32;
const EVENTS = 2_000;
const ID = "0198c0de-0000-7000-8000-000000000001";
const ingest = await startIngest(wholeFile(), await heapOf("ingest-api"));

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
    const calls = await beside(
      () => trigger(ingest, quiet.apiKey, call),
      call,
      () => Array.from({ length: AT_ONCE }, () => ask(ingest.url, { ...asked, key: loud.apiKey })),
    );
    const statuses = new Set(calls.map(({ status }) => status));
    for (const status of statuses) {
      if (status >= 500 || status === 422) {
        // The service writes its log lines shortly after the answer.
        await eventually(() => ingest.faults().length > 0, { timeoutMs: 5_000 }).catch(() => 0);
        assert.fail(`${call}: ${status} ${JSON.stringify(ingest.faults())}`);
      }
    }
    counts.push(`${call}: ${[...statuses].join(", ")}`);
  }
  t.diagnostic(counts.join("\n"));
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
    const floods = await beside(
      () => trigger(ingest, quiet.apiKey, `big ${call}`),
      call,
      () => Array.from({ length: 24 }, () => ask(ingest.url, asked)),
    );
    const statuses = new Set(floods.map(({ status }) => status));
    assert.ok(
      [...statuses].every((status) => [422, 429].includes(status)),
      call,
    );
    counts.push(`${call}: ${[...statuses].join(", ")}`);
  }
  t.diagnostic(`${counts.join("\n")}\n${await withinMemory("ingest-api", ingest.process)}`);
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
  const large = await trigger(ingest, quiet.apiKey, "user-1", { variables });
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
        (await trigger(ingest, quiet.apiKey, `beside-${n}`)).status,
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
