import { randomBytes } from "node:crypto";
import { id, oneOf } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import {
  NewSigningSecret,
  WEBHOOK_PATH,
  WEBHOOK_SECRET_PATH,
  WEBHOOKS_PATH,
  Webhook,
  WebhookChangeRequest,
  WebhookRequest,
  WebhookWithSecret,
} from "@belfry/contracts/webhook-endpoints";
import { MAX_WEBHOOKS, PREVIOUS_SECRET_HOURS } from "@belfry/contracts/webhook-payload";
import { noteUse } from "@belfry/database/configuration-version";
import type { Database } from "@belfry/database/connection";
import { encryptSecret, webhookOwner } from "@belfry/database/secrets";
import { Type } from "@sinclair/typebox";
import { uuidv7 } from "uuidv7";
import { type Access, type ActContext, defineAct, defineRead, optional } from "../act.ts";
import { type InvalidInput, invalid, NotFound, refuseFaults } from "../input-error.ts";
import { holdTenant, requireTenant } from "../tenants/tenant-rows.ts";
import { canonicalUrl, webhookFaults } from "./webhook-input.ts";
import {
  deleteWebhookRows,
  insertWebhook,
  replaceSigningSecret,
  updateWebhook,
  webhookById,
  webhooksOfTenant,
} from "./webhook-rows.ts";

export const READ_ENDPOINTS: Access = { scope: "tenant", person: "viewer", key: "read" };
export const CHANGE_ENDPOINTS: Access = { scope: "tenant", person: "owner", key: "endpoints" };

export const WEBHOOK: Webhook = {
  id: "0198c0de-0000-7000-8000-00000000e001",
  url: "https://example.com/webhooks/belfry",
  types: ["delivery.bounced", "delivery.failed"],
  description: "Order system",
  active: true,
  disabledAt: null,
  disabledReason: null,
  failingSince: null,
  pausedUntil: null,
  createdAt: "2026-11-20T09:30:00.000Z",
  updatedAt: "2026-11-20T09:30:00.000Z",
};
export const SECRET = `whsec_${Buffer.alloc(32, "belfry").toString("base64")}`;
export const ofWebhook = {
  webhookId: id({ description: "The endpoint's id", examples: [WEBHOOK.id] }),
};
const NAMED = Type.Object(ofWebhook);

export const putWebhook = defineAct({
  name: "webhook put",
  http: `POST ${WEBHOOKS_PATH}`,
  access: CHANGE_ENDPOINTS,
  summary: "Create an endpoint",
  description: `Creates an endpoint, or changes the one with this URL. If the endpoint is new, the answer has its secret, only this once; rotate the secret if the answer is lost. A tenant has at most ${MAX_WEBHOOKS} endpoints. The change applies to all results after the answer.`,
  input: Type.Object({
    ...WebhookRequest.properties,
    only: optional(oneOf(["new"]), "new: refused where the URL is taken"),
  }),
  output: WebhookWithSecret,
  example: { input: { url: WEBHOOK.url }, output: { ...WEBHOOK, secret: SECRET } },
  flags: { types: "--types <types|all>", only: null },
  async run(context, input) {
    await refuseWebhookFaults(context, input);
    const { tenantId, services } = context;
    const url = canonicalUrl(input.url);
    await holdTenant(context.db, tenantId);
    const all = await webhooksOfTenant(context.db, tenantId);
    const known = all.find((one) => one.url === url);
    if (known !== undefined) {
      if (input.only === "new") throw urlTaken();
      return await changed(context, known, { ...input, url: undefined });
    }
    if (all.length >= MAX_WEBHOOKS) {
      throw invalid("url", `is one more than the ${MAX_WEBHOOKS} endpoints that a tenant may have`);
    }
    const id = uuidv7();
    const secret = newSigningSecret();
    await insertWebhook(context.db, {
      id,
      tenantId,
      url,
      types: input.types ?? [],
      active: input.active ?? true,
      description: input.description || null,
      secret: await encryptSecret(await services.keys(), webhookOwner(tenantId, id), secret),
    });
    await noteUse(context.db, tenantId, "uses_webhooks");
    const after = await readWebhook(context.db, tenantId, id);
    return { output: { ...after, secret }, before: null, after };
  },
  audit: (_, { before, after }) => webhookChanged(before, after),
});

export const changeWebhook = defineAct({
  name: "webhook change",
  http: `PATCH ${WEBHOOK_PATH}`,
  access: CHANGE_ENDPOINTS,
  summary: "Change an endpoint",
  description:
    "Changes its URL, types and description. `active: false` stops it, and `active: true` starts it again. A replay sends the messages that it missed.",
  input: Type.Object({ ...ofWebhook, ...WebhookChangeRequest.properties }),
  output: Webhook,
  example: {
    input: { webhookId: WEBHOOK.id, active: false },
    output: { ...WEBHOOK, active: false, disabledAt: WEBHOOK.updatedAt },
  },
  flags: { types: "--types <types|all>" },
  async run(context, input) {
    await refuseWebhookFaults(context, input);
    const { db, tenantId } = context;
    const url = input.url === undefined ? undefined : canonicalUrl(input.url);
    await holdTenant(db, tenantId);
    const before = await readWebhook(db, tenantId, input.webhookId);
    const all = await webhooksOfTenant(db, tenantId);
    if (all.some((one) => one.url === url && one.id !== before.id)) throw urlTaken();
    return await changed(context, before, { ...input, url });
  },
  audit: (_, { before, after }) => webhookChanged(before, after),
});

