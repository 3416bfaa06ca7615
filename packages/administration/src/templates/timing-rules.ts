import { PLATFORM } from "@belfry/contracts/identifiers";
import { mostRestMs } from "@belfry/contracts/retention";
import type { DigestSettings } from "@belfry/contracts/timing";
import type { Database } from "@belfry/database/connection";
import { keptDays } from "@belfry/database/kept-days";
import type { InputFault } from "../input-error.ts";
import { tenantById } from "../tenants/tenant-rows.ts";
import type { TemplateKey } from "./template-rows.ts";
import type { TemplateSettings } from "./template-settings.ts";
import { longestDigestSeconds } from "./template-timing.ts";
import type { TemplateWarning } from "./templates.ts";

/** What timing has to do with the tenant and with the other templates of the event type. */
export async function timingRuleFaults(db: Database, key: TemplateKey, wanted: TemplateSettings) {
  const faults = [
    await retentionFault(db, key.tenantId, wanted),
    await sensitiveFault(db, key, wanted),
  ];
  return faults.filter((fault) => fault !== undefined);
}

/** Ten comments of one post are one event where the automatic key does not know the variables. */
export async function digestWarnings(
  db: Database,
  tenantId: string,
  digest: DigestSettings | null | undefined,
): Promise<TemplateWarning[]> {
  if (digest == null || tenantId === PLATFORM) return [];
  const tenant = await tenantById(db, tenantId);
  if (tenant === undefined || tenant.dedupIncludesVariables) return [];
  const message =
    "events that differ in their variables alone are one event for 24 hours: let the tenant's automatic deduplication key include the variables, or send X-Idempotency-Key";
  return [{ field: "digest", line: 1, column: 1, message }];
}

async function retentionFault(
  db: Database,
  tenantId: string,
  { digest, afterUnreadSeconds }: TemplateSettings,
): Promise<InputFault | undefined> {
  if (tenantId === PLATFORM || (digest === null && afterUnreadSeconds === null)) return undefined;
  const most = mostRestMs(await keptDays(db, tenantId)) / 1000;
  const rule = `must let nothing wait longer than ${most} s: events are to be kept 8 days after that (1 day where they are kept 9 days or less)`;
  if (digest !== null && longestDigestSeconds(digest) > most)
    return { field: "digest", message: rule };
  if (afterUnreadSeconds !== null && afterUnreadSeconds > most) {
    return { field: "afterUnreadSeconds", message: rule };
  }
  return undefined;
}

async function sensitiveFault(
  db: Database,
  { tenantId, eventType, channel }: TemplateKey,
  { digest, sensitive }: TemplateSettings,
): Promise<InputFault | undefined> {
  if (digest === null && !sensitive) return undefined;
  const others = await db
    .selectFrom("templates")
    .select(["channel", "sensitive", "digest"])
    .where("tenant_id", "=", tenantId)
    .where("event_type", "=", eventType)
    .where("channel", "<>", channel)
    .execute();
  if (digest !== null) {
    const where = sensitive ? channel : others.find((other) => other.sensitive)?.channel;
    if (where === undefined) return undefined;
    const message = `does not go with a sensitive template of the event type (${where}): a digest shows the variables of many events`;
    return { field: "digest", message };
  }
  const gathers = others.find((other) => other.digest !== null);
  if (gathers === undefined) return undefined;
  const message = `does not go with a digest of the event type (${gathers.channel}), which shows the variables of many events`;
  return { field: "sensitive", message };
}
