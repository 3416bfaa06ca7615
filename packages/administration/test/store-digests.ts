import { randomUUID } from "node:crypto";
import type { ProviderChannel } from "@belfry/contracts/channels";
import { compileTemplate } from "@belfry/templates/compile";
import type { TestPool } from "@belfry/testing/database";
import { anEvent } from "@belfry/testing/rows";
import { uuidv7 } from "uuidv7";

export const COMMENT = "comment.posted";

/** A template of mails that loops over what it is told of; returns the version's id. */
export async function storeLoop(pool: TestPool, tenantId: string, subject = "{{$count}} comments") {
  const content = "<p>{% for c in $items %}{{c.by}};{% endfor %}</p>";
  const made = await compileTemplate({ kind: "email", subject, content }, { owner: tenantId });
  if (!made.ok) throw new Error("the template does not compile");
  const rows = await pool.sql`with t as (
      insert into templates (id, tenant_id, event_type, channel, digest)
      values (gen_random_uuid(), ${tenantId}, ${COMMENT}, 'EMAIL', '{"windowSeconds": 60}') returning id
    ), v as (
      insert into template_versions (template_id, version, content, compiled)
      select id, 1, 'x', ${JSON.stringify(made.compiled)} from t returning id, template_id
    )
    insert into template_variants (template_id, current_version_id) select template_id, id from v
    returning current_version_id as id`;
  return rows[0].id as string;
}

/** A dispatched event of a user; returns its id. */
export async function storeComment(pool: TestPool, tenantId: string, by: string, userId = "ann") {
  const of = { tenant_id: tenantId, event_type: COMMENT, user_id: userId };
  const [to, variables] = [`${userId}@example.com`, JSON.stringify({ by })];
  return await anEvent(pool, { ...of, recipient_email: to, variables });
}

/** A digest of these events, at rest for an hour; `status` other than queued: it was tried once and ended. */
export async function storeDigest(
  pool: TestPool,
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
  await pool.sql`insert into digests (id, tenant_id, event_type, channel, user_id, recipient,
      locale, key, opened_at, window_ends_at, closed_at)
    values (${id}, ${tenantId}, ${COMMENT}, ${channel}, ${userId}::text, ${userId} || '@example.com', '',
      ${randomUUID()}, now(), now() + interval '1 hour',
      case when ${status !== "queued" || held} then now() end)`;
  await pool.sql`insert into digest_items (digest_id, event_id, added_at, state)
    select ${id}, e.id, now(), coalesce(e.state, 'in')
    from unnest(${events}::uuid[], ${events.map((_, at) => more.states?.[at] ?? "in")}::text[]) e (id, state)`;
  await pool.sql`insert into deliveries (id, event_id, tenant_id, channel, recipient,
      template_version_id, status, reason, attempts, due_at, released_at, claimed_until, settled_at)
    values (${deliveryId}, ${id}, ${tenantId}, ${channel}, ${userId}::text || '@example.com', ${versionId},
      ${held ? "sending" : status}::text, case when ${held ? "sending" : status} = 'failed' then 'HTTP 500' end,
      case when ${held ? "sending" : status} = 'queued' then 0 else 1 end,
        case when ${held ? "sending" : status} = 'queued' then now() + interval '1 hour' end,
      case when ${heldForMs ?? null}::integer is not null then now() end,
        now() + ${heldForMs ?? null} * interval '1 ms',
      case when ${held ? "sending" : status} not in ('queued', 'sending') then now() end)`;
  if (status !== "queued" || held) {
    await pool.sql`insert into attempts (delivery_id, number, provider_kind, started_at, ended_at,
        class)
      values (${deliveryId}, 1, 'sendgrid', now(), now(), ${status === "failed" ? "transient" : "accepted"})`;
    await pool.sql`insert into outbox (id, tenant_id, event_id, delivery_id, channel, recipient,
        text)
      values (gen_random_uuid(), ${tenantId}, ${id}, ${deliveryId}, ${channel},
        ${userId}::text || '@example.com', 'x')`;
  }
  return { id, deliveryId };
}
