import { randomBytes } from "node:crypto";
import { secretOnce } from "@belfry/contracts/fields";
import { webhookSecretOwner } from "@belfry/database/secret-owners";
import { encryptSecret } from "@belfry/database/secrets";
import { Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { defineAct } from "../act.ts";
import { changeConfiguration } from "../change-configuration.ts";
import { OWN, overlapSeconds } from "./api-keys.ts";
import { tenantNotFound } from "./require-tenant.ts";
import { webhookSecret } from "./tenant-input.ts";
import { EXAMPLE_TENANT, showTenant, Tenant, updateTenant } from "./tenants.ts";

/** The secret that signs a tenant's triggers. */

export const rotateWebhookSecret = defineAct({
  name: "tenant rotate-webhook-secret",
  http: "POST /webhook-secret/rotate",
  access: OWN,
  effect: "change",
  summary: "Set the secret that signs its triggers; the one before ends after the overlap",
  description: "Of two before, the older one ends at once.",
  input: Type.Object({
    webhookSecret: Type.Optional(webhookSecret),
    overlapSeconds: overlapSeconds(
      "how long the one before is taken besides, 0 to 2592000 (default: 0)",
    ),
  }),
  output: Type.Object({
    ...Tenant.properties,
    createdSecret: Type.Optional(secretOnce("The secret, where none was given")),
  }),
  examples: [
    {
      input: { overlapSeconds: 86_400 },
      output: { ...EXAMPLE_TENANT, webhookSecret: true, createdSecret: "whsec_Zk3…" },
    },
  ],
  async run({ db, tenantId, services }, input) {
    // 256 bits.
    const made = `whsec_${randomBytes(32).toString("base64url")}`;
    const { webhookSecret: secret = made, overlapSeconds: seconds = 0 } = input;
    const owner = webhookSecretOwner(tenantId);
    const ciphertext = await encryptSecret(await services.keys(), owner, secret);
    const overlaps = sql`webhook_secret is not null and ${seconds}::integer > 0`;
    await changeConfiguration(db, async (transaction) => {
      const { numAffectedRows = 0n } = await sql`
        update tenants set
          previous_webhook_secret = case when ${overlaps} then webhook_secret end,
          previous_webhook_secret_until = case when ${overlaps}
            then now() + ${seconds} * interval '1 second' end,
          webhook_secret = ${ciphertext}, updated_at = now()
        where id = ${tenantId}`.execute(transaction);
      if (numAffectedRows === 0n) throw tenantNotFound(tenantId);
    });
    const tenant = await showTenant(db, tenantId);
    return { output: secret === made ? { ...tenant, createdSecret: made } : tenant };
  },
  audit: (_, { output }) => ({
    ...{ action: "webhook-secret.create", target: "webhook secret" },
    after: { theOneBeforeEndsAt: output.previousWebhookSecretUntil },
  }),
});

export const removeWebhookSecret = defineAct({
  name: "tenant remove-webhook-secret",
  http: "DELETE /webhook-secret",
  access: OWN,
  effect: "change",
  summary: "Its triggers need no signature any more",
  input: Type.Object({}),
  output: Tenant,
  examples: [{ input: {}, output: EXAMPLE_TENANT }],
  run: async ({ db, tenantId }) => ({
    output: await updateTenant(db, tenantId, { webhookSecret: null }),
  }),
  audit: () => ({ action: "webhook-secret.remove", target: "webhook secret" }),
});
