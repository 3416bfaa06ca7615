import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { ALERT_THRESHOLDS, type Alert, OWN_MAIL } from "@belfry/contracts/alerts";
import type { Database } from "@belfry/database/connection";
import type { Cleanup } from "@belfry/testing/cleanup";
import { sql } from "kysely";
import { chooseAllAlerts, chooseMailTenant } from "../src/alerts/alert-choices.ts";
import { sendAlerts } from "../src/alerts/tell-alerts.ts";
import { RANGES } from "../src/health/activity-sums.ts";
import { insertPerson, putMembership } from "../src/people/person-rows.ts";
import { createTenant } from "../src/tenants/tenants.ts";
import { actsIn, putActiveProvider } from "./acts.ts";
import { TEST_KEYS, tenantDatabase } from "./database.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const OWNER = "olive@acme.example.com";
export const OPERATOR = "op@example.com";

/** A tenant with an owner, the tenant that sends Belfry's own mail, and an operator who wants no alerts yet. */
export async function startAlerts(t: Cleanup) {
  const { db, tenantId } = await tenantDatabase(t);
  const { id: platformId } = await createTenant(db, { name: "Platform" });
  const person = async (email: string, operator: boolean) =>
    await insertPerson(db, { email, name: email, password: null, operator });
  await putMembership(db, { personId: await person(OWNER, false), tenantId, role: "owner" });
  await person(OPERATOR, true);
  const run = actsIn(db, tenantId);
  const sandbox = { channel: "EMAIL", kind: "sandbox", settings: {} } as const;
  const use = { keys: TEST_KEYS };
  const mailer = await putActiveProvider(db, { ...sandbox, tenantId: platformId }, use);
  const provider = await putActiveProvider(db, { ...sandbox, tenantId }, use);
  await run(chooseMailTenant, { tenant: platformId });
  await run(chooseAllAlerts, { person: OPERATOR, alerts: [] });
  const published: string[] = [];
  let now = new Date("2026-11-25T12:00:00Z");
  const services = {
    adminUrl: async () => "https://admin.example.com",
    publishEvent: async (id: string) => void published.push(id),
  };
  const ago = (ms: number) => new Date(now.getTime() - ms);
  return {
    ...{ db, tenantId, platformId, run, services, published, ago, mailer, provider },
    later: (ms: number) => {
      now = new Date(now.getTime() + ms);
    },
    /** Looks at all troubles, after the dispatcher and the senders have ended what was told before. */
    tell: async () => {
      await db.deleteFrom("undispatched_events").execute();
      return await sendAlerts(db, services, now);
    },
    look: async () => await sendAlerts(db, services, now),
    /** Returns recipients and titles of mails, in the order of acceptance. */
    mails: async () => {
      const rows = await db
        .selectFrom("events")
        .select(["tenant_id", "event_type", "recipient_email", "variables"])
        .where("recipient_email", "is not", null)
        .orderBy("id")
        .execute();
      for (const { tenant_id, event_type } of rows) {
        assert.deepEqual([tenant_id, event_type], [platformId, OWN_MAIL.alert]);
      }
      return rows.map(({ recipient_email: to, variables }) => {
        const { link, title, tenant } = JSON.parse(variables ?? "");
        assert.equal(tenant, "Acme");
        const at = link.replace(`https://admin.example.com/tenants/${tenantId}`, "");
        return { to, title, variables: variables ?? "", link: at };
      });
    },
  };
}

type Started = Awaited<ReturnType<typeof startAlerts>>;

/** For each kind: how the trouble begins, where its mail leads, and how it ends. */
export const TROUBLE: Record<
  Alert,
  { link: string; begin(s: Started): Promise<unknown>; end(s: Started): Promise<unknown> }
> = {
  "provider-paused": {
    link: "/providers",
    begin: ({ db, provider: { id }, ago }) =>
      db
        .insertInto("provider_circuits")
        .values({
          ...{ provider_id: id, class: "transient", reason: "timeout", failures: 1 },
          opened_at: ago(ALERT_THRESHOLDS.pausedMinutes * MINUTE_MS),
          open_until: ago(0),
        })
        .execute(),
    end: ({ db }) => db.deleteFrom("provider_circuits").execute(),
  },
  "failure-rate": {
    link: "",
    begin: ({ db, tenantId, ago }) => {
      const { failedOfMessages: of, failedPercent } = ALERT_THRESHOLDS;
      const failed = (of * failedPercent) / 100;
      return db
        .insertInto("activity_sums")
        .values({
          ...{
            tenant_id: tenantId,
            starts_at: ago(MINUTE_MS),
            bar_seconds: RANGES.hour.barSeconds,
          },
          ...{ grouped_by: "channel", name: "EMAIL", sent: of - failed, failed },
        })
        .execute();
    },
    end: ({ db }) => db.deleteFrom("activity_sums").execute(),
  },
  "dead-letters": {
    link: "/dead-letters",
    begin: ({ db, tenantId, ago }) =>
      sql`insert into deliveries (id, event_id, tenant_id, channel, status, settled_at)
        select gen_random_uuid(), gen_random_uuid(), ${tenantId}, 'EMAIL', 'failed', ${ago(MINUTE_MS)}::timestamptz
        from generate_series(1, ${ALERT_THRESHOLDS.deadLetters}::integer)`.execute(db),
    end: ({ db }) => db.updateTable("deliveries").set({ status: "discarded" }).execute(),
  },
  "cap-reached": {
    link: "/settings",
    begin: ({ db, tenantId, ago }) => setDay(db, tenantId, ago(0), 100_000),
    end: ({ db, tenantId, ago }) => setDay(db, tenantId, ago(0), 99_999),
  },
  "endpoint-disabled": {
    link: "/webhooks",
    begin: ({ db, tenantId, ago }) =>
      db
        .insertInto("webhooks")
        .values({
          ...{ id: randomUUID(), tenant_id: tenantId, url: "https://a.example.com", secret: "x" },
          ...{ active: false, disabled_at: ago(0), disabled_reason: "answered 410" },
        })
        .execute(),
    end: ({ db }) => db.deleteFrom("webhooks").execute(),
  },
};

const setDay = (db: Database, tenantId: string, day: Date, day_total: number) =>
  db
    .updateTable("tenant_limits")
    .set({ day: sql`${day}::date`, day_total })
    .where("tenant_id", "=", tenantId)
    .execute();
