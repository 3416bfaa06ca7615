import { type Channel, PROVIDER_CHANNELS, type ProviderChannel } from "@belfry/contracts/channels";
import type { KeptDays } from "@belfry/contracts/retention";
import { mostRestMs } from "@belfry/contracts/retention";
import type { DigestSettings, ThrottleSettings } from "@belfry/contracts/timing";
import { readRows } from "@belfry/database/functions/call-function";
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
  type Row = Omit<RoutingTenant, "mostRestSeconds"> & {
    [key in keyof KeptDays]: number | null;
  };
  const rows = await readRows<Row>(pool, {
    name: "read_routing_tenants",
    text: `select t.id, t.active, t.delivery_channels, t.default_locale,
                  t.timezone as time_zone, t.event_retention_days as event_days,
                  t.notification_retention_days as notification_days,
                  array(select distinct p.channel from providers p
                        where p.tenant_id = t.id and p.active) as provider_channels
           from tenants t where t.id = any ($1::text[])`,
    values: [ids],
  });
  return rows.map(({ eventDays, notificationDays, ...tenant }) => ({
    ...tenant,
    mostRestSeconds:
      mostRestMs({
        eventDays: eventDays ?? retention.eventDays,
        notificationDays: notificationDays ?? retention.notificationDays,
      }) / 1000,
  }));
}

/** The active templates of (owner, event type) pairs, a row a language; the owner of `global.*` is the platform. */
export async function readRoutingTemplates(
  pool: pg.Pool,
  pairs: readonly { ownerId: string; eventType: string }[],
): Promise<RoutingTemplate[]> {
  return await readRows<RoutingTemplate>(pool, {
    name: "read_routing_templates",
    text: `select t.tenant_id as owner_id, t.event_type, t.channel, l.locale, v.id as version_id,
                  t.target_channel, t.sensitive, t.sensitive_until, t.expires_after_seconds,
                  t.required_variables as required, t.digest, t.throttle, t.after_unread_seconds,
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
}
