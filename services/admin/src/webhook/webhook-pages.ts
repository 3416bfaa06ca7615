import { invalid } from "@belfry/administration/input-error";
import { webhookMessages } from "@belfry/administration/webhooks/webhook-messages";
import {
  changeWebhook,
  deleteWebhook,
  listWebhooks,
  putWebhook,
  rotateSigningSecret,
  showWebhook,
} from "@belfry/administration/webhooks/webhooks";
import type { Webhook } from "@belfry/contracts/webhook-endpoints";
import {
  MAX_WEBHOOKS,
  PREVIOUS_SECRET_HOURS,
  type WebhookType,
} from "@belfry/contracts/webhook-payload";
import { type Answer, type Faults, orFaults, page, redirect } from "../page/answer.ts";
import { fieldMoment, idOf, typedTexts } from "../page/form-fields.ts";
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import { lastTries } from "./webhook-rows.ts";
import {
  endpointState,
  isMessageStatus,
  MESSAGE_STATES,
  messageState,
  TYPE_GROUPS,
  typesInShort,
} from "./webhook-words.ts";

/**
 * Registers the list of a tenant's endpoints, and the form for a new one. The page after the form shows its secret
 * once.
 */
export function webhookPages({ route, once }: PageDeps): void {
  const newOne = (values: WebhookValues = NEW_WEBHOOK, faults: Faults = {}): Answer =>
    page("webhook-new", say`New endpoint`, { values, faults, typeGroups: TYPE_GROUPS });

  route("GET /tenants/:tenantId/webhooks", async ({ run }) => {
    const endpoints = await run(listWebhooks, {});
    return page("webhooks", say`Webhooks`, {
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
      () =>
        run(putWebhook, { ...webhookInput(values), only: "new" }).then(({ id, secret }) =>
          once.show(person, `${base}/webhooks/${id}`, { createdSecret: secret }),
        ),
      (faults) => newOne(values, faults),
    );
  });
}

const PAGE = 50;
const WRITTEN_BEFORE_MS = 10 * 60_000;

/**
 * Returns the page of an endpoint and its newest messages, with its secret if that was just made. Throws `NotFound`.
 */
async function drawEndpoint({ db, once }: PageDeps, context: InTenant, webhookId: string) {
  const { tenant, query, base, run } = context;
  const endpoint = await run(showWebhook, { webhookId });
  const given = query.get("state") ?? "";
  const shown = isMessageStatus(given) ? given : undefined;
  const after = idOf(query, "before");
  const wanted = { webhookId, status: shown, after, limit: PAGE };
  const { messages, next } = await run(webhookMessages, wanted);
  const tries = await lastTries(
    db,
    tenant.id,
    messages.map(({ id }) => id),
  );
  const older = new URLSearchParams({ ...(shown && { state: shown }), before: next ?? "" });
  return page("webhook", endpoint.url, {
    endpoint,
    shown,
    isFirst: after === undefined,
    states: MESSAGE_STATES,
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

/** Registers the page of one endpoint, and the changes to it. */
export function endpointPages(deps: PageDeps): void {
  const { route, once } = deps;
  const endpointIdOf = ({ params }: InTenant) => params.webhookId ?? "";

  const edit = (
    endpoint: Webhook,
    values: WebhookValues = valuesOfWebhook(endpoint),
    faults: Faults = {},
  ): Answer =>
    page("webhook-edit", say`Edit endpoint`, { endpoint, values, faults, typeGroups: TYPE_GROUPS });

  route("GET /tenants/:tenantId/webhooks/:webhookId", (context) =>
    drawEndpoint(deps, context, endpointIdOf(context)),
  );

  route("GET /tenants/:tenantId/webhooks/:webhookId/edit", async (context) =>
    edit(await context.run(showWebhook, { webhookId: endpointIdOf(context) })),
  );

  route("POST /tenants/:tenantId/webhooks/:webhookId", async (context) => {
    const { run, form, base } = context;
    const endpoint = await run(showWebhook, { webhookId: endpointIdOf(context) });
    const values = typedWebhook(form);
    return await orFaults(
      () =>
        run(changeWebhook, { webhookId: endpoint.id, ...webhookInput(values) }).then(() =>
          redirect(`${base}/webhooks/${endpoint.id}`, "saved"),
        ),
      (faults) => edit(endpoint, values, faults),
    );
  });

  route("POST /tenants/:tenantId/webhooks/:webhookId/activate", async (context) => {
    const { run, base } = context;
    const webhookId = endpointIdOf(context);
    const { failingSince } = await run(showWebhook, { webhookId });
    await run(changeWebhook, { webhookId, active: true });
    const path = `${base}/webhooks/${webhookId}`;
    if (failingSince === null) return redirect(path, "endpoint-activated");
    // The next page offers a replay. It begins 10 min before the first failed call, to include messages from just
    // before.
    const since = fieldMoment(new Date(failingSince).getTime() - WRITTEN_BEFORE_MS);
    const place = new URLSearchParams({ since });
    return redirect(`${path}/replay?${place}`, "endpoint-mended");
  });

  route("POST /tenants/:tenantId/webhooks/:webhookId/deactivate", async (context) => {
    await context.run(changeWebhook, { webhookId: endpointIdOf(context), active: false });
    return redirect(`${context.base}/webhooks/${endpointIdOf(context)}`, "endpoint-deactivated");
  });

  route("POST /tenants/:tenantId/webhooks/:webhookId/rotate-secret", async (context) => {
    const { run, person, base } = context;
    const made = await run(rotateSigningSecret, { webhookId: endpointIdOf(context) });
    const { secret: createdSecret, previousSecretUntil: previousUntil } = made;
    return await once.show(person, `${base}/webhooks/${made.id}`, { createdSecret, previousUntil });
  });

  route("POST /tenants/:tenantId/webhooks/:webhookId/delete", async (context) => {
    const { run, base } = context;
    await run(deleteWebhook, { webhookId: endpointIdOf(context) });
    return redirect(`${base}/webhooks`, "deleted");
  });
}

/** An endpoint's form. */
interface WebhookValues {
  url: string;
  description: string;
  which: "all" | "some";
  types: readonly string[];
}

const NEW_WEBHOOK: WebhookValues = { url: "", description: "", which: "all", types: [] };

function valuesOfWebhook({ url, description, types }: Webhook): WebhookValues {
  const which = types.length === 0 ? "all" : "some";
  return { url, types, description: description ?? "", which };
}

function typedWebhook(form: URLSearchParams): WebhookValues {
  return {
    ...typedTexts(form, ["url", "description"]),
    which: form.get("which") === "some" ? "some" : "all",
    types: form.getAll("types"),
  };
}

/**
 * Returns the input of the acts. An endpoint without types gets all, so "some" without any type is a fault. Throws
 * `InvalidInput`.
 */
function webhookInput({ url, description, which, types }: WebhookValues) {
  if (which === "some" && types.length === 0) {
    throw invalid("types", "must include at least one");
  }
  return {
    url,
    description: description === "" ? null : description,
    // The act refuses an unknown type.
    types: which === "all" ? [] : ([...types] as WebhookType[]),
  };
}
