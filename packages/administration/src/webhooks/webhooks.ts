import { UUID } from "@belfry/contracts/identifiers";
import type { Webhook } from "@belfry/contracts/webhook-endpoints";
import { MAX_WEBHOOKS, PREVIOUS_SECRET_HOURS, type WebhookType } from "@belfry/contracts/webhooks";
import { type Database, inTransaction } from "@belfry/database/connection";
import { noteUse } from "@belfry/database/note-use";
import { webhookOwner } from "@belfry/database/secret-owners";
import { encryptSecret, type SecretKeys } from "@belfry/database/secrets";
import { uuidv7 } from "uuidv7";
import { type InvalidInput, invalid, NotFound, refuseFaults } from "../input-error.ts";
import { isoTimes } from "../iso-times.ts";
import { holdTenant, requireTenant } from "../tenants/require-tenant.ts";
import { deleteWebhookRows } from "./delete-webhook-rows.ts";
import { newSigningSecret } from "./signing-secret.ts";
import {
  canonicalUrl,
  isWebhookType,
  type WebhookRules,
  type WebhookSettings,
  webhookFaults,
} from "./webhook-input.ts";
import {
  insertWebhook,
  replaceSigningSecret,
  updateWebhook,
  webhookById,
  webhooksOfTenant,
} from "./webhook-rows.ts";

/** With `secret` (`whsec_…`), where it was made: it is shown this once. */
export type PutWebhook = Webhook & { secret?: string };

/** What is absent stays as it is; a new endpoint is told of all types. */
export interface PutWebhookInput extends WebhookSettings {
  tenantId: string;
  url: string;
  /** Default: true. */
  active?: boolean | undefined;
  /** `new`: refused where the tenant has an endpoint with this URL. Default: that one is changed. */
  only?: "new" | undefined;
}

export interface WebhookDeps extends WebhookRules {
  keys: SecretKeys;
}

/**
 * Makes an endpoint, or changes the one with this URL. `before` is null where it was made. Throws `InvalidInput`,
 * `NotFound`.
 */
export async function putWebhook(
  db: Database,
  input: PutWebhookInput,
  deps: WebhookDeps,
): Promise<{ before: Webhook | null; after: PutWebhook }> {
  const { tenantId, types, description, active } = input;
  refuseFaults(webhookFaults(input, deps));
  const url = canonicalUrl(input.url);
  return await changeOf(db, tenantId, async (transaction) => {
    const all = await webhooksOfTenant(transaction, tenantId);
    const before = all.find((one) => one.url === url);
    if (before !== undefined) {
      if (input.only === "new") throw urlTaken();
      return await changed(transaction, isoTimes(before), input, undefined);
    }
    if (all.length >= MAX_WEBHOOKS) {
      throw invalid("url", `is one more than the ${MAX_WEBHOOKS} endpoints that a tenant may have`);
    }
    const id = uuidv7();
    const secret = newSigningSecret();
    await insertWebhook(transaction, {
      ...{ id, tenantId, url, types: checkedTypes(types) ?? [], active: active ?? true },
      description: description || null,
      secret: await encryptSecret(deps.keys, webhookOwner(tenantId, id), secret),
    });
    await noteUse(transaction, tenantId, "uses_webhooks");
    return { before: null, after: { ...(await showWebhook(transaction, tenantId, id)), secret } };
  });
}

export interface ChangeWebhookInput extends WebhookSettings {
  tenantId: string;
  webhookId: string;
  active?: boolean | undefined;
}

/** Changes what is given of an endpoint. Throws `InvalidInput`, `NotFound`. */
export async function changeWebhook(
  db: Database,
  input: ChangeWebhookInput,
  rules: WebhookRules,
): Promise<{ before: Webhook; after: Webhook }> {
  const { tenantId, webhookId } = input;
  refuseFaults(webhookFaults(input, rules));
  const url = input.url === undefined ? undefined : canonicalUrl(input.url);
  return await changeOf(db, tenantId, async (transaction) => {
    const before = await showWebhook(transaction, tenantId, webhookId);
    const all = await webhooksOfTenant(transaction, tenantId);
    if (all.some((one) => one.url === url && one.id !== before.id)) throw urlTaken();
    return await changed(transaction, before, input, url);
  });
}

async function changed(
  transaction: Database,
  before: Webhook,
  input: Omit<PutWebhookInput, "url">,
  url: string | undefined,
) {
  const { tenantId, active } = input;
  const description = input.description === "" ? null : input.description;
  const change = { url, types: checkedTypes(input.types), description, active };
  await updateWebhook(transaction, { tenantId, id: before.id }, change);
  return { before, after: await showWebhook(transaction, tenantId, before.id) };
}

/** The oldest first. Throws `NotFound` for an unknown tenant. */
export async function listWebhooks(db: Database, tenantId: string): Promise<Webhook[]> {
  await requireTenant(db, tenantId);
  return (await webhooksOfTenant(db, tenantId)).map(isoTimes);
}

/** Throws `NotFound`. */
export async function showWebhook(
  db: Database,
  tenantId: string,
  webhookId: string,
): Promise<Webhook> {
  const row = UUID.test(webhookId) ? await webhookById(db, tenantId, webhookId) : undefined;
  if (row === undefined) throw webhookNotFound(webhookId);
  return isoTimes(row);
}

/** Deletes an endpoint with its messages: what is under way to it is not tried again. Throws `NotFound`. */
export async function deleteWebhook(
  db: Database,
  { tenantId, webhookId }: { tenantId: string; webhookId: string },
): Promise<Webhook> {
  return await changeOf(db, tenantId, async (transaction) => {
    const before = await showWebhook(transaction, tenantId, webhookId);
    await deleteWebhookRows(transaction, { tenantId, id: before.id });
    return before;
  });
}

/** A new secret, shown this once; the one before signs beside it until then (ISO 8601). */
export interface NewSigningSecret {
  id: string;
  url: string;
  secret: string;
  previousSecretUntil: string;
}

/**
 * The one before the previous one signs no more; but twice within 10 minutes counts as once, as the first answer may be
 * lost. Throws `NotFound`.
 */
export async function rotateWebhookSigningSecret(
  db: Database,
  { tenantId, webhookId }: { tenantId: string; webhookId: string },
  keys: SecretKeys,
): Promise<NewSigningSecret> {
  return await changeOf(db, tenantId, async (transaction) => {
    const { id, url } = await showWebhook(transaction, tenantId, webhookId);
    const secret = newSigningSecret();
    const until = await replaceSigningSecret(
      transaction,
      { tenantId, id },
      {
        secret: await encryptSecret(keys, webhookOwner(tenantId, id), secret),
        hours: PREVIOUS_SECRET_HOURS,
      },
    );
    return { id, url, secret, previousSecretUntil: until.toISOString() };
  });
}

export function webhookNotFound(id: string): NotFound {
  return new NotFound("webhookId", `the tenant has no webhook ${JSON.stringify(id)}`);
}

function urlTaken(): InvalidInput {
  return invalid("url", "is that of another endpoint");
}

function checkedTypes(types: readonly string[] | undefined): WebhookType[] | undefined {
  return types?.filter(isWebhookType);
}

/** Changes of one tenant's endpoints come one after the other. */
async function changeOf<T>(
  db: Database,
  tenantId: string,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  return await inTransaction(db, async (transaction) => {
    await holdTenant(transaction, tenantId);
    return await work(transaction);
  });
}
