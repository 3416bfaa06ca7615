import type { WebhookType } from "@belfry/contracts/webhooks";
import type { Database } from "@belfry/database/connection";
import type { Cleanup } from "@belfry/testing/cleanup";
import { connectedDatabase } from "@belfry/testing/database";
import { sql } from "kysely";
import { createTenant } from "../tenants/tenants.ts";
import { TEST_KEYS } from "../test-database.ts";
import { putWebhook } from "./webhooks.ts";

/** For tests: a tenant with an endpoint, and messages as the database writes them. */
export async function webhookWorld(t: Cleanup) {
  const { db, pool } = await connectedDatabase(t);
  const deps = { keys: TEST_KEYS, allowPrivateAddresses: false };
  const { id: tenantId } = await createTenant(db, { name: "Acme" });
  const { after } = await putWebhook(db, { tenantId, url: "https://example.com/hooks" }, deps);
  const of = { tenantId, webhookId: after.id };
  return {
    ...{ db, pool, deps, tenantId, of, webhookId: after.id, secret: after.secret ?? "" },
    tell: (type: WebhookType = "delivery.accepted") => tell(db, tenantId, type),
    settle: (messageId: string, status: string) => settle(db, messageId, status),
  };
}

/** Writes a message for each endpoint that wants it; returns the newest one's id. */
async function tell(db: Database, tenantId: string, type: WebhookType): Promise<string> {
  await sql`select tell_webhooks(${tenantId}, ${type}, gen_random_uuid(), null, clock_timestamp(), '{}')`.execute(
    db,
  );
  const { rows } = await sql<{ id: string }>`
    select id from webhook_messages where tenant_id = ${tenantId} order by id desc limit 1`.execute(
    db,
  );
  return rows[0]?.id ?? "";
}

/** As a sender leaves it, by the moves that there are. */
async function settle(db: Database, messageId: string, status: string): Promise<void> {
  await sql`update deliveries set status = 'sending' where event_id = ${messageId}`.execute(db);
  await sql`
    update deliveries set status = ${status}, attempts = 1, settled_at = clock_timestamp(),
      due_at = case when ${status} = 'waiting' then clock_timestamp() + interval '1 hour' end
    where event_id = ${messageId}`.execute(db);
}
