import { type Channel, PROVIDER_CHANNELS, type ProviderChannel } from "@belfry/contracts/channels";
import type { KeptDays } from "@belfry/contracts/retention";
import { mostRestMs } from "@belfry/contracts/retention";
import type { DigestSettings, ThrottleSettings } from "@belfry/contracts/timing";
import type pg from "pg";

/** What the dispatcher has to know of a tenant. */
export interface RoutingTenant {
  id: string;
  active: boolean;
  /** Empty: all are allowed. */
  deliveryChannels: Channel[];
  /** Channels with an active provider. */
  providerChannels: ProviderChannel[];
  /** Of dates and numbers in templates that are no translations. */
  defaultLocale: string;
  /** IANA name; null: UTC. */
  timeZone: string | null;
  /** How long anything may wait by the settings of a template, by what the tenant keeps. */
  mostRestSeconds: number;
}

/** The current version of an active template in one language. */
export interface RoutingTemplate {
  ownerId: string;
  eventType: string;
  channel: Channel;
  /** Empty: the default one. */
  locale: string;
  versionId: string;
  targetChannel: string | null;
  sensitive: boolean;
  /** What was accepted by then is sensitive still; null: nothing is. */
  sensitiveUntil: Date | null;
  expiresAfterSeconds: number | null;
  /** Names of variables without which nothing is sent; null: none. */
  required: string[] | null;
  digest: DigestSettings | null;
  throttle: ThrottleSettings | null;
  afterUnreadSeconds: number | null;
  /** CompiledTemplate; null where a sender renders it. */
  compiled: unknown;
}

/** Tenants by id; those that do not exist are missing. */
export async function readRoutingTenants(
  pool: pg.Pool,
  ids: readonly string[],
  retention: KeptDays,
): Promise<RoutingTenant[]> {
  const { rows } = await pool.query({
    name: "read_routing_tenants",
    text: `select t.id, t.active, t.delivery_channels, t.default_locale, t.timezone,
                  t.event_retention_days, t.notification_retention_days,
                  array(select distinct p.channel from providers p
                        where p.tenant_id = t.id and p.active) as provider_channels
           from tenants t where t.id = any ($1::text[])`,
    values: [ids],
  });
  return rows.map((row) => ({
    id: row.id,
    active: row.active,
    deliveryChannels: row.delivery_channels,
    providerChannels: row.provider_channels,
    defaultLocale: row.default_locale,
    timeZone: row.timezone,
    mostRestSeconds:
      mostRestMs({
        eventDays: row.event_retention_days ?? retention.eventDays,
        notificationDays: row.notification_retention_days ?? retention.notificationDays,
      }) / 1000,
  }));
}

/** The active templates of (owner, event type) pairs, a row a language; the owner of `global.*` is the platform. */
export async function readRoutingTemplates(
  pool: pg.Pool,
  pairs: readonly { ownerId: string; eventType: string }[],
): Promise<RoutingTemplate[]> {
  const { rows } = await pool.query({
    name: "read_routing_templates",
    text: `select t.tenant_id, t.event_type, t.channel, l.locale, v.id, t.target_channel, t.sensitive,
                  t.sensitive_until, t.expires_after_seconds, t.required_variables,
                  t.digest, t.throttle, t.after_unread_seconds,
                  case when t.channel <> all ($3::text[]) then v.compiled end as compiled
           from unnest($1::text[], $2::text[]) as pair (owner_id, event_type)
           join templates t on t.tenant_id = pair.owner_id and t.event_type = pair.event_type
           join template_variants l on l.template_id = t.id
           join template_versions v on v.id = l.current_version_id
           where t.active`,
    values: [
      pairs.map((pair) => pair.ownerId),
      pairs.map((pair) => pair.eventType),
      PROVIDER_CHANNELS,
    ],
  });
  return rows.map((row) => ({
    ownerId: row.tenant_id,
    eventType: row.event_type,
    channel: row.channel,
    locale: row.locale,
    versionId: row.id,
    targetChannel: row.target_channel,
    sensitive: row.sensitive,
    sensitiveUntil: row.sensitive_until,
    expiresAfterSeconds: row.expires_after_seconds,
    required: row.required_variables,
    digest: row.digest,
    throttle: row.throttle,
    afterUnreadSeconds: row.after_unread_seconds,
    compiled: row.compiled,
  }));
}
