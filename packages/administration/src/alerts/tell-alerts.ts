import {
  ALERT_EVERY_MINUTES,
  ALERTS,
  type Alert,
  alertWords,
  defaultAlerts,
  OWN_MAIL,
} from "@belfry/contracts/alerts";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import type { ActServices } from "../act.ts";
import { standingTrouble } from "../health/standing-trouble.ts";
import { acceptOwnMail, mailLanguages, mailTenant } from "./own-mail.ts";

const MINUTE_MS = 60_000;
/** Maximum number of mails per call. The next call sends the others. */
const MAILS_PER_LOOK = 200;
/** The key of the advisory lock that one replica at a time holds. */
const LOCK = 0x62656c67;

/**
 * Looks for troubles of tenants, and sends alert mails to the owners and operators who chose to get them. A person gets
 * one mail when a trouble begins and one when it ends. For each tenant and kind of trouble, mails about the beginning
 * are limited to one per hour. Only one replica runs this at a time. Does nothing if no tenant can send Belfry's own
 * mail. Returns the number of mails that were accepted.
 */
export async function sendAlertMails(
  db: Database,
  services: Pick<ActServices, "adminUrl" | "publishEvent">,
  now = new Date(),
): Promise<number> {
  const adminUrl = await services.adminUrl();
  const accepted = await db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(${LOCK}) as locked`.execute(transaction);
    if (rows[0]?.locked !== true || (await mailTenant(transaction)).fault !== null) return [];
    await noteTrouble(transaction, now);
    const due = await dueMails(transaction, now);
    const languages = await mailLanguages(transaction, OWN_MAIL.alert);
    const ids = await acceptOwnMail(
      transaction,
      due.map((one) => mailOf(one, languages, adminUrl)),
    );
    const sent = due.filter((_, index) => ids[index] !== null);
    await noteSent(transaction, sent, now);
    if (due.length < MAILS_PER_LOOK) await endUnwanted(transaction, due, now);
    return ids.filter((id) => id !== null);
  });
  for (const id of accepted) await services.publishEvent(id, id).catch(() => undefined);
  return accepted.length;
}

/** Updates the table `alerts`: inserts new troubles with the current time, and deletes those that have ended. */
async function noteTrouble(db: Database, now: Date): Promise<void> {
  await sql`
    with trouble as materialized (
      select f.* from (${standingTrouble(now)}) f (tenant_id, kind, subject)
      join tenants t on t.id = f.tenant_id where t.active
    ),
    ended as (
      delete from alerts a where not exists (
        select from trouble x
        where x.tenant_id = a.tenant_id and x.kind = a.kind and x.subject = a.subject)
    )
    insert into alerts (tenant_id, kind, subject, began_at)
    select tenant_id, kind, subject, ${now} from trouble
    on conflict do nothing`.execute(db);
}

interface DueMail {
  personId: string;
  email: string;
  language: string | null;
  tenantId: string;
  tenantName: string;
  kind: Alert;
  hasEnded: boolean;
}

/** SQL condition on a row `s` of `alert_mails`: the trouble has ended, and no mail about the end is recorded. */
const IS_OVER = sql<boolean>`
  (s.ended_at is null
   and not exists (select from alerts a where a.tenant_id = s.tenant_id and a.kind = s.kind))`;

/** Finds the mails to send. An operator's choice for all tenants replaces the person's other roles. */
async function dueMails(db: Database, now: Date): Promise<DueMail[]> {
  const lately = new Date(now.getTime() - ALERT_EVERY_MINUTES * MINUTE_MS);
  const { rows } = await sql<DueMail>`
    with trouble as (
      select tenant_id, kind, max(began_at) as began_at from alerts group by tenant_id, kind
      union all
      select distinct s.tenant_id, s.kind, null::timestamptz from alert_mails s where ${IS_OVER}
    ),
    wanted as (
      select x.*, m.person_id
      from trouble x join memberships m on m.tenant_id = x.tenant_id and m.role = 'owner'
      left join alert_choices c on c.person_id = m.person_id and c.tenant_id = x.tenant_id
      where x.kind = any (coalesce(c.kinds, ${defaultAlerts("owner")}::text[]))
        and not exists (select from people p where p.id = m.person_id and p.operator)
      union all
      select x.*, p.id
      from trouble x cross join people p
      left join alert_choices c on c.person_id = p.id and c.tenant_id is null
      where p.operator and x.kind = any (coalesce(c.kinds, ${defaultAlerts("operator")}::text[]))
    )
    select p.id as "personId", p.email, p.language, t.id as "tenantId", t.name as "tenantName", w.kind,
           w.began_at is null as "hasEnded"
    from wanted w join people p on p.id = w.person_id join tenants t on t.id = w.tenant_id
    left join alert_mails s on s.person_id = w.person_id and s.tenant_id = w.tenant_id and s.kind = w.kind
    where case
      when w.began_at is null then s.sent_at is not null and s.ended_at is null and t.active
      else s.sent_at is null or (s.sent_at < w.began_at and s.sent_at <= ${lately}) end
    order by w.began_at, t.id, p.id limit ${MAILS_PER_LOOK}`.execute(db);
  return rows;
}

/**
 * Builds the mail. It is in the person's language only if the template is, too, so that all of it is in one language.
 */
function mailOf(due: DueMail, languages: ReadonlySet<string>, adminUrl: string) {
  const { email, tenantId, tenantName, kind, hasEnded } = due;
  const language = due.language !== null && languages.has(due.language) ? due.language : null;
  const words = alertWords(kind, language);
  const { title, message } = hasEnded ? words.ended : words;
  const link = `${adminUrl}/tenants/${tenantId}${ALERTS[kind].page}`;
  const variables = { tenant: tenantName, title, message, link, choices: `${adminUrl}/account` };
  return { eventType: OWN_MAIL.alert, email, language, variables };
}

async function noteSent(db: Database, sent: readonly DueMail[], now: Date): Promise<void> {
  if (sent.length === 0) return;
  const rows = sent.map(({ personId, tenantId, kind, hasEnded }) => ({
    person_id: personId,
    tenant_id: tenantId,
    kind,
    sent_at: now,
    ended_at: hasEnded ? now : null,
  }));
  await db
    .insertInto("alert_mails")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["person_id", "tenant_id", "kind"]).doUpdateSet((excluded) => ({
        // The hour is counted from the mail about the start of the trouble, not from the mail about the end.
        sent_at: sql<Date>`case when excluded.ended_at is null then excluded.sent_at else alert_mails.sent_at end`,
        ended_at: excluded.ref("excluded.ended_at"),
      })),
    )
    .execute();
}

/**
 * Sets `ended_at` on ended troubles for which no end mail is due. Otherwise a mail about the end could be sent later.
 */
async function endUnwanted(db: Database, due: readonly DueMail[], now: Date): Promise<void> {
  const keys = due.map(({ personId, tenantId, kind }) => `${personId} ${tenantId} ${kind}`);
  await sql`
    update alert_mails s set ended_at = ${now}
    where ${IS_OVER} and (s.person_id || ' ' || s.tenant_id || ' ' || s.kind) <> all (${keys}::text[])`.execute(
    db,
  );
}
