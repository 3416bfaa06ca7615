import { DEFAULT_DAILY_CAP, DEFAULT_PER_MINUTE } from "@belfry/contracts/bounds";
import type { Channel } from "@belfry/contracts/channels";
import { CHANNELS } from "@belfry/contracts/channels";
import { canonicalLinkSchemes } from "@belfry/contracts/link-schemes";
import { canonicalLocale } from "@belfry/contracts/locale";
import { type QuietHours, quietHoursOf } from "@belfry/contracts/quiet-hours";
import { timeZoneName } from "@belfry/contracts/time-zone";
import type { Database } from "@belfry/database/connection";
import { webhookSecretOwner } from "@belfry/database/secret-owners";
import { encryptSecret, type SecretKeys } from "@belfry/database/secrets";
import { changeConfiguration } from "../change-configuration.ts";
import { invalid, refuseFaults } from "../input-error.ts";
import { type IsoTimes, isoTimes } from "../iso-times.ts";
import { keyName, newApiKey, newTenantId } from "./api-key.ts";
import { type ApiKeyRow, insertApiKey, liveApiKeys } from "./api-key-rows.ts";
import { tenantNotFound } from "./require-tenant.ts";
import { type TenantInput, tenantFaults } from "./tenant-input.ts";
import {
  allTenants,
  insertTenant,
  isBeingDeleted,
  type TenantRow,
  type TenantSettings,
  tenantById,
  updateTenantRow,
} from "./tenant-rows.ts";
import { requireTimeZone } from "./time-zone.ts";
import { requireRoomForWhatRests } from "./what-rests.ts";

/** A tenant as people see it: no secret in it. Times are ISO 8601, UTC. */
export interface Tenant {
  id: string;
  name: string;
  active: boolean;
  perMinute: number;
  /** null: no cap. */
  dailyCap: number | null;
  /** Empty: all channels. */
  deliveryChannels: Channel[];
  dedupIncludesVariables: boolean;
  /** Whether there is one: then every trigger must be signed. */
  webhookSecret: boolean;
  /** Until then the webhook secret before it is taken too; null: it is not. */
  previousWebhookSecretUntil: string | null;
  /** Of events and what belongs to them; null: as the installation keeps them. */
  eventRetentionDays: number | null;
  /** Of the in-app history; null: as the installation keeps it. */
  notificationRetentionDays: number | null;
  /** How the default variants of its templates write dates, numbers and money. */
  defaultLocale: string;
  /** IANA name; null: UTC. */
  timezone: string | null;
  /** Of users without their own; null: none. */
  quietHours: QuietHours | null;
  /** Of deep links that its mails may lead to, in lower case and without the colon. */
  linkSchemes: string[];
  /** The live ones, newest first. */
  apiKeys: ApiKeyView[];
  createdAt: string;
  updatedAt: string;
}

export type ApiKeyView = IsoTimes<Omit<ApiKeyRow, "tenantId">>;

/** With the key itself, this once. */
export type TenantWithKey = { apiKey: string } & Tenant;

/**
 * Makes an active tenant with one API key. Without limits given: 600 a minute and 100,000 a day.
 * `keys` are needed with a webhook secret; `keyName` is what people call the key. Throws `InvalidInput`.
 */
export async function createTenant(
  db: Database,
  input: TenantInput & { name: string; keyName?: string | undefined },
  keys?: SecretKeys,
): Promise<TenantWithKey> {
  refuseFaults(tenantFaults(input));
  const id = newTenantId();
  const { apiKey, ...stored } = newApiKey();
  const name = keyName(input.keyName);
  const settings: TenantSettings = {
    perMinute: DEFAULT_PER_MINUTE,
    dailyCap: DEFAULT_DAILY_CAP,
    deliveryChannels: [],
    dedupIncludesVariables: false,
    webhookSecret: null,
    eventRetentionDays: null,
    notificationRetentionDays: null,
    defaultLocale: "en",
    timezone: null,
    quietFrom: null,
    quietTo: null,
    linkSchemes: [],
    ...(await settingsOf(db, id, input, keys)),
    name: input.name,
  };
  await changeConfiguration(db, async (transaction) => {
    await insertTenant(transaction, id, settings);
    await insertApiKey(transaction, id, { ...stored, name, role: "all" });
  });
  return { apiKey, ...(await showTenant(db, id)) };
}

/** Oldest first. */
export async function listTenants(db: Database): Promise<Tenant[]> {
  const tenants = await allTenants(db);
  const keys = Map.groupBy(
    await liveApiKeys(
      db,
      tenants.map((tenant) => tenant.id),
    ),
    (key) => key.tenantId,
  );
  return tenants.map((tenant) => tenantView(tenant, keys.get(tenant.id) ?? []));
}

/** Throws `NotFound`. */
export async function showTenant(db: Database, id: string): Promise<Tenant> {
  const tenant = await tenantById(db, id);
  if (tenant === undefined) throw tenantNotFound(id);
  return tenantView(tenant, await liveApiKeys(db, [id]));
}

