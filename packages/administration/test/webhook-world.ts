import type { WebhookType } from "@belfry/contracts/webhook-payload";
import type { Database } from "@belfry/database/connection";
import type { SecretKeys } from "@belfry/database/secrets";
import type { Cleanup } from "@belfry/testing/cleanup";
import { connectedDatabase } from "@belfry/testing/database";
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { sql } from "kysely";
import type { Act, Given } from "../src/act.ts";
import { createTenant } from "../src/tenants/tenants.ts";
import { putWebhook } from "../src/webhooks/webhooks.ts";
import { actsIn } from "./acts.ts";
import { TEST_KEYS } from "./database.ts";

/** For tests: a tenant with an endpoint, and messages as the database writes them. */
export async function webhookWorld(t: Cleanup) {
  const { db, pool } = await connectedDatabase(t);
  const deps = { keys: TEST_KEYS, allowPrivateAddresses: false };
  const { id: tenantId } = await createTenant(db, { name: "Acme" });
  const run = webhookActs(db, deps, tenantId);
  const made = await run(putWebhook, { url: "https://example.com/hooks" });
  const of = { tenantId, webhookId: made.id };
  return {
    db,
    pool,
    deps,
    run,
    tenantId,
    of,
    webhookId: made.id,
    secret: made.secret ?? "",
    tell: (type: WebhookType = "delivery.accepted") => tell(db, tenantId, type),
    settle: (messageId: string, status: string) => settle(db, messageId, status),
  };
}

interface WebhookDeps {
  keys: SecretKeys;
  allowPrivateAddresses: boolean;
}

/** For tests: acts of the tenant that the input names, else of this one. */
export function webhookActs(db: Database, deps: WebhookDeps, ofTenant = "") {
  const services = {
    keys: async () => deps.keys,
    allowPrivateWebhooks: async () => deps.allowPrivateAddresses,
  };
  return <I extends TObject, O extends TSchema>(
    act: Act<I, O>,
    { tenantId = ofTenant, ...input }: Given<Static<I>> & { tenantId?: string },
  ): Promise<Static<O>> => actsIn(db, tenantId, services)(act, input as Given<Static<I>>);
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

/** Settles a message as a sender does, by allowed transitions. */
async function settle(db: Database, messageId: string, status: string): Promise<void> {
  await sql`update deliveries set status = 'sending' where event_id = ${messageId}`.execute(db);
  await sql`
    update deliveries set status = ${status}, attempts = 1, settled_at = clock_timestamp(),
      due_at = case when ${status} = 'waiting' then clock_timestamp() + interval '1 hour' end
    where event_id = ${messageId}`.execute(db);
}
