import assert from "node:assert/strict";
import { test } from "node:test";
import type { ActContext } from "@belfry/administration/act";
import {
  attemptsOfMessage,
  attemptsOfWebhook,
  isUnderWay,
  messageById,
  messagesOfWebhook,
} from "@belfry/administration/webhooks/message-rows";
import { replayWebhook } from "@belfry/administration/webhooks/send-webhook-message";
import type { Database, Pool } from "@belfry/database/connection";
import { claimWebhooks, noteWebhookCalls } from "@belfry/database/functions/claim-webhooks";
import { deleteWebhookMessages } from "@belfry/database/functions/delete-events";
import { expireStep } from "@belfry/database/functions/expire-batch";
import { releaseDeliveries } from "@belfry/database/functions/release-deliveries";
import { markAllNotificationsRead } from "@belfry/database/notifications";
import { setPreferences } from "@belfry/database/preferences";
import { webhooksUnderTest } from "@belfry/database/test/webhooks-under-test";
import { databaseOver } from "@belfry/testing/database";

const MESSAGES = 200_000;
const USERS = 1_000;
const DAY_MS = 86_400_000;

class RolledBack extends Error {}

/** The rows of each table that a piece of work reads, as Postgres counts them; what it changes is undone. */
async function rowsRead(client: Pool, db: Database, work: (db: Database) => Promise<unknown>) {
  const read = async () => {
    const { rows } = await client.query<{ table: string; read: string }>(
      `select relname as table, seq_tup_read + coalesce(idx_tup_fetch, 0) as read
       from pg_stat_xact_user_tables`,
    );
    return new Map(rows.map((row) => [row.table, Number(row.read)]));
  };
  const found = new Map<string, number>();
  const run = db.transaction().execute(async (transaction) => {
    const before = await read();
    await work(transaction);
    for (const [table, rows] of await read()) found.set(table, rows - (before.get(table) ?? 0));
    throw new RolledBack();
  });
  await assert.rejects(run, RolledBack);
  return found;
}

