import {
  ALERT_EVERY_MINUTES,
  ALERT_IN_CHAT,
  ALERTS,
  type Alert,
  alertWords,
  defaultAlerts,
  OWN_MAIL,
} from "@belfry/contracts/alerts";
import { MAIL, TO_CHAT } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import type { ActServices } from "../act.ts";
import { standingTrouble } from "../health/standing-trouble.ts";
import { acceptOwnMessages, mailTenant, templateLanguages } from "./own-mail.ts";

const MINUTE_MS = 60_000;
/** Maximum number of mails, and of chat messages, per call. The next call sends the others. */
const MOST_PER_LOOK = 200;
/** The key of the advisory lock that one replica at a time holds. */
const LOCK = 0x62656c67;

/**
 * The ways in which a person is told. `told` is the table of what was told to whom, and `keyName` its column of the
 * reader: a mail is for a person, and a chat message for all people who chose the same address. `isOwners` says of a
 * row of `told` that an owner's tenant sent it.
 */
const WAYS = {
  mail: {
    channel: MAIL,
    eventType: OWN_MAIL.alert,
    told: sql.table("alert_mails"),
    keyName: "person_id",
    reader: sql`w.person_id`,
    to: sql`p.email`,
    sender: sql`w.operators_sender`,
    isOwners: sql`false`,
  },
  chat: {
    channel: TO_CHAT,
    eventType: ALERT_IN_CHAT,
    told: sql.table("alert_chats"),
    keyName: "reader",
    reader: sql`w.sender || ' ' || w.chat`,
    to: sql`w.chat`,
    sender: sql`w.sender`,
    isOwners: sql`s.sender_id = s.tenant_id`,
  },
} as const;
type Way = (typeof WAYS)[keyof typeof WAYS];

/**
 * Looks for troubles of tenants, and tells the owners and operators who chose to be told, by mail and in chats. Each
 * reader gets one message when a trouble begins and one when it ends. For each tenant and kind of trouble, messages
 * about the beginning are limited to one per hour. Only one replica runs this at a time. Sends no mail if no tenant can
 * send Belfry's own mail. Returns the number of messages that were accepted.
 */
export async function sendAlerts(
  db: Database,
  services: Pick<ActServices, "adminUrl" | "publishEvent">,
  now = new Date(),
): Promise<number> {
  const adminUrl = await services.adminUrl();
  const accepted = await db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ locked: boolean; hasChats: boolean }>`
      select pg_try_advisory_xact_lock(${LOCK}) as locked,
        exists (select from alert_choices where chat is not null)
          or exists (select from alert_chats where ended_at is null) as "hasChats"`.execute(
      transaction,
    );
    const [{ locked, hasChats } = { locked: false, hasChats: false }] = rows;
    const sender = await mailTenant(transaction);
    const ways = [...(sender.fault === null ? [WAYS.mail] : []), ...(hasChats ? [WAYS.chat] : [])];
    if (!locked || ways.length === 0) return [];
    await noteTrouble(transaction, now);
    // Only operators may read alerts about all tenants. A chat needs no provider for email.
    const tellsOperators = sender.fault === null || sender.cause === "no-provider";
    const telling = { now, adminUrl, sender: tellsOperators ? sender.tenantId : null };
    const ids: string[] = [];
    for (const way of ways) ids.push(...(await tell(transaction, way, telling)));
    return ids;
  });
  for (const id of accepted) await services.publishEvent(id, id).catch(() => undefined);
  return accepted.length;
}

interface Telling {
  now: Date;
  adminUrl: string;
  /** The tenant that sends Belfry's own mail, and the chat messages to operators. */
  sender: string | null;
}

