import { CHANNELS, PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import { oneOf, orNull, time } from "@belfry/contracts/fields";
import {
  DEFAULT_ATTACHMENT_MIB,
  DEFAULT_DAILY_CAP,
  DEFAULT_PER_MINUTE,
} from "@belfry/contracts/identifiers";
import { KEY_ROLES } from "@belfry/contracts/key-roles";
import { canonicalLocale } from "@belfry/contracts/locale";
import { canonicalLinkSchemes } from "@belfry/contracts/message-links";
import { quietHoursOf, quietHoursOrNone, timeZoneName } from "@belfry/contracts/quiet-hours";
import { mostRestMs } from "@belfry/contracts/retention";
import { keptDays } from "@belfry/database/configuration-version";
import type { Database } from "@belfry/database/connection";
import { encryptSecret, type SecretKeys, webhookSecretOwner } from "@belfry/database/secrets";
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { changeConfiguration } from "../change-configuration.ts";
import { invalid, refuseFaults } from "../input-error.ts";
import { isoTimes } from "../pages.ts";
import { longestDigestSeconds } from "../templates/template-timing.ts";
import { type ApiKeyRow, insertApiKey, liveApiKeys, newApiKey, newTenantId } from "./api-key.ts";
import { requireTimeZone, type TenantInput } from "./tenant-input.ts";
import {
  insertTenant,
  isBeingDeleted,
  type TenantRow,
  type TenantSettings,
  tenantById,
  tenantNotFound,
  updateTenantRow,
} from "./tenant-rows.ts";

const API_KEY_ID = "0198f3a1-7c2e-7b1d-9a54-2f3d4c5b6a79";

export const ApiKey = Type.Object(
  {
    id: Type.String(),
    prefix: Type.String({ description: "Its first characters, for people to tell keys apart" }),
    name: orNull(Type.String()),
    role: oneOf(KEY_ROLES, { description: "The calls for which it is taken" }),
    createdAt: time("When it was created"),
    expiresAt: orNull(time("When it ends; null: once it is rotated or revoked")),
    lastUsedAt: orNull(time("When it was last used")),
  },
  { title: "ApiKey" },
);
type ApiKeyView = Static<typeof ApiKey>;

/** A tenant in outputs, without secrets. */
export const Tenant = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    active: Type.Boolean(),
    perMinute: Type.Integer(),
    dailyCap: orNull(Type.Integer({ description: "null: no cap" })),
    deliveryChannels: Type.Array(oneOf(CHANNELS), { description: "Empty: all channels" }),
    dedupIncludesVariables: Type.Boolean(),
    allowExecutables: Type.Boolean({ description: "Whether attachments may be programs" }),
    browserDevices: Type.Boolean({
      description: "Whether pages may register their browser with a realtime token",
    }),
    maxAttachmentMib: Type.Integer({
      description: "MiB that all attachments of its events may take together",
    }),
    webhookSecret: Type.Boolean({ description: "Whether every trigger must be signed" }),
    previousWebhookSecretUntil: orNull(
      time("Until when the webhook secret before it is taken too; null: it is not"),
    ),
    eventRetentionDays: orNull(
      Type.Integer({
        description: "Days to keep events and their deliveries; null: as the installation",
      }),
    ),
    notificationRetentionDays: orNull(
      Type.Integer({ description: "Days to keep the in-app history; null: as the installation" }),
    ),
    defaultLocale: Type.String({
      description: "How the default variants of its templates write dates, numbers and money",
    }),
    timezone: orNull(Type.String({ description: "IANA name; null: UTC" })),
    quietHours: quietHoursOrNone("Of users without their own; null: none"),
    linkSchemes: Type.Array(Type.String(), {
      description:
        "Schemes of deep links that its mails may contain, in lower case and without the colon",
    }),
    apiKeys: Type.Array(ApiKey, { description: "The live ones, newest first" }),
    createdAt: time("When it was created"),
    updatedAt: time("When its settings last changed"),
  },
  { title: "Tenant" },
);
export type Tenant = Static<typeof Tenant>;

/** Settings of a new tenant. The audit log records all of them, so none may be a secret. */
export const NEW_TENANT = {
  perMinute: DEFAULT_PER_MINUTE,
  dailyCap: DEFAULT_DAILY_CAP,
  deliveryChannels: [],
  dedupIncludesVariables: false,
  allowExecutables: false,
  browserDevices: false,
  maxAttachmentMib: DEFAULT_ATTACHMENT_MIB,
  eventRetentionDays: null,
  notificationRetentionDays: null,
  defaultLocale: "en",
  timezone: null,
  linkSchemes: [],
} satisfies Partial<Tenant>;

