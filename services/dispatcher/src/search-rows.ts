import {
  addressTerms,
  messageTerm,
  type SearchKey,
  type TermKind,
  termHash,
} from "@belfry/database/search-terms";
import type pg from "pg";

// Queries for the loop of search.ts. All but `readSearchLags` run in the loop's transaction.

export const INDEXED_TABLES = ["events", "deliveries"] as const;
export type Walked = (typeof INDEXED_TABLES)[number];

/** Search terms and users of events. */
export interface Findings {
  terms: { hash: string; eventId: string }[];
  users: { tenantId: string; userId: string; hash: string; eventId: string }[];
  /** Unfinished deliveries, with the time to read each again. */
  waiting: { id: string; lookAt: Date }[];
}

interface EventRow {
  id: string;
  tenant_id: string;
  user_id: string;
  trace_id: string;
  addresses: string[];
}

export async function findingsOfEvents(
  client: pg.ClientBase,
  search: SearchKey,
  ids: readonly string[],
): Promise<Findings> {
  const { rows } = await client.query<EventRow>(
    `select e.id, e.tenant_id, e.user_id, e.trace_id,
            array_remove(array[e.recipient_email, e.recipient_phone, e.recipient_chat], null) as addresses
     from unnest($1::uuid[]) i (id)
     cross join lateral (select * from events e where e.id = i.id limit 1) e`,
    [ids],
  );
  const found: Findings = { terms: [], users: [], waiting: [] };
  for (const { id: eventId, tenant_id: tenantId, user_id: userId, trace_id, addresses } of rows) {
    const add = (kind: TermKind, value: string) => {
      const hash = termHash(search, kind, tenantId, value);
      found.terms.push({ hash, eventId });
      return hash;
    };
    found.users.push({ tenantId, userId, hash: add("user", userId), eventId });
    add("trace", trace_id);
    for (const { kind, value } of addresses.flatMap(addressTerms)) add(kind, value);
  }
  return found;
}

interface DeliveryRow {
  id: string;
  tenant_id: string;
  /** Null if the event has the same address, because the event's own terms then include it. */
  recipient: string | null;
  look_at: Date | null;
  messages: string[];
  events: string[];
}

/** Most events of a digest that get the search terms of its delivery. */
const MOST_EVENTS = 1000;

export async function findingsOfDeliveries(
  client: pg.ClientBase,
  search: SearchKey,
  ids: readonly string[],
): Promise<Findings> {
  const { rows } = await client.query<DeliveryRow>(
    `select d.id, d.tenant_id,
            case when e.id is null or d.recipient is distinct from e.recipient_email
              and d.recipient is distinct from e.recipient_phone
              and d.recipient is distinct from e.recipient_chat then d.recipient end as recipient,
            case when d.status in ('queued', 'sending', 'waiting') then case
              when d.due_at > clock_timestamp() then d.due_at + interval '5 seconds'
              else clock_timestamp() + least(interval '10 minutes',
                greatest(interval '3 seconds', (clock_timestamp() - d.created_at) / 4)) end
            end as look_at,
            array(select distinct m.id from (
              select d.message_id as id union all
              select a.message_id from attempts a where a.delivery_id = d.id) m
              where m.id is not null) as messages,
            case when e.id is not null then array[e.id] else array(
              select g.event_id from digest_items g where g.digest_id = d.event_id and g.state = 'in'
              order by g.event_id limit $2) end as events
     from unnest($1::uuid[]) i (id)
     cross join lateral (select * from deliveries d where d.id = i.id limit 1) d
     left join lateral (
       select e.id, e.recipient_email, e.recipient_phone, e.recipient_chat from events e
       where e.id = d.event_id and e.tenant_id = d.tenant_id limit 1) e on true
     where d.channel <> 'WEBHOOK'`,
    [ids, MOST_EVENTS],
  );
  const found: Findings = { terms: [], users: [], waiting: [] };
  for (const { id, tenant_id: tenantId, recipient, look_at, messages, events } of rows) {
    if (look_at !== null) found.waiting.push({ id, lookAt: look_at });
    const terms = [
      ...(recipient === null ? [] : addressTerms(recipient)),
      ...messages.map(messageTerm),
    ];
    for (const { kind, value } of terms) {
      const hash = termHash(search, kind, tenantId, value);
      for (const eventId of events) found.terms.push({ hash, eventId });
    }
  }
  return found;
}

/**
 * Writes terms, users and deliveries to read again. It writes nothing for deleted events: the lock makes a deletion of
 * events and this function wait for each other.
 */
export async function writeFindings(client: pg.ClientBase, found: Findings): Promise<void> {
  const { terms, users, waiting } = found;
  if (terms.length > 0) {
    await client.query("select pg_advisory_xact_lock(hashtextextended('belfry search terms', 0))");
    await client.query(
      `insert into search_terms (hash, event_id)
       select t.hash, t.event_id from unnest($1::uuid[], $2::uuid[]) t (hash, event_id)
       cross join lateral (select from events e where e.id = t.event_id limit 1) e
       order by t.hash, t.event_id
       on conflict do nothing`,
      [terms.map(({ hash }) => hash), terms.map(({ eventId }) => eventId)],
    );
  }
  if (users.length > 0) {
    await client.query(
      `insert into search_users (tenant_id, user_id, hash)
       select distinct u.tenant_id, u.user_id, u.hash
       from unnest($1::text[], $2::text[], $3::uuid[], $4::uuid[]) u (tenant_id, user_id, hash, event_id)
       cross join lateral (select from events e where e.id = u.event_id limit 1) e
       on conflict do nothing`,
      [
        ...[users.map((one) => one.tenantId), users.map((one) => one.userId)],
        ...[users.map((one) => one.hash), users.map((one) => one.eventId)],
      ],
    );
  }
  if (waiting.length > 0) {
    await client.query(
      `insert into search_waiting (delivery_id, look_at)
       select * from unnest($1::uuid[], $2::timestamptz[])
       on conflict (delivery_id) do update set look_at = excluded.look_at`,
      [waiting.map(({ id }) => id), waiting.map(({ lookAt }) => lookAt)],
    );
  }
}

/** Returns how many seconds the indexing of each table is late: the age of the oldest row that it has not reached. */
export async function readSearchLags(pool: pg.Pool): Promise<{ table: string; seconds: number }[]> {
  const lags = INDEXED_TABLES.map(async (table) => {
    const { rows } = await pool.query<{ seconds: number }>(
      `select extract(epoch from clock_timestamp()
                - to_timestamp(('x' || left(replace(next.id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
              )::float8 as seconds
       from (select coalesce((select next_id from search_walks where table_name = $1),
                             '00000000-0000-0000-0000-000000000000') as id) w
       cross join lateral (select x.id from ${table} x where x.id > w.id order by x.id limit 1) next`,
      [table],
    );
    return { table, seconds: Math.max(0, rows[0]?.seconds ?? 0) };
  });
  return await Promise.all(lags);
}