test("with 200,000 messages of webhooks nothing walks over them, with and before statistics", async (t) => {
  const under = await webhooksUnderTest(t);
  const all = under.webhooks.get("all")!;
  const moved = await under.delivery({ status: "sending" });
  const next = await under.delivery({ status: "sending" });
  const place = { tenantId: "acme", webhookId: all };

  // One connection for everything, so that its plans stay.
  const connection = await under.pool.connect();
  using _held = { [Symbol.dispose]: () => connection.release() };
  const client = connection as unknown as Pool;
  const db = databaseOver(client);
  const start = Date.now() - 20 * DAY_MS;
  const atSecond = (second: number) => new Date(start + second * 1000).toISOString();
  const claim = async () => {
    const { rows } = await client.query<{ id: string; tenantId: string }>(
      `select id, tenant_id as "tenantId" from deliveries
       where channel = 'WEBHOOK' and tenant_id = 'acme' and released_at is null and broadcast_id is null
         and status in ('queued', 'waiting') order by due_at limit 100`,
    );
    return claimWebhooks(client, rows, { full: [], leaseMs: 1000, maxRetries: 3 });
  };
  const someMessage = async () => {
    const { rows } = await client.query<{ id: string }>(
      "select id from webhook_messages where tenant_id = 'acme' order by id limit 1",
    );
    return rows[0]?.id ?? moved.id;
  };

  let filled = false;
  /** By name: how many rows of a table it may read, and what it is. */
  const works: [string, number, (db: Database) => Promise<unknown>][] = [
    [
      "a move",
      20,
      async () => {
        for (const { id } of [moved, next]) {
          await client.query("update deliveries set status = 'accepted' where id = $1", [id]);
        }
      },
    ],
    ["reading", 300, (db) => markAllNotificationsRead(db, { tenantId: "acme", userId: "reader" })],
    [
      "a preference",
      20,
      (db) =>
        setPreferences(db, { tenantId: "acme", userId: "ann" }, "api", [
          { category: "*", channel: "*", enabled: false },
        ]),
    ],
    ["claiming", 900, claim],
    [
      "releasing",
      1_200,
      async () => {
        const turn = {
          channel: "WEBHOOK",
          inFlightPerTenant: 100,
          after: "",
          most: 2_000,
        } as const;
        const { released } = await releaseDeliveries(client, turn);
        // Of `other` 100; of `acme` 50 that are due and 32 that were held for an endpoint that is off.
        if (filled) assert.equal(released.length, 182);
      },
    ],
    [
      "noting",
      20,
      () =>
        noteWebhookCalls(
          client,
          [{ webhookId: all, tenantId: "acme", reason: "x", gone: false }],
          10,
        ),
    ],
    [
      "erasing",
      1_200,
      (db) => deleteWebhookMessages(db, { tenantId: "acme", userId: "user-8" }, 1000),
    ],
    ["deleting a tenant", 600, (db) => deleteWebhookMessages(db, { tenantId: "other" }, 100)],
    // A page looks at 5,000 messages at most, with each of Postgres' workers, and once more for its end.
    ["messages", 20_200, (db) => messagesOfWebhook(db, { ...place, ...PAGE })],
    [
      "messages of a status",
      20_200,
      (db) => messagesOfWebhook(db, { ...place, ...PAGE, status: "failed" }),
    ],
    [
      "messages of a status that none has",
      20_200,
      (db) => messagesOfWebhook(db, { ...place, ...PAGE, status: "skipped" }),
    ],
    ["attempts", 20_200, (db) => attemptsOfWebhook(db, { ...place, ...PAGE, before: undefined })],
    [
      "attempts of a status that none has",
      20_200,
      (db) => attemptsOfWebhook(db, { ...place, ...PAGE, before: undefined, status: "skipped" }),
    ],
    ["a message", 20, async (db) => messageById(db, place, await someMessage())],
    ["its attempts", 20, async (db) => attemptsOfMessage(db, place, await someMessage())],
    ["whether it is under way", 30, async (db) => isUnderWay(db, place, await someMessage())],
    [
      "a replay of an hour",
      12_000,
      (db) => {
        const window = { ...place, since: atSecond(7200), until: atSecond(10_800) };
        return replayWebhook.run({ db, tenantId: place.tenantId } as ActContext, window, undefined);
      },
    ],
    [
      "expiring",
      6_000,
      () =>
        expireStep(
          client,
          "webhook_messages",
          { eventDays: 30, notificationDays: 90 },
          new Date(Date.now() + 100 * DAY_MS),
        ),
    ],
  ];
  // The connection's plans are made here, where every table is known to be empty, and must stay good.
  await client.query("analyze");
  for (const [, , work] of works) await rowsRead(client, db, work);

  await client.query(
    `insert into webhook_messages (id, webhook_id, tenant_id, type, event_id, user_id, payload, resend_of, created_at)
     select first_id_of(m.at), case when n % 2 = 0 then $1::uuid else $2 end,
            case when n % 2 = 0 then 'acme' else 'other' end, 'delivery.accepted', gen_random_uuid(),
            'user-' || n % ${USERS}, '{}', case when n % 10 = 0 then first_id_of(m.at - interval '10 seconds') end, m.at
     from generate_series(1, ${MESSAGES}) n
     cross join lateral (select to_timestamp($3::float8) + n * interval '1 second' as at) m`,
    [all, under.webhooks.get("other"), start / 1000],
  );
  await client.query(
    `insert into deliveries (id, event_id, tenant_id, channel, status, due_at)
     select id, id, tenant_id, 'WEBHOOK', case when random() < 0.2 then 'queued' when random() < 0.1 then 'failed'
            else 'accepted' end, now() from webhook_messages`,
  );
  await client.query(
    `update deliveries d set due_at = null, held_for = $1 from webhook_messages m
     where m.id = d.event_id and d.status = 'queued' and d.tenant_id = 'acme' and m.payload = '{}' and random() < 0.5`,
    [under.webhooks.get("off")],
  );
  filled = true;
  await client.query(
    `insert into attempts (delivery_id, number, provider_kind, started_at)
     select id, 99, 'webhook', now() from webhook_messages`,
  );
  await client.query(
    `insert into webhooks (id, tenant_id, url, secret)
     select gen_random_uuid(), 'plain', 'https://example.com/' || n, 's' from generate_series(1, 20000) n`,
  );
  await client.query(
    `insert into notifications
       (id, tenant_id, user_id, event_type, title, body, channel_name, channel_offset, created_at)
     select gen_random_uuid(), 'acme', case when n <= 50 then 'reader' else 'u' || n end, 'x', '', '', 'p', n, now()
     from generate_series(1, 20000) n`,
  );
  const wrong: string[] = [];
  for (const analyzed of [false, true]) {
    if (analyzed) await client.query("analyze");
    for (const [name, most, work] of works) {
      // A person's pages are planned whenever they are asked for, by the statistics of then.
      if (!analyzed && PAGES.has(name)) continue;
      for (const [table, rows] of await rowsRead(client, db, work)) {
        if (rows > most) wrong.push(`${name}, analyzed ${analyzed}: ${rows} rows of ${table}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

const PAGES = new Set([
  "messages",
  "messages of a status",
  "messages of a status that none has",
  "attempts",
  "attempts of a status that none has",
]);
const PAGE = { status: undefined, before: undefined, limit: 50 };