/** Used in the examples of acts. */
export const EXAMPLE_KEY: ApiKeyView = {
  id: API_KEY_ID,
  prefix: "bf_3kQ9zT",
  name: "shop",
  role: "all",
  createdAt: "2026-11-20T09:00:00.000Z",
  expiresAt: null,
  lastUsedAt: null,
};
export const EXAMPLE_TENANT: Tenant = {
  ...NEW_TENANT,
  id: "k3v9q0x2m7ab",
  name: "Acme",
  active: true,
  webhookSecret: false,
  previousWebhookSecretUntil: null,
  quietHours: null,
  apiKeys: [EXAMPLE_KEY],
  createdAt: "2026-11-20T09:00:00.000Z",
  updatedAt: "2026-11-20T09:00:00.000Z",
};

/**
 * Creates an active tenant with one API key. Default limits: 600 events a minute and 100,000 a day. `keys` are needed
 * for a webhook secret; `keyName` is what people call the key. The settings must have passed the checks of
 * `tenant-input.ts`.
 */
export async function createTenant(
  db: Database,
  input: TenantInput & { name: string; keyName?: string | undefined },
  keys?: SecretKeys,
): Promise<{ apiKey: string } & Tenant> {
  const id = newTenantId();
  const { apiKey, ...stored } = newApiKey();
  const settings: TenantSettings = {
    ...NEW_TENANT,
    webhookSecret: null,
    quietFrom: null,
    quietTo: null,
    ...(await settingsOf(db, id, input, keys)),
    name: input.name,
  };
  await changeConfiguration(db, async (transaction) => {
    await insertTenant(transaction, id, settings);
    await insertApiKey(transaction, id, { ...stored, name: input.keyName || null, role: "all" });
  });
  return { apiKey, ...(await showTenant(db, id)) };
}

/** Returns a tenant with its valid keys. Throws `NotFound`. */
export async function showTenant(db: Database, id: string): Promise<Tenant> {
  const tenant = await tenantById(db, id);
  if (tenant === undefined) throw tenantNotFound(id);
  return tenantView(tenant, await liveApiKeys(db, [id]));
}

/**
 * Changes the given settings. A new webhook secret replaces the previous one at once; null removes it. Throws
 * `NotFound`, and `InvalidInput` if events that wait would be deleted too early.
 */
export async function updateTenant(
  db: Database,
  id: string,
  input: TenantInput,
  keys?: SecretKeys,
): Promise<Tenant> {
  const settings = await settingsOf(db, id, input, keys);
  await changeTenant(db, id, settings);
  return await showTenant(db, id);
}

/**
 * Activates or deactivates a tenant. The calls of an inactive tenant are answered 401, and its waiting messages end as
 * `skipped: tenant inactive`, also if it is activated again. Throws `NotFound`, and `InvalidInput` if a tenant that is
 * being deleted would become active.
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
    // One check covers both settings; `field` only names the one in the fault.
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
  const { deliveryChannels, webhookSecret, quietHours, linkSchemes } = input;
  const defaultLocale = canonicalLocale(input.defaultLocale ?? "");
  const timezone = input.timezone == null ? input.timezone : timeZoneName(input.timezone);
  if (timezone != null) await requireTimeZone(db, timezone);
  const { from: quietFrom, to: quietTo } = quietHours ?? { from: quietHours, to: quietHours };
  const settings = {
    name: input.name,
    perMinute: input.perMinute,
    dailyCap: input.dailyCap,
    deliveryChannels:
      deliveryChannels && CHANNELS.filter((channel) => deliveryChannels.includes(channel)),
    dedupIncludesVariables: input.dedupIncludesVariables,
    allowExecutables: input.allowExecutables,
    browserDevices: input.browserDevices,
    maxAttachmentMib: input.maxAttachmentMib,
    webhookSecret: webhookSecret && (await encryptedWebhookSecret(id, webhookSecret, keys)),
    eventRetentionDays: input.eventRetentionDays,
    notificationRetentionDays: input.notificationRetentionDays,
    defaultLocale,
    timezone,
    quietFrom,
    quietTo,
    linkSchemes: linkSchemes && canonicalLinkSchemes(linkSchemes),
  };
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<TenantSettings>;
}

async function encryptedWebhookSecret(id: string, secret: string, keys: SecretKeys | undefined) {
  if (keys === undefined) throw new Error("a webhook secret needs the keys for secrets at rest");
  return await encryptSecret(keys, webhookSecretOwner(id), secret);
}

function future(time: Date | null | undefined): string | null {
  return time != null && time.getTime() > Date.now() ? time.toISOString() : null;
}

export function tenantView(tenant: TenantRow, keys: readonly ApiKeyRow[]): Tenant {
  const { webhookSecret, previousWebhookSecretUntil, quietFrom, quietTo, ...row } = tenant;
  const { createdAt, updatedAt, ...settings } = row;
  return {
    ...settings,
    webhookSecret: webhookSecret !== null,
    previousWebhookSecretUntil: future(previousWebhookSecretUntil),
    quietHours: quietHoursOf(quietFrom, quietTo),
    apiKeys: keys.map(({ tenantId: _, ...key }) => isoTimes(key)),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

type RetentionField = "eventRetentionDays" | "notificationRetentionDays";

/**
 * Refuses retention days after which something would be deleted before it is sent, or soon after: scheduled events,
 * digests, and messages that templates hold back. Call it in the transaction that changes the days. Throws
 * `InvalidInput`.
 */
