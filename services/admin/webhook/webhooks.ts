import { webhookChanged } from "@belfry/administration/webhooks/webhook-notes";
import { listWebhooks, putWebhook } from "@belfry/administration/webhooks/webhooks";
import { MAX_WEBHOOKS } from "@belfry/contracts/webhooks";
import { type Answer, type Faults, orFaults, page } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import { endpointState } from "./endpoint-state.ts";
import { NEW_WEBHOOK, typedWebhook, type WebhookValues, webhookInput } from "./webhook-form.ts";
import { TYPE_GROUPS, typesInShort } from "./webhook-words.ts";

/** A tenant's endpoints, and making one: its secret is on the page behind it, once. */
export function webhookPages({ route, db, keys, once, config }: PageDeps): void {
  const allowPrivateAddresses = config.allowPrivateWebhooks;
  const newOne = (values: WebhookValues = NEW_WEBHOOK, faults: Faults = {}): Answer =>
    page("webhook-new", "New endpoint", { values, faults, typeGroups: TYPE_GROUPS });

  route("GET /tenants/:tenantId/webhooks", async ({ tenant }) => {
    const endpoints = await listWebhooks(db, tenant.id);
    return page("webhooks", "Webhooks", {
      endpoints: endpoints.map((one) => ({ ...one, state: endpointState(one) })),
      isFull: endpoints.length >= MAX_WEBHOOKS,
      most: MAX_WEBHOOKS,
      typesInShort,
    });
  });

  route("GET /tenants/:tenantId/webhooks/new", async () => newOne());

  route("POST /tenants/:tenantId/webhooks", async ({ tenant, form, audited, person, base }) => {
    const values = typedWebhook(form);
    return await orFaults(
      async () => {
        const { after } = await audited(
          (transaction) =>
            putWebhook(
              transaction,
              { tenantId: tenant.id, ...webhookInput(values), only: "new" },
              { keys, allowPrivateAddresses },
            ),
          (change) => webhookChanged(tenant.id, change),
        );
        const path = `${base}/webhooks/${after.id}`;
        return await once.show(person, path, { createdSecret: after.secret });
      },
      (faults) => newOne(values, faults),
    );
  });
}
