import { Webhook } from "@belfry/contracts/webhook-endpoints";
import type { WebhookType } from "@belfry/contracts/webhook-payload";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { columnsOf } from "../columns.ts";

// Queries on `webhooks`. Each of them filters by tenant.

const COLUMNS = columnsOf(Webhook, "w");

/** Returns the tenant's endpoints, the oldest first. */
export async function webhooksOfTenant(db: Database, tenantId: string) {
  const { rows } = await sql<Webhook>`
    select ${COLUMNS} from webhooks w where w.tenant_id = ${tenantId} order by w.id`.execute(db);
  return rows;
}

export async function webhookById(db: Database, tenantId: string, id: string) {
  const { rows } = await sql<Webhook>`
    select ${COLUMNS} from webhooks w where w.id = ${id} and w.tenant_id = ${tenantId}`.execute(db);
  return rows.at(0);
}

interface NewWebhook {
  id: string;
  tenantId: string;
  url: string;
  types: readonly WebhookType[];
  description: string | null;
  /** A compact JWE: the signing secret in encrypted form. */
  secret: string;
  active: boolean;
}

export async function insertWebhook(db: Database, webhook: NewWebhook): Promise<void> {
  const { id, tenantId, url, types, description, secret, active } = webhook;
  await sql`
    insert into webhooks (id, tenant_id, url, types, description, secret, active, disabled_at)
    values (${id}, ${tenantId}, ${url}, ${types}::text[], ${description}, ${secret}, ${active},
      case when not ${active}::boolean then now() end)`.execute(db);
}

interface WebhookChange {
  url?: string | undefined;
  types?: readonly WebhookType[] | undefined;
  description?: string | null | undefined;
  active?: boolean | undefined;
}

/**
 * Changes the given settings. If the endpoint is enabled or gets another URL, its failures are reset and its pause
 * ends. If Belfry had disabled it and the input disables it as well, the reason is removed: a person has now disabled
 * it.
 */
export async function updateWebhook(
  db: Database,
  { tenantId, id }: { tenantId: string; id: string },
  { url, types, description, active }: WebhookChange,
): Promise<void> {
  await sql`
    update webhooks w set
      url = n.url, types = n.types, description = n.description, active = n.active,
      disabled_at = case when n.active then null else coalesce(w.disabled_at, now()) end,
      disabled_reason = case when not n.active and ${active !== false}::boolean then w.disabled_reason end,
      failing_since = case when not n.anew then w.failing_since end,
      failures = case when n.anew then 0 else w.failures end,
      paused_until = case when not n.anew then w.paused_until end,
      probing = w.probing and not n.anew,
      updated_at = now()
    from (
      select *, url <> was or active and not was_active as anew from (
        select coalesce(${url ?? null}::text, b.url) as url, coalesce(${types ?? null}::text[], b.types) as types,
               case when ${description === undefined} then b.description else ${description ?? null}::text end
                 as description,
               coalesce(${active ?? null}::boolean, b.active) as active, b.url as was, b.active as was_active
        from webhooks b where b.id = ${id} and b.tenant_id = ${tenantId}
      ) given
    ) n
    where w.id = ${id} and w.tenant_id = ${tenantId}`.execute(db);
}

/**
 * If a second rotation follows within this time, the first answer is taken as lost. Receivers then still have the
 * secret from before both.
 */
const SAME_ROTATION_MINUTES = 10;

/**
 * Replaces the secret. The previous secret also signs for `hours` more. After two rotations within 10 minutes, this is
 * the secret from before both. Returns when it stops signing.
 */
export async function replaceSigningSecret(
  db: Database,
  { tenantId, id }: { tenantId: string; id: string },
  { secret, hours }: { secret: string; hours: number },
): Promise<Date> {
  const { rows } = await sql<{ until: Date }>`
    update webhooks set
      previous_secret = case
        when previous_secret_until > now() + ${hours} * interval '1 hour' - ${SAME_ROTATION_MINUTES} * interval '1 minute'
        then previous_secret else secret end,
      previous_secret_until = now() + ${hours} * interval '1 hour', secret = ${secret}, updated_at = now()
    where id = ${id} and tenant_id = ${tenantId}
    returning previous_secret_until as until`.execute(db);
  return rows[0]!.until;
}

/** Ends a pause now. Waiting messages become due: first one as a probe, then the rest. */
export async function endPause(db: Database, { tenantId, id }: { tenantId: string; id: string }) {
  await sql`
    update webhooks set paused_until = clock_timestamp()
    where id = ${id} and tenant_id = ${tenantId} and paused_until > clock_timestamp()`.execute(db);
}

const BATCH_MESSAGES = 1_000;
/** The maximum of batches that one call deletes. Retention deletes the rest, which is visible nowhere. */
const MOST_BATCHES = 10;

/** Deletes an endpoint with its messages, deliveries and attempts. Works in batches, so that no statement times out. */
export async function deleteWebhookRows(
  transaction: Database,
  { tenantId, id }: { tenantId: string; id: string },
): Promise<void> {
  // The endpoint goes first: then no message is written for it, and messages that are claimed end as skipped.
  await sql`delete from webhooks where id = ${id} and tenant_id = ${tenantId}`.execute(transaction);
  for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
    const { rows } = await sql<{ messages: number }>`
      select webhook_messages::integer as messages from delete_webhook_messages(
        p_ids => array(
          select m.id from webhook_messages m
          where m.tenant_id = ${tenantId} and m.webhook_id = ${id} order by m.id limit ${BATCH_MESSAGES}),
        p_spare => false)`.execute(transaction);
    if ((rows[0]?.messages ?? 0) < BATCH_MESSAGES) return;
  }
}
