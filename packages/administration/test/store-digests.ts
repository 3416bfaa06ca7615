import { randomUUID } from "node:crypto";
import type { ProviderChannel } from "@belfry/contracts/channels";
import type { Pool } from "@belfry/database/connection";
import { compileTemplate } from "@belfry/templates/compile";
import { uuidv7 } from "uuidv7";

export const COMMENT = "comment.posted";

/** A template of mails that loops over what it is told of; returns the version's id. */
export async function storeLoop(pool: Pool, tenantId: string, subject = "{{$count}} comments") {
  const content = "<p>{% for c in $items %}{{c.by}};{% endfor %}</p>";
  const made = await compileTemplate({ kind: "email", subject, content }, { owner: tenantId });
  if (!made.ok) throw new Error("the template does not compile");
  const { rows } = await pool.query(
    `with t as (
       insert into templates (id, tenant_id, event_type, channel, digest)
       values (gen_random_uuid(), $1, $2, 'EMAIL', '{"windowSeconds": 60}') returning id
     ), v as (
       insert into template_versions (template_id, version, content, compiled)
       select id, 1, 'x', $3 from t returning id, template_id
     )
     insert into template_variants (template_id, current_version_id) select template_id, id from v
     returning current_version_id as id`,
    [tenantId, COMMENT, JSON.stringify(made.compiled)],
  );
  return rows[0].id as string;
}

/** A dispatched event of a user; returns its id. */
export async function storeComment(pool: Pool, tenantId: string, by: string, userId = "ann") {
  const id = uuidv7();
  await pool.query(
    `insert into events (id, tenant_id, event_type, user_id, recipient_email, variables, trace_id, accepted_at, dispatched_at)
     values ($1, $2, $3, $4::text, $4 || '@example.com', $5, 'trace', now(), now())`,
    [id, tenantId, COMMENT, userId, JSON.stringify({ by })],
  );
  return id;
}

/** A digest of these events, at rest for an hour; `status` other than queued: it was tried once and ended. */
export async function storeDigest(
  pool: Pool,
  tenantId: string,
  events: readonly string[],
  more: {
    userId?: string;
    channel?: ProviderChannel;
    versionId?: string;
    status?: string;
    heldForMs?: number;
    states?: readonly string[];
  } = {},
) {
  const [id, deliveryId] = [uuidv7(), uuidv7()];
  const { userId = "ann", channel = "EMAIL", versionId = "1", status = "queued", heldForMs } = more;
  const held = heldForMs !== undefined;
  await pool.query(
    `insert into digests (id, tenant_id, event_type, channel, user_id, recipient, locale, key, opened_at, window_ends_at, closed_at)
     values ($1, $2, $3, $4, $5::text, $5 || '@example.com', '', $6, now(), now() + interval '1 hour',
       case when $7 then now() end)`,
    [id, tenantId, COMMENT, channel, userId, randomUUID(), status !== "queued" || held],
  );
  await pool.query(
    `insert into digest_items (digest_id, event_id, added_at, state)
     select $1, e.id, now(), coalesce(e.state, 'in') from unnest($2::uuid[], $3::text[]) e (id, state)`,
    [id, events, events.map((_, at) => more.states?.[at] ?? "in")],
  );
  await pool.query(
    `insert into deliveries (id, event_id, tenant_id, channel, recipient, template_version_id, status, reason,
       attempts, due_at, released_at, claimed_until, settled_at)
     values ($1, $2, $3, $4, $5::text || '@example.com', $6, $7::text, case when $7 = 'failed' then 'HTTP 500' end,
       case when $7 = 'queued' then 0 else 1 end, case when $7 = 'queued' then now() + interval '1 hour' end,
       case when $8::integer is not null then now() end, now() + $8 * interval '1 ms',
       case when $7 not in ('queued', 'sending') then now() end)`,
    [
      ...[deliveryId, id, tenantId, channel, userId, versionId, held ? "sending" : status],
      heldForMs ?? null,
    ],
  );
  if (status !== "queued" || held) {
    await pool.query(
      `insert into attempts (delivery_id, number, provider_kind, started_at, ended_at, class)
       values ($1, 1, 'sendgrid', now(), now(), $2)`,
      [deliveryId, status === "failed" ? "transient" : "accepted"],
    );
    await pool.query(
      `insert into outbox (id, tenant_id, event_id, delivery_id, channel, recipient, text)
       values (gen_random_uuid(), $1, $2, $3, $4, $5::text || '@example.com', 'x')`,
      [tenantId, id, deliveryId, channel, userId],
    );
  }
  return { id, deliveryId };
}
