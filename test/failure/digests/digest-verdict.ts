import { MAX_DIGEST_ITEMS } from "@belfry/contracts/delivery";
import type { Pool } from "@belfry/database/connection";
import type { DigestMail } from "./digest-mails.ts";

export interface DigestVerdict {
  events: number;
  /** Digests, each of one delivery: a message. */
  messages: number;
  /** Copies more than one of a message, each with an attempt of its own of which nobody knew the end. */
  doubled: number;
  /** By digest: how late its first call was, in milliseconds. */
  lateMs: Map<string, number>;
  /** Violations of the contract as sentences; empty if there are none. */
  breaches: string[];
}

interface DigestRow {
  id: string;
  delivery: string;
  window: string;
  status: string;
  due: number;
  closed: boolean;
  items: string[];
  /** Attempts that may have reached the vendor. */
  attempts: number;
}

/** Holds what was accepted against what is stored and what the vendor has. All is at rest. */
export async function judgeDigests(
  pool: Pool,
  ids: readonly string[],
  mails: readonly DigestMail[],
): Promise<DigestVerdict> {
  const breaches: string[] = [];
  const say = (what: string, found: readonly unknown[]) => {
    if (found.length === 0) return;
    breaches.push(`${found.length} ${what}: ${found.slice(0, 5).map(String).join(", ")}`);
  };
  say("events not in exactly one message", await notOnce(pool, ids));
  for (const [what, query] of Object.entries(WINDOW_RULES)) {
    const { rows } = await pool.query<{ id: string }>(query);
    say(
      what,
      rows.map(({ id }) => id),
    );
  }
  const digests = await digestsOf(pool);
  const known = new Set(digests.map(({ id }) => id));
  const sent = Map.groupBy(mails, ({ digestId }) => digestId);
  say(
    "messages of no digest",
    [...sent.keys()].filter((id) => !known.has(id)),
  );
  const about = (is: (digest: DigestRow, copies: readonly DigestMail[]) => boolean) =>
    digests.filter((digest) => is(digest, sent.get(digest.id) ?? [])).map(({ id }) => id);
  say(
    "digests that were not accepted and closed",
    about(({ status, closed }) => status !== "accepted" || !closed),
  );
  say(
    "digests that the vendor does not have",
    about((_, copies) => copies.length === 0),
  );
  say(
    "messages under another delivery",
    about(({ delivery }, copies) => copies.some(({ deliveryId }) => deliveryId !== delivery)),
  );
  say(
    "messages with a wrong $count",
    about(({ items }, copies) => copies.some(({ count }) => count !== items.length)),
  );
  say(
    "messages that show other events than theirs",
    about(({ items }, copies) => copies.some(({ shown }) => !isShownOf(items, shown))),
  );
  say(
    "messages before their time",
    about(({ due }, copies) => copies.some(({ at }) => at < Math.floor(due))),
  );
  say(
    "messages doubled for no documented cause",
    about(({ attempts }, copies) => copies.length > attempts),
  );
  const lateMs = new Map<string, number>();
  for (const { id, due } of digests) {
    const [first] = sent.get(id) ?? [];
    if (first !== undefined) lateMs.set(id, first.at - due);
  }
  return {
    events: ids.length,
    messages: digests.length,
    doubled: mails.length - sent.size,
    lateMs,
    breaches,
  };
}

/** The oldest of them, each once. */
function isShownOf(items: readonly string[], shown: readonly string[]): boolean {
  const expected = items.slice(0, MAX_DIGEST_ITEMS);
  return new Set(shown).size === expected.length && expected.every((id) => shown.includes(id));
}

async function notOnce(pool: Pool, ids: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select u.id from unnest($1::uuid[]) u (id)
     left join events e on e.id = u.id and e.dispatched_at is not null
     left join digest_items i on i.event_id = u.id
     group by u.id, e.id having e.id is null or count(i.digest_id) <> 1 or min(i.state) <> 'in'`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

async function digestsOf(pool: Pool): Promise<DigestRow[]> {
  const { rows } = await pool.query<DigestRow>(
    `select g.id, d.id as delivery, d.status, g.closed_at is not null as closed,
       (extract(epoch from g.window_ends_at) * 1000)::float8 as due,
       (select array_agg(i.event_id::text order by i.event_id) from digest_items i where i.digest_id = g.id) as items,
       (select count(*)::integer from attempts a
        where a.delivery_id = d.id and a.class in ('accepted', 'ambiguous')) as attempts
     from digests g left join deliveries d on d.event_id = g.id`,
  );
  return rows;
}

/** Digests that break a rule of the windows, whatever was killed. */
const WINDOW_RULES = {
  "digests without exactly one delivery": `
    select g.id from digests g left join deliveries d on d.event_id = g.id
    group by g.id having count(d.id) <> 1`,
  "deliveries that are of no digest": `
    select d.id from deliveries d left join digests g on g.id = d.event_id where g.id is null`,
  "digests opened while another one of the same kind could be joined": `
    select next.id
    from (select *, lag(window_ends_at) over (partition by tenant_id, user_id, event_type, recipient
            order by opened_at) as before from digests) next
    where next.opened_at < next.before`,
  "fixed windows of another length": `
    select g.id from digests g join templates t using (tenant_id, event_type, channel)
    where not coalesce((t.digest ->> 'sliding')::boolean, false)
      and g.window_ends_at <> g.opened_at + (t.digest ->> 'windowSeconds')::integer * interval '1 second'`,
  "sliding windows that ended too early or too late": `
    select g.id
    from digests g join templates t using (tenant_id, event_type, channel)
    cross join lateral (
      select max(i.added_at) as last from digest_items i
      where i.digest_id = g.id and i.added_at < g.window_ends_at
    ) i
    where (t.digest ->> 'sliding')::boolean and g.window_ends_at <> least(
      i.last + (t.digest ->> 'windowSeconds')::integer * interval '1 second',
      g.opened_at + (t.digest ->> 'maxSeconds')::integer * interval '1 second')`,
} as const;
