import {
  CHANNEL_ROWS,
  CHANNELS,
  type Channel,
  channelsOfMask,
  IN_APP,
  PROVIDER_CHANNELS,
  type ProviderChannel,
  TO_CHAT,
  TO_DEVICES,
} from "@belfry/contracts/channels";
import type { DigestSettings, ThrottleSettings } from "@belfry/contracts/delivery";
import { isGlobalEventType, PLATFORM } from "@belfry/contracts/identifiers";
import {
  DEFAULT_EVENT_RETENTION_DAYS,
  DEFAULT_NOTIFICATION_RETENTION_DAYS,
  type KeptDays,
  mostRestMs,
} from "@belfry/contracts/retention";
import { type Pool, readRows } from "@belfry/database/connection";
import type { StoredEvent } from "@belfry/database/functions/dispatch-events";
import { createVersionedCache } from "@belfry/service/versioned-cache";
import { createRenderer, type Renderer, rendererBytes } from "@belfry/templates/render";
import type { CompiledTemplate } from "@belfry/templates/source";
import type pg from "pg";

/** The settings of a template, which apply to all its languages. */
interface TemplateSettings {
  targetChannel: string | null;
  sensitive: boolean;
  /** Events that were accepted up to this time are sensitive; null if there are none. */
  sensitiveUntil: Date | null;
  expiresAfterSeconds: number | null;
  /** Names of required variables: if one is missing, nothing is sent. Null if there are none. */
  required: readonly string[] | null;
  digest: DigestSettings | null;
  throttle: ThrottleSettings | null;
  afterUnreadSeconds: number | null;
  /** A text or a setting reads the attributes of the user, or has read them. */
  readsUser: boolean;
}

/** An active template of a channel, ready for use. */
export interface ActiveTemplate extends TemplateSettings {
  /** The languages of the template by locale; the key "" is the default. */
  variants: ReadonlyMap<string, ActiveVariant>;
}

export interface ActiveVariant {
  /** "" for the default variant. */
  locale: string;
  versionId: string;
  /** Set for the in-app channel, which the dispatcher renders itself; undefined for channels that a sender renders. */
  render: Renderer | undefined;
  /** Estimated memory of the renderer; 0 without one. */
  bytes: number;
}
export type ActiveTemplates = ReadonlyMap<Channel, ActiveTemplate>;

/** The configuration in memory that is needed to route a batch of events. */
export interface Routing {
  /** Returns the tenant's settings, or undefined if the tenant does not exist any more. */
  tenant(tenantId: string): RoutingTenant | undefined;
  templates(tenantId: string, eventType: string): ActiveTemplates;
}

export interface RoutingCache {
  /** Reads configuration that is not in memory, with at most one query for tenants and one for templates. */
  routingFor(events: readonly { tenantId: string; eventType: string }[]): Promise<Routing>;
  /** Empties the cache. Called when the configuration has changed. */
  clear(): void;
}

const MAX_TENANTS = 10_000;
const MAX_TEMPLATES = 20_000;
/** Enough for a hundred thousand templates of usual size, or for ten of the largest possible ones. */
const MAX_TEMPLATE_BYTES = 64 * 1024 * 1024;
const DEFAULT_RETENTION: KeptDays = {
  eventDays: DEFAULT_EVENT_RETENTION_DAYS,
  notificationDays: DEFAULT_NOTIFICATION_RETENTION_DAYS,
};
const NONE: ActiveTemplates = new Map();

/** Returns a cache of tenants and templates until `clear`. It also remembers which of them do not exist. */
export function createRoutingCache(
  pool: Pool,
  retention: KeptDays = DEFAULT_RETENTION,
  maxTemplateBytes = MAX_TEMPLATE_BYTES,
): RoutingCache {
  const readTemplates = async (keys: readonly string[]) => {
    const pairs = keys.map((key) => {
      const [ownerId = "", eventType = ""] = key.split("\0");
      return { ownerId, eventType };
    });
    const rows = await readRoutingTemplates(pool, pairs);
    const found = new Map<string, ActiveTemplates>();
    for (const [key, ofType] of Map.groupBy(rows, keyOf)) {
      const byChannel = Map.groupBy(ofType, ({ channel }) => channel);
      found.set(key, new Map([...byChannel].map(([channel, some]) => [channel, toActive(some)])));
    }
    return found;
  };
  const readTenants = async (ids: readonly string[]) =>
    new Map((await readRoutingTenants(pool, ids, retention)).map((tenant) => [tenant.id, tenant]));
  const tenants = createVersionedCache<RoutingTenant>({ max: MAX_TENANTS, read: readTenants });
  const templates = createVersionedCache<ActiveTemplates>({
    max: MAX_TEMPLATES,
    weight: { maxBytes: maxTemplateBytes, bytesOf },
    read: readTemplates,
  });

  return {
    async routingFor(events) {
      const tenantIds = new Set(events.map((event) => event.tenantId));
      const keys = new Set(events.map((event) => templatesKey(event.tenantId, event.eventType)));
      const [tenantsHere, templatesHere] = await Promise.all([
        tenants.getAll(tenantIds),
        templates.getAll(keys),
      ]);
      return {
        tenant: (tenantId) => tenantsHere.get(tenantId),
        templates: (tenantId, eventType) =>
          templatesHere.get(templatesKey(tenantId, eventType)) ?? NONE,
      };
    },
    clear() {
      tenants.clear();
      templates.clear();
    },
  };
}

/** Returns the cache key. Built-in event types use the platform's templates only, all others the tenant's only. */
function templatesKey(tenantId: string, eventType: string): string {
  return `${isGlobalEventType(eventType) ? PLATFORM : tenantId}\0${eventType}`;
}

const keyOf = ({ ownerId, eventType }: RoutingTemplate) => `${ownerId}\0${eventType}`;

