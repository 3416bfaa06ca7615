import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/**
 * Puts a new webhook secret in the place of the one before, which is taken `overlapSeconds` longer. Of
 * two that end, the older is gone. False when there is no such tenant.
 */
export async function replaceWebhookSecret(
  db: Database,
  tenantId: string,
  ciphertext: string,
  overlapSeconds: number,
): Promise<boolean> {
  const overlaps = sql`webhook_secret is not null and ${overlapSeconds}::integer > 0`;
  const result = await sql`
    update tenants set
      previous_webhook_secret = case when ${overlaps} then webhook_secret end,
      previous_webhook_secret_until = case when ${overlaps}
        then now() + ${overlapSeconds} * interval '1 second' end,
      webhook_secret = ${ciphertext}, updated_at = now()
    where id = ${tenantId}`.execute(db);
  return (result.numAffectedRows ?? 0n) > 0n;
}
