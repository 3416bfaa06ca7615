import { ALERT_THRESHOLDS, type Alert } from "@belfry/contracts/alerts";
import { PROVIDER_CHANNELS, WEBHOOK } from "@belfry/contracts/channels";
import { type RawBuilder, sql } from "kysely";
import { DISCARDABLE } from "../dead-letters/dead-letter-rows.ts";
import { RANGES } from "./activity-sums.ts";

/**
 * Troubles that last until somebody ends them. Only this file defines when a tenant has one. Alerts report them, and
 * the pages of a tenant show them.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** SQL condition on `webhooks`: Belfry disabled the endpoint, and nobody has changed that since. */
export const DISABLED_BY_BELFRY = sql<boolean>`
  (not active and disabled_at is not null and disabled_reason is not null)`;

/**
 * SQL that selects the tenant, the kind and the subject of each trouble. The subject is the id of the provider or
 * endpoint, or empty for the tenant itself.
 */
export function standingTrouble(now: Date): RawBuilder<unknown> {
  const { pausedMinutes, failedPercent, failedOfMessages, deadLetters } = ALERT_THRESHOLDS;
  const ago = (ms: number) => new Date(now.getTime() - ms);
  return sql`
    select p.tenant_id, ${kind("provider-paused")}, p.id::text
    from provider_circuits c join providers p on p.id = c.provider_id
    where p.active and c.opened_at <= ${ago(pausedMinutes * MINUTE_MS)}
    union all
    select tenant_id, ${kind("failure-rate")}, '' from activity_sums
    where bar_seconds = ${RANGES.hour.barSeconds} and starts_at > ${ago(HOUR_MS)}
      and grouped_by = 'channel' and name = any (${[...PROVIDER_CHANNELS]}::text[])
    group by tenant_id
    having sum(sent + failed) >= ${failedOfMessages}
      and sum(failed) * 100 >= sum(sent + failed) * ${failedPercent}
    union all
    select t.id, ${kind("dead-letters")}, '' from tenants t
    where ${deadLetters} <= (select count(*) from (
      select from deliveries d
      where d.tenant_id = t.id and d.settled_at > ${ago(DAY_MS)} and d.channel <> ${sql.lit(WEBHOOK)}
        and d.status in (${DISCARDABLE})
      limit ${deadLetters}) dead)
    union all
    select t.id, ${kind("cap-reached")}, '' from tenants t join tenant_limits l on l.tenant_id = t.id
    where l.day = (${now}::timestamptz at time zone 'UTC')::date and l.day_total >= t.daily_cap
    union all
    select tenant_id, ${kind("endpoint-disabled")}, id::text from webhooks
    where ${DISABLED_BY_BELFRY}`;
}

const kind = (one: Alert) => sql.lit<string>(one);
