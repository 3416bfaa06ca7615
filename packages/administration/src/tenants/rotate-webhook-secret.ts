import type { Database } from "@belfry/database/connection";
import { webhookSecretOwner } from "@belfry/database/secret-owners";
import { encryptSecret, type SecretKeys } from "@belfry/database/secrets";
import { changeConfiguration } from "../change-configuration.ts";
import { refuseFaults } from "../input-error.ts";
import { tenantNotFound } from "./require-tenant.ts";
import { overlapFault } from "./rotate-api-key.ts";
import { tenantFaults } from "./tenant-input.ts";
import { showTenant, type Tenant } from "./tenants.ts";
import { replaceWebhookSecret } from "./webhook-secret-rows.ts";

/**
 * Sets the secret that signs a tenant's triggers. The one before is taken for `overlapSeconds` more, so
 * that a tenant's machines can change one by one; 0 ends it at once. Throws `InvalidInput`, `NotFound`.
 */
export async function rotateWebhookSecret(
  db: Database,
  tenantId: string,
  input: { webhookSecret: string; overlapSeconds: number },
  keys: SecretKeys,
): Promise<Tenant> {
  const { webhookSecret, overlapSeconds } = input;
  refuseFaults([...tenantFaults({ webhookSecret }), overlapFault(overlapSeconds)]);
  const ciphertext = await encryptSecret(keys, webhookSecretOwner(tenantId), webhookSecret);
  await changeConfiguration(db, async (transaction) => {
    if (!(await replaceWebhookSecret(transaction, tenantId, ciphertext, overlapSeconds))) {
      throw tenantNotFound(tenantId);
    }
  });
  return await showTenant(db, tenantId);
}
