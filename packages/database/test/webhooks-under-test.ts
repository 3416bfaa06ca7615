import type { TestContext } from "node:test";
import { connectedDatabase } from "@belfry/testing/database";
import { uuidv7 } from "uuidv7";

/** A message for an endpoint. */
export interface Told {
  /** `all`, `failures`, `off` or `other`: whose message it is. */
  webhook: string;
  type: string;
  data: Record<string, unknown>;
  user: string | null;
  /** The delivery's status. */
  status: string;
}

export interface StoredDelivery {
  tenant?: string;
  status?: string;
  attempts?: number;
  reason?: string;
  recipient?: string;
  eventType?: string;
  /** SQL. */
  claimedUntil?: string;
  expiresAt?: string;
  releasedAt?: string;
  version?: string;
  userId?: string;
}

/**
 * `acme` with three endpoints: one that wants all, one that wants failures, and one that is not active; `other` with one
 * that wants all; `plain` with none.
 */
export async function webhooksUnderTest(t: TestContext) {
  const { url, pool, db } = await connectedDatabase(t);
  await pool.query(
    `insert into tenants (id, name, per_minute, uses_webhooks) values
     ('acme', 'Acme', 1, true), ('other', 'Other', 1, true), ('plain', 'Plain', 1, false)`,
  );
  const webhooks = new Map<string, string>();
  const addWebhook = async (name: string, tenant: string, types: string[] = [], active = true) => {
    const id = uuidv7();
    webhooks.set(name, id);
    await pool.sql`insert into webhooks (id, tenant_id, url, secret, types, active, disabled_at)
      values (${id}, ${tenant}, 'https://example.com/' || ${name}, 's', ${types}, ${active},
        case when not ${active} then now() end)`;
    return id;
  };
  await addWebhook("all", "acme");
  await addWebhook("failures", "acme", ["delivery.failed"]);
  await addWebhook("off", "acme", [], false);
  await addWebhook("other", "other");

  return {
    url,
    pool,
    db,
    webhooks,
    addWebhook,

    /** In the order of the endpoints' names, then of time. */
    async told(): Promise<Told[]> {
      const rows = await pool.sql<{
        webhook: string;
        type: string;
        payload: string;
        user: string | null;
        status: string;
      }>`select substring(w.url from '[a-z0-9]+$') as webhook, m.type, m.payload, m.user_id as user, d.status
        from webhook_messages m join webhooks w on w.id = m.webhook_id and w.tenant_id = m.tenant_id
        left join deliveries d on d.event_id = m.id and d.channel = 'WEBHOOK' and d.tenant_id = m.tenant_id
        order by 1, m.created_at, m.id`;
      return rows.map(({ payload, ...row }) => {
        const { type, data } = JSON.parse(payload) as { type: string; data: Told["data"] };
        return { ...row, type: type === row.type ? type : `${row.type}, but says ${type}`, data };
      });
    },

    /** Takes away what was told so far. */
    async forget(): Promise<void> {
      await pool.query(
        `with gone as (delete from webhook_messages returning id)
         delete from deliveries d using gone where d.event_id = gone.id`,
      );
    },

    /** An event with a delivery of EMAIL, as if it had come to where it is; nobody was told. */
    async delivery(of: StoredDelivery = {}): Promise<{ id: string; eventId: string }> {
      const [id, eventId] = [uuidv7(), uuidv7()];
      const tenant = of.tenant ?? "acme";
      await pool.sql`insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at,
          dispatched_at, reference, recipient_email, variables)
        values (${eventId}, ${tenant}, ${of.eventType ?? "order.confirmed"}, ${of.userId ?? "ann"}, 't', now(),
          now(), ${`ref ${eventId}`}, 'ann@example.com', '{}')`;
      await pool.query(
        `insert into deliveries (id, event_id, tenant_id, channel, status, attempts, reason, recipient,
           template_version_id, due_at, released_at, claimed_until, expires_at)
         values ($1, $2, $3, 'EMAIL', 'queued', $4, $5, $6, $7, now(), ${of.releasedAt ?? "now()"},
           ${of.claimedUntil ?? "null"}, ${of.expiresAt ?? "null"})`,
        [
          ...[id, eventId, tenant, of.attempts ?? 0, of.reason ?? null],
          ...[of.recipient ?? "ann@example.com", of.version ?? "1"],
        ],
      );
      await pool.sql`insert into attempts (delivery_id, number, provider_kind, started_at)
        select ${id}, n, 'sandbox', now() from generate_series(1, ${of.attempts ?? 0}::integer) n`;
      if (of.status !== undefined && of.status !== "queued") {
        await pool.query("alter table deliveries disable trigger user");
        await pool.sql`update deliveries set status = ${of.status} where id = ${id}`;
        await pool.query("alter table deliveries enable trigger user");
      }
      return { id, eventId };
    },
  };
}

export type WebhooksUnderTest = Awaited<ReturnType<typeof webhooksUnderTest>>;