/** Accepts the messages that are due in this way, and notes them. Returns the ids of their events. */
async function tell(db: Database, way: Way, telling: Telling): Promise<string[]> {
  const { now, adminUrl } = telling;
  const due = await dueMessages(db, way, telling);
  const languages = await templateLanguages(db, way.eventType);
  const ids = await acceptOwnMessages(
    db,
    due.map((one) => messageOf(one, way, languages, adminUrl)),
  );
  const sent = due.flatMap((one, index) => {
    const event_id = ids[index];
    return event_id ? [{ ...one, event_id }] : [];
  });
  await noteSent(db, way, sent, now);
  if (due.length < MOST_PER_LOOK) await endUnwanted(db, way, due, telling);
  return sent.map(({ event_id }) => event_id);
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

interface DueMessage {
  reader: string;
  to: string;
  /** The tenant whose providers send it. */
  sender: string;
  email: string;
  language: string | null;
  tenantId: string;
  tenantName: string;
  kind: Alert;
  hasEnded: boolean;
}

/**
 * SQL condition on a row `s` of a table of told alerts: its message is on its way. The next one waits for it, so that a
 * chat never shows the end of a trouble before the beginning.
 */
const IS_ON_ITS_WAY = sql<boolean>`
  (exists (select from undispatched_events u where u.event_id = s.event_id)
   or exists (
     select from deliveries d
     where d.event_id = s.event_id and d.status in ('queued', 'sending', 'waiting')))`;

/** SQL condition on the same row: the trouble has ended, and no message about the end is recorded. */
const IS_OVER = sql<boolean>`
  (s.ended_at is null
   and not exists (select from alerts a where a.tenant_id = s.tenant_id and a.kind = s.kind)
   and not ${IS_ON_ITS_WAY})`;

/** Finds the messages to send. An operator's choice for all tenants replaces the person's other roles. */
async function dueMessages(
  db: Database,
  { told, keyName, reader, to, sender }: Way,
  { now, sender: operatorsSender }: Telling,
): Promise<DueMessage[]> {
  const lately = new Date(now.getTime() - ALERT_EVERY_MINUTES * MINUTE_MS);
  const { rows } = await sql<DueMessage>`
    with trouble as (
      select tenant_id, kind, max(began_at) as began_at from alerts group by tenant_id, kind
      union all
      select distinct s.tenant_id, s.kind, null::timestamptz from ${told} s where ${IS_OVER}
    ),
    wanted as (
      select x.*, m.person_id, c.chat, x.tenant_id as sender, ${operatorsSender}::text as operators_sender
      from trouble x join memberships m on m.tenant_id = x.tenant_id and m.role = 'owner'
      left join alert_choices c on c.person_id = m.person_id and c.tenant_id = x.tenant_id
      where x.kind = any (coalesce(c.kinds, ${defaultAlerts("owner")}::text[]))
        and not exists (select from people p where p.id = m.person_id and p.operator)
      union all
      select x.*, p.id, c.chat, ${operatorsSender}::text, ${operatorsSender}::text
      from trouble x cross join people p
      left join alert_choices c on c.person_id = p.id and c.tenant_id is null
      where p.operator and x.kind = any (coalesce(c.kinds, ${defaultAlerts("operator")}::text[]))
    ),
    due as (
      select distinct on (${reader}, t.id, w.kind)
             (${reader})::text as reader, ${to} as "to", ${sender} as sender, p.email, p.language,
             t.id as "tenantId", t.name as "tenantName", w.kind, w.began_at is null as "hasEnded"
      from wanted w join people p on p.id = w.person_id join tenants t on t.id = w.tenant_id
      left join ${told} s on s.${sql.ref(keyName)} = ${reader} and s.tenant_id = w.tenant_id and s.kind = w.kind
      where ${to} is not null and ${sender} is not null and case
        when w.began_at is null then s.sent_at is not null and s.ended_at is null and t.active
        else s.sent_at is null
          or (s.sent_at < w.began_at and s.sent_at <= ${lately} and not ${IS_ON_ITS_WAY}) end
      order by ${reader}, t.id, w.kind, p.id
    ),
    places as (
      select due.*, row_number() over (partition by reader order by "tenantId", kind) as place from due
    ),
    -- Senders take turns, because one that is over its limit would otherwise use up every look, and so do their readers.
    turns as (
      select places.*, row_number() over (partition by sender order by place, reader) as turn
      from places order by turn, sender limit ${MOST_PER_LOOK}
    )
    -- Messages are accepted in the order of the tenants that send them, with which a reader of a chat begins.
    select * from turns order by reader, "tenantId", kind`.execute(db);
  return rows;
}

/**
 * Builds the message. It is in the person's language only if the template is, too, so that all of it is in one
 * language.
 */
function messageOf(due: DueMessage, way: Way, languages: ReadonlySet<string>, adminUrl: string) {
  const { to, sender, email, tenantId, tenantName, kind, hasEnded } = due;
  const { channel, eventType } = way;
  const language = due.language !== null && languages.has(due.language) ? due.language : null;
  const words = alertWords(kind, language);
  const { title, message } = hasEnded ? words.ended : words;
  const link = `${adminUrl}/tenants/${tenantId}${ALERTS[kind].page}`;
  const variables = {
    tenant: tenantName,
    title,
    message,
    link,
    choices: `${adminUrl}/account`,
    dedup_key: `belfry ${tenantId} ${kind}`,
    event_action: hasEnded ? "resolve" : "trigger",
  };
  return { tenantId: sender, eventType, channel, to, email, language, variables };
}

async function noteSent(
  db: Database,
  { told, keyName }: Way,
  sent: readonly (DueMessage & { event_id: string })[],
  now: Date,
): Promise<void> {
  if (sent.length === 0) return;
  const rows = sent.map(({ reader, tenantId, kind, hasEnded, event_id }) => {
    const ended_at = hasEnded ? now : null;
    return { [keyName]: reader, tenant_id: tenantId, kind, sent_at: now, ended_at, event_id };
  });
  const key = sql.ref(keyName);
  // The hour is counted from the message about the start of the trouble, not from the message about the end.
  await sql`
    insert into ${told} as s (${key}, tenant_id, kind, sent_at, ended_at, event_id)
    select x.${key}, x.tenant_id, x.kind, x.sent_at, x.ended_at, x.event_id
    from jsonb_populate_recordset(null::${told}, ${JSON.stringify(rows)}::jsonb) x
    on conflict (${key}, tenant_id, kind) do update set
      sent_at = case when excluded.ended_at is null then excluded.sent_at else s.sent_at end,
      ended_at = excluded.ended_at,
      event_id = excluded.event_id`.execute(db);
}

/**
 * Sets `ended_at` on ended troubles for which no end message is due. Otherwise one could be sent later. Those that
 * operators were told of wait while no tenant can send to them.
 */
async function endUnwanted(
  db: Database,
  { told, keyName, isOwners }: Way,
  due: readonly DueMessage[],
  { now, sender }: Telling,
): Promise<void> {
  const keys = due.map(({ reader, tenantId, kind }) => `${reader} ${tenantId} ${kind}`);
  await sql`
    update ${told} s set ended_at = ${now}
    where ${IS_OVER} and (${sender}::text is not null or ${isOwners})
      and (s.${sql.ref(keyName)}::text || ' ' || s.tenant_id || ' ' || s.kind) <> all (${keys}::text[])`.execute(
    db,
  );
}
