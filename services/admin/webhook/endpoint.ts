import { webhookMessages } from "@belfry/administration/webhooks/webhook-messages";
import {
  signingSecretRotated,
  webhookChanged,
  webhookDeleted,
} from "@belfry/administration/webhooks/webhook-notes";
import {
  changeWebhook,
  deleteWebhook,
  rotateWebhookSigningSecret,
  showWebhook,
} from "@belfry/administration/webhooks/webhooks";
import { UUID } from "@belfry/contracts/identifiers";
import type { Webhook } from "@belfry/contracts/webhook-endpoints";
import { PREVIOUS_SECRET_HOURS } from "@belfry/contracts/webhooks";
import { type Answer, type Faults, orFaults, page, redirect } from "../drawing/answer.ts";
import { fieldMoment } from "../drawing/moments.ts";
import type { PageDeps } from "../page-deps.ts";
import type { InTenant } from "../router.ts";
import { endpointState } from "./endpoint-state.ts";
import { lastTries } from "./last-tries.ts";
import { isMessageStatus, MESSAGE_STATES, messageState } from "./message-state.ts";
import { typedWebhook, valuesOfWebhook, type WebhookValues, webhookInput } from "./webhook-form.ts";
import { TYPE_GROUPS } from "./webhook-words.ts";

const PAGE = 50;
const WRITTEN_BEFORE_MS = 10 * 60_000;

/** An endpoint with its newest messages, and with its secret where that was just made. Throws `NotFound`. */
async function drawEndpoint({ db, once }: PageDeps, context: InTenant, webhookId: string) {
  const { tenant, query, base } = context;
  const endpoint = await showWebhook(db, tenant.id, webhookId);
  const given = query.get("state") ?? "";
  const shown = isMessageStatus(given) ? given : undefined;
  const before = query.get("before") ?? "";
  const after = UUID.test(before) ? before : undefined;
  const wanted = { tenantId: tenant.id, webhookId: endpoint.id, status: shown, after };
  const { messages, next } = await webhookMessages(db, { ...wanted, limit: PAGE });
  const tries = await lastTries(
    db,
    tenant.id,
    messages.map(({ id }) => id),
  );
  const older = new URLSearchParams({ ...(shown && { state: shown }), before: next ?? "" });
  return page("webhook", endpoint.url, {
    ...{ endpoint, shown, isFirst: after === undefined, states: MESSAGE_STATES },
    state: endpointState(endpoint),
    overlapHours: PREVIOUS_SECRET_HOURS,
    messages: messages.map((one) => ({
      ...one,
      last: tries.get(one.id),
      inWords: messageState(one.status),
    })),
    older: next && `${base}/webhooks/${endpoint.id}?${older}#messages`,
    ...(await once.take(context)),
  });
}

/** One endpoint, and what is done to it; a message's matter is message.ts. */
export function endpointPages(deps: PageDeps): void {
  const { route, db, keys, once } = deps;
  const rules = { allowPrivateAddresses: deps.config.allowPrivateWebhooks };
  const idOf = ({ params }: InTenant) => params.webhookId ?? "";

  const edit = (
    endpoint: Webhook,
    values: WebhookValues = valuesOfWebhook(endpoint),
    faults: Faults = {},
  ): Answer =>
    page("webhook-edit", "Edit endpoint", { endpoint, values, faults, typeGroups: TYPE_GROUPS });

  /** Returns it as it was. */
  const change = async (
    context: InTenant,
    given: { active?: boolean; url?: string; types?: string[]; description?: string | null },
  ): Promise<Webhook> => {
    const { tenant, audited } = context;
    const input = { tenantId: tenant.id, webhookId: idOf(context), ...given };
    const { before } = await audited(
      (transaction) => changeWebhook(transaction, input, rules),
      (changed) => webhookChanged(tenant.id, changed),
    );
    return before;
  };

  route("GET /tenants/:tenantId/webhooks/:webhookId", (context) =>
    drawEndpoint(deps, context, idOf(context)),
  );

  route("GET /tenants/:tenantId/webhooks/:webhookId/edit", async (context) =>
    edit(await showWebhook(db, context.tenant.id, idOf(context))),
  );

  route("POST /tenants/:tenantId/webhooks/:webhookId", async (context) => {
    const { tenant, form, base } = context;
    const endpoint = await showWebhook(db, tenant.id, idOf(context));
    const values = typedWebhook(form);
    return await orFaults(
      async () => {
        await change(context, webhookInput(values));
        return redirect(`${base}/webhooks/${endpoint.id}`, "saved");
      },
      (faults) => edit(endpoint, values, faults),
    );
  });

  route("POST /tenants/:tenantId/webhooks/:webhookId/activate", async (context) => {
    const { failingSince } = await change(context, { active: true });
    const path = `${context.base}/webhooks/${idOf(context)}`;
    if (failingSince === null) return redirect(path, "endpoint-activated");
    // What did not arrive is the next thing to do; some of it was written before the first call failed.
    const since = fieldMoment(new Date(failingSince).getTime() - WRITTEN_BEFORE_MS);
    const place = new URLSearchParams({ since });
    return redirect(`${path}/replay?${place}`, "endpoint-mended");
  });

  route("POST /tenants/:tenantId/webhooks/:webhookId/deactivate", async (context) => {
    await change(context, { active: false });
    return redirect(`${context.base}/webhooks/${idOf(context)}`, "endpoint-deactivated");
  });

  route("POST /tenants/:tenantId/webhooks/:webhookId/rotate-secret", async (context) => {
    const { tenant, audited, person, base } = context;
    const made = await audited(
      (transaction) =>
        rotateWebhookSigningSecret(
          transaction,
          { tenantId: tenant.id, webhookId: idOf(context) },
          keys,
        ),
      (rotated) => signingSecretRotated(tenant.id, rotated),
    );
    const { secret: createdSecret, previousSecretUntil: previousUntil } = made;
    return await once.show(person, `${base}/webhooks/${made.id}`, { createdSecret, previousUntil });
  });

  route("POST /tenants/:tenantId/webhooks/:webhookId/delete", async (context) => {
    const { tenant, audited, base } = context;
    await audited(
      (transaction) =>
        deleteWebhook(transaction, { tenantId: tenant.id, webhookId: idOf(context) }),
      (before) => webhookDeleted(tenant.id, before),
    );
    return redirect(`${base}/webhooks`, "deleted");
  });
}