async function requireRoomForWhatRests(db: Database, tenantId: string, field: RetentionField) {
  const most = mostRestMs(await keptDays(db, tenantId));
  const { rows } = await sql<{ count: number; last: Date }>`
    select count(*)::integer as count, max(s.send_at) as last from scheduled_events s
    cross join lateral (
      select e.accepted_at from events e where e.id = s.event_id and e.tenant_id = s.tenant_id limit 1
    ) e
    where s.tenant_id = ${tenantId}
      and s.send_at > e.accepted_at + make_interval(secs => ${most / 1000})`.execute(db);
  const { count, last } = rows[0]!;
  if (count > 0) {
    const events = count === 1 ? "an event is" : `${count} events are`;
    const message = `is too short: ${events} scheduled beyond it, the last for ${last.toISOString()}`;
    refuseFaults([{ field, message }]);
  }
  const waits = await waitBeyond(db, tenantId, most);
  if (waits.count > 0) {
    const messages = waits.count === 1 ? "a message waits" : `${waits.count} messages wait`;
    const message = `is too short: ${messages} beyond it, the last until ${waits.last.toISOString()}`;
    refuseFaults([{ field, message }]);
  }
  const templates = await db
    .selectFrom("templates")
    .select(["event_type", "channel", "digest", "after_unread_seconds"])
    .where("tenant_id", "=", tenantId)
    .where((where) =>
      where.or([where("digest", "is not", null), where("after_unread_seconds", "is not", null)]),
    )
    .execute();
  const beyond = templates.find(
    ({ digest, after_unread_seconds }) =>
      Math.max(digest === null ? 0 : longestDigestSeconds(digest), after_unread_seconds ?? 0) *
        1000 >
      most,
  );
  if (beyond === undefined) return;
  const message = `is too short: events may wait longer for the ${beyond.channel} template of ${JSON.stringify(beyond.event_type)}`;
  refuseFaults([{ field, message }]);
}

/**
 * Counts open digests, and messages that are sent unless their inbox item is read, that wait longer than `mostMs`. They
 * may wait longer than the present settings of their templates.
 */
async function waitBeyond(db: Database, tenantId: string, mostMs: number) {
  const { rows } = await sql<{ count: number; last: Date }>`
    select count(*)::integer as count, max(d.due_at) as last
    from unnest(${PROVIDER_CHANNELS}::text[]) c (channel)
    cross join lateral (
      select d.event_id, d.created_at, d.due_at, d.unless_read from deliveries d
      where d.channel = c.channel and d.tenant_id = ${tenantId} and d.released_at is null
        and d.status in ('queued', 'waiting') and d.broadcast_id is null and d.due_at > clock_timestamp()
      union all
      select d.event_id, d.created_at, d.due_at, d.unless_read from deliveries d
      where d.channel = c.channel and d.tenant_id = ${tenantId} and d.released_at is null
        and d.status in ('queued', 'waiting') and d.broadcast_id is not null and d.due_at > clock_timestamp()
    ) d
    where d.due_at > d.created_at + make_interval(secs => ${mostMs / 1000})
      and (d.unless_read or exists (select from digests g where g.id = d.event_id))`.execute(db);
  return rows[0]!;
}
