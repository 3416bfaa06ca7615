import { createDatabase, createPool } from "@belfry/database/connection";
import { webhookOwner } from "@belfry/database/secret-owners";
import { decryptSecret, parseSecretKeys } from "@belfry/database/secrets";
import { DEMO_WEBHOOKS_PATH } from "./demo-webhooks.ts";

/**
 * Finds the demo page's endpoint of the tenant, or makes it; it moves with the page's port. Returns its signing
 * secret, as it is now: whoever has the stack's keys may rotate it in the Admin UI.
 */
export async function seedWebhook(options: {
  databaseUrl: string;
  secretsKeys: string;
  tenantId: string;
  demoUrl: string;
}): Promise<string> {
  const { tenantId } = options;
  const url = `${options.demoUrl}${DEMO_WEBHOOKS_PATH}`;
  const keys = parseSecretKeys(options.secretsKeys);
  const db = createDatabase(
    createPool({ url: options.databaseUrl, applicationName: "belfry-local", maxConnections: 1 }),
  );
  const endpoints = db
    .selectFrom("webhooks")
    .select(["id", "url", "secret"])
    .where("tenant_id", "=", tenantId);
  try {
    const all = await endpoints.execute();
    const there =
      all.find((one) => one.url === url) ??
      all.find((one) => URL.parse(one.url)?.pathname === DEMO_WEBHOOKS_PATH);
    if (there?.url !== url) {
      // Loaded when needed: a second start is quick.
      const { changeWebhook, putWebhook } = await import(
        "@belfry/administration/webhooks/webhooks"
      );
      const { actsIn } = await import("@belfry/administration/test-acts");
      const run = actsIn(db, tenantId, {
        keys: async () => keys,
        allowPrivateWebhooks: async () => true,
      });
      if (there === undefined) {
        const made = await run(putWebhook, { url, description: "the demo page" });
        return made.secret!;
      }
      await run(changeWebhook, { webhookId: there.id, url });
    }
    return await decryptSecret(keys, webhookOwner(tenantId, there.id), there.secret);
  } finally {
    await db.destroy();
  }
}