export const listWebhooks = defineRead({
  name: "webhook list",
  http: `GET ${WEBHOOKS_PATH}`,
  access: READ_ENDPOINTS,
  summary: "List endpoints",
  description: "Endpoints that get webhooks about your events. Never shows their secrets.",
  input: Type.Object({}),
  output: Type.Array(Webhook),
  example: { input: {}, output: [WEBHOOK] },
  async run({ db, tenantId }) {
    await requireTenant(db, tenantId);
    return await webhooksOfTenant(db, tenantId);
  },
});

export const showWebhook = defineRead({
  name: "webhook show",
  http: `GET ${WEBHOOK_PATH}`,
  access: READ_ENDPOINTS,
  summary: "Show an endpoint",
  description: "Shows the endpoint's settings, and whether it can be reached.",
  input: NAMED,
  output: Webhook,
  example: { input: { webhookId: WEBHOOK.id }, output: WEBHOOK },
  run: ({ db, tenantId }, { webhookId }) => readWebhook(db, tenantId, webhookId),
});

export const deleteWebhook = defineAct({
  name: "webhook delete",
  http: `DELETE ${WEBHOOK_PATH}`,
  access: CHANGE_ENDPOINTS,
  summary: "Delete an endpoint",
  description:
    "Also deletes the endpoint's messages and their attempts. A message that is being sent is not retried.",
  input: NAMED,
  output: Webhook,
  example: { input: { webhookId: WEBHOOK.id }, output: WEBHOOK },
  async run({ db, tenantId }, { webhookId }) {
    await holdTenant(db, tenantId);
    const before = await readWebhook(db, tenantId, webhookId);
    await deleteWebhookRows(db, { tenantId, id: before.id });
    return { output: before };
  },
  audit: (_, { output }) => webhookNote("delete", output.url, { before: recorded(output) }),
});

export const rotateSigningSecret = defineAct({
  name: "webhook rotate-secret",
  http: `POST ${WEBHOOK_SECRET_PATH}`,
  access: CHANGE_ENDPOINTS,
  summary: "Rotate an endpoint's secret",
  description: `The answer shows a new secret, only once. For ${PREVIOUS_SECRET_HOURS} hours messages have two signatures: the new secret's and the previous one's. If you rotate twice within 10 minutes, the secret from before both rotations signs instead of the one in between.`,
  input: NAMED,
  output: NewSigningSecret,
  example: {
    input: { webhookId: WEBHOOK.id },
    output: {
      id: WEBHOOK.id,
      url: WEBHOOK.url,
      secret: SECRET,
      previousSecretUntil: "2026-11-21T09:30:00.000Z",
    },
  },
  async run({ db, tenantId, services }, { webhookId }) {
    await holdTenant(db, tenantId);
    const { id, url } = await readWebhook(db, tenantId, webhookId);
    const secret = newSigningSecret();
    const encrypted = await encryptSecret(
      await services.keys(),
      webhookOwner(tenantId, id),
      secret,
    );
    const until = await replaceSigningSecret(
      db,
      { tenantId, id },
      { secret: encrypted, hours: PREVIOUS_SECRET_HOURS },
    );
    return { output: { id, url, secret, previousSecretUntil: until.toISOString() } };
  },
  audit: (_, { output: { url, previousSecretUntil } }) =>
    webhookNote("rotate-secret", url, {
      after: { secret: "a new one", theOneBeforeSignsUntil: previousSecretUntil },
    }),
});

/** Returns an endpoint. Throws `NotFound`. */
export async function readWebhook(db: Database, tenantId: string, webhookId: string) {
  const found = UUID.test(webhookId) ? await webhookById(db, tenantId, webhookId) : undefined;
  if (found !== undefined) return found;
  throw new NotFound("webhookId", `the tenant has no webhook ${JSON.stringify(webhookId)}`);
}

/** Returns an audit note about an endpoint, never with a secret, and without the URL's query, which may contain one. */
export function webhookNote(
  verb: string,
  url: string,
  change: { before?: object | null; after?: object },
) {
  return { action: `webhook.${verb}`, target: maskedUrl(url), ...change };
}

/** Returns a URL with its query replaced by … */
export function maskedUrl(url: string): string {
  const at = url.indexOf("?");
  return at < 0 ? url : `${url.slice(0, at)}?…`;
}

type Changes = Omit<WebhookChangeRequest, "url"> & { url: string | undefined };

async function changed({ db, tenantId }: ActContext, before: Webhook, input: Changes) {
  const { url, types, active } = input;
  const description = input.description === "" ? null : input.description;
  await updateWebhook(db, { tenantId, id: before.id }, { url, types, description, active });
  const after: Webhook = await readWebhook(db, tenantId, before.id);
  return { output: after, before, after };
}

async function refuseWebhookFaults({ services }: ActContext, input: WebhookChangeRequest) {
  const allowPrivateAddresses = await services.allowPrivateWebhooks();
  refuseFaults(webhookFaults(input, { allowPrivateAddresses }));
}

function webhookChanged(before: Webhook | null, after: Webhook) {
  return webhookNote(before === null ? "create" : "update", after.url, {
    before: before === null ? null : recorded(before),
    after: recorded(after),
  });
}

function recorded({ id, url, types, description, active, disabledReason }: Webhook): object {
  const told = types.length === 0 ? "all" : types;
  return { id, url: maskedUrl(url), types: told, description, active, disabledReason };
}

function urlTaken(): InvalidInput {
  return invalid("url", "is that of another endpoint");
}

/** Makes a secret in the form of Standard Webhooks: `whsec_` and the key, 32 bytes in base64. */
function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}