/**
 * Changes what is given. A webhook secret takes the place of the one before at once; null removes it.
 * Throws `InvalidInput`, `NotFound`.
 */
export async function updateTenant(
  db: Database,
  id: string,
  input: TenantInput,
  keys?: SecretKeys,
): Promise<Tenant> {
  refuseFaults(tenantFaults(input));
  const settings = await settingsOf(db, id, input, keys);
  await changeTenant(db, id, settings);
  return await showTenant(db, id);
}

/**
 * An inactive tenant's calls are answered 401, and what it has waiting ends `skipped: tenant
 * inactive`; activating it again revives none of that. Throws `NotFound`, and `InvalidInput` where one that is being
 * deleted is to be active.
 */
export async function setTenantActive(db: Database, id: string, active: boolean): Promise<Tenant> {
  if (active && (await isBeingDeleted(db, id))) {
    throw invalid("id", "is being deleted: it stays inactive");
  }
  await changeTenant(db, id, { active });
  return await showTenant(db, id);
}

async function changeTenant(
  db: Database,
  id: string,
  changes: Partial<TenantSettings> & { active?: boolean },
): Promise<void> {
  await changeConfiguration(db, async (transaction) => {
    if (!(await updateTenantRow(transaction, id, changes))) throw tenantNotFound(id);
    for (const field of ["eventRetentionDays", "notificationRetentionDays"] as const) {
      if (changes[field] === undefined) continue;
      await requireRoomForWhatRests(transaction, id, field);
      break;
    }
  });
}

async function settingsOf(
  db: Database,
  id: string,
  input: TenantInput,
  keys: SecretKeys | undefined,
): Promise<Partial<TenantSettings>> {
  const { name, perMinute, dailyCap, deliveryChannels, dedupIncludesVariables } = input;
  const { webhookSecret, eventRetentionDays, notificationRetentionDays, quietHours, linkSchemes } =
    input;
  const defaultLocale = canonicalLocale(input.defaultLocale ?? "");
  const timezone = input.timezone == null ? input.timezone : timeZoneName(input.timezone);
  if (timezone != null) await requireTimeZone(db, timezone);
  return {
    ...(name === undefined ? {} : { name }),
    ...(perMinute === undefined ? {} : { perMinute }),
    ...(dailyCap === undefined ? {} : { dailyCap }),
    ...(deliveryChannels === undefined
      ? {}
      : { deliveryChannels: CHANNELS.filter((channel) => deliveryChannels.includes(channel)) }),
    ...(dedupIncludesVariables === undefined ? {} : { dedupIncludesVariables }),
    ...(webhookSecret === undefined
      ? {}
      : { webhookSecret: await encryptedWebhookSecret(id, webhookSecret, keys) }),
    ...(eventRetentionDays === undefined ? {} : { eventRetentionDays }),
    ...(notificationRetentionDays === undefined ? {} : { notificationRetentionDays }),
    ...(defaultLocale === undefined ? {} : { defaultLocale }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(quietHours === undefined
      ? {}
      : { quietFrom: quietHours?.from ?? null, quietTo: quietHours?.to ?? null }),
    ...(linkSchemes === undefined ? {} : { linkSchemes: canonicalLinkSchemes(linkSchemes) }),
  };
}

async function encryptedWebhookSecret(
  id: string,
  secret: string | null,
  keys: SecretKeys | undefined,
): Promise<string | null> {
  if (secret === null) return null;
  if (keys === undefined) throw new Error("a webhook secret needs the keys for secrets at rest");
  return await encryptSecret(keys, webhookSecretOwner(id), secret);
}

function future(time: Date | null | undefined): string | null {
  return time != null && time.getTime() > Date.now() ? time.toISOString() : null;
}

function tenantView(tenant: TenantRow, keys: readonly ApiKeyRow[]): Tenant {
  return {
    id: tenant.id,
    name: tenant.name,
    active: tenant.active,
    perMinute: tenant.perMinute,
    dailyCap: tenant.dailyCap,
    deliveryChannels: tenant.deliveryChannels,
    dedupIncludesVariables: tenant.dedupIncludesVariables,
    webhookSecret: tenant.webhookSecret !== null,
    previousWebhookSecretUntil: future(tenant.previousWebhookSecretUntil),
    eventRetentionDays: tenant.eventRetentionDays,
    notificationRetentionDays: tenant.notificationRetentionDays,
    defaultLocale: tenant.defaultLocale,
    timezone: tenant.timezone,
    quietHours: quietHoursOf(tenant.quietFrom, tenant.quietTo),
    linkSchemes: tenant.linkSchemes,
    apiKeys: keys.map(({ tenantId: _, ...key }) => isoTimes(key)),
    createdAt: tenant.createdAt.toISOString(),
    updatedAt: tenant.updatedAt.toISOString(),
  };
}