function bytesOf(templates: ActiveTemplates): number {
  const variants = [...templates.values()].flatMap((template) => [...template.variants.values()]);
  return variants.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Builds a template from its rows, one for each language. */
function toActive(rows: readonly RoutingTemplate[]): ActiveTemplate {
  const variants = new Map(rows.map((row) => [row.locale, toVariant(row)]));
  const { targetChannel, sensitive, sensitiveUntil, expiresAfterSeconds, required } = rows[0]!;
  const { digest, throttle, afterUnreadSeconds, readsUser } = rows[0]!;
  return {
    targetChannel,
    sensitive,
    sensitiveUntil,
    expiresAfterSeconds,
    required,
    digest,
    throttle,
    afterUnreadSeconds,
    readsUser,
    variants,
  };
}

function toVariant({ channel, locale, versionId, ...row }: RoutingTemplate): ActiveVariant {
  const sent = CHANNEL_ROWS[channel].sender !== null;
  if (sent) return { locale, versionId, render: undefined, bytes: 0 };
  const compiled = row.compiled as CompiledTemplate;
  return { locale, versionId, render: createRenderer(compiled), bytes: rendererBytes(compiled) };
}

/** A tenant's settings for the dispatcher. */
export interface RoutingTenant {
  id: string;
  active: boolean;
  /** Allowed channels; empty if all are allowed. */
  deliveryChannels: Channel[];
  /** Channels with an active provider. */
  providerChannels: ProviderChannel[];
  /** Channel and kind of each active provider, such as `EMAIL smtp`. */
  providerKinds: string[];
  /** A user has, or had, a device. */
  usesDevices: boolean;
  /** Locale for dates and numbers in templates that are no translations. */
  defaultLocale: string;
  /** IANA name; null means UTC. */
  timeZone: string | null;
  /** The longest wait that a template's settings may cause, in seconds; follows from the tenant's retention. */
  mostRestSeconds: number;
}

/** The current version of an active template in one language. */
interface RoutingTemplate extends TemplateSettings {
  ownerId: string;
  eventType: string;
  channel: Channel;
  /** "" for the default variant. */
  locale: string;
  versionId: string;
  /** A CompiledTemplate; null if a sender renders the channel. */
  compiled: unknown;
}

/** Reads tenants by id. The result lacks tenants that do not exist. */
async function readRoutingTenants(
  pool: pg.Pool,
  ids: readonly string[],
  retention: KeptDays,
): Promise<RoutingTenant[]> {
  type Row = Omit<RoutingTenant, "mostRestSeconds" | "providerChannels"> & {
    [key in keyof KeptDays]: number | null;
  };
  const rows = await readRows<Row>(pool, {
    name: "read_routing_tenants",
    text: `select t.id, t.active, t.delivery_channels, t.default_locale, t.uses_devices,
                  t.timezone as time_zone, t.event_retention_days as event_days,
                  t.notification_retention_days as notification_days,
                  array(select distinct p.channel || ' ' || p.kind from providers p
                        where p.tenant_id = t.id and p.active) as provider_kinds
           from tenants t where t.id = any ($1::text[])`,
    values: [ids],
  });
  return rows.map(({ eventDays, notificationDays, ...tenant }) => ({
    ...tenant,
    providerChannels: PROVIDER_CHANNELS.filter((channel) =>
      tenant.providerKinds.some((kind) => kind.startsWith(`${channel} `)),
    ),
    mostRestSeconds:
      mostRestMs({
        eventDays: eventDays ?? retention.eventDays,
        notificationDays: notificationDays ?? retention.notificationDays,
      }) / 1000,
  }));
}

/** Reads the active templates of (owner, event type) pairs, one row per language. The platform owns `global.*`. */
async function readRoutingTemplates(
  pool: pg.Pool,
  pairs: readonly { ownerId: string; eventType: string }[],
): Promise<RoutingTemplate[]> {
  return await readRows<RoutingTemplate>(pool, {
    name: "read_routing_templates",
    text: `select t.tenant_id as owner_id, t.event_type, t.channel, l.locale, v.id as version_id,
                  t.target_channel, t.sensitive, t.sensitive_until, t.expires_after_seconds,
                  t.required_variables as required, t.digest, t.throttle, t.after_unread_seconds, t.reads_user,
                  case when t.channel = $4 then v.compiled end as compiled
           from unnest($1::text[], $2::text[]) as pair (owner_id, event_type)
           join templates t on t.tenant_id = pair.owner_id and t.event_type = pair.event_type
           join template_variants l on l.template_id = t.id
           join template_versions v on v.id = l.current_version_id
           -- A later version may have stored templates of channels that this one does not know.
           where t.active and t.channel = any ($3::text[])`,
    values: [
      pairs.map((pair) => pair.ownerId),
      pairs.map((pair) => pair.eventType),
      CHANNELS,
      IN_APP,
    ],
  });
}

/** Whether dispatching an event reads anything of its user. */
export function readsUser(event: StoredEvent, routing: Routing): boolean {
  return (
    event.mayHavePreferences ||
    mayUse(TO_DEVICES, event, routing) ||
    mayUse(TO_CHAT, event, routing)
  );
}

/** Whether an event may be sent on the channel, as far as the configuration in memory says. */
export function mayUse(channel: ProviderChannel, event: StoredEvent, routing: Routing): boolean {
  const { tenantId, eventType, channels } = event;
  const tenant = routing.tenant(tenantId);
  if (channel === TO_DEVICES && !(tenant?.usesDevices && tenant.providerChannels.includes(channel)))
    return false;
  return (
    routing.templates(tenantId, eventType).has(channel) &&
    (channelsOfMask(channels)?.includes(channel) ?? true)
  );
}
