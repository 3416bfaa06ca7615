import { listWebhooks, putWebhook } from "@belfry/administration/webhooks/webhooks";
import { MAX_WEBHOOKS } from "@belfry/contracts/webhooks";
import { type Answer, type Faults, orFaults, page } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import { endpointState } from "./endpoint-state.ts";
import { NEW_WEBHOOK, typedWebhook, type WebhookValues, webhookInput } from "./webhook-form.ts";
import { TYPE_GROUPS, typesInShort } from "./webhook-words.ts";

/** A tenant's endpoints, and making one: its secret is on the page behind it, once. */
export function webhookPages({ route, once }: PageDeps): void {
  const newOne = (values: WebhookValues = NEW_WEBHOOK, faults: Faults = {}): Answer =>
    page("webhook-new", "New endpoint", { values, faults, typeGroups: TYPE_GROUPS });

  route("GET /tenants/:tenantId/webhooks", async ({ run }) => {
    const endpoints = await run(listWebhooks, {});
    return page("webhooks", "Webhooks", {
      endpoints: endpoints.map((one) => ({ ...one, state: endpointState(one) })),
      isFull: endpoints.length >= MAX_WEBHOOKS,
      most: MAX_WEBHOOKS,
      typesInShort,
    });
  });

  route("GET /tenants/:tenantId/webhooks/new", async () => newOne());

  route("POST /tenants/:tenantId/webhooks", async ({ form, run, person, base }) => {
    const values = typedWebhook(form);
    return await orFaults(
      async () => {
        const { id, secret } = await run(putWebhook, { ...webhookInput(values), only: "new" });
        return await once.show(person, `${base}/webhooks/${id}`, { createdSecret: secret });
      },
      (faults) => newOne(values, faults),
    );
  });
}
