import { createHash } from "node:crypto";
import { createDatabase, createPool } from "@belfry/database/connection";
import { ensureSearchKey, type TermKind, termHash } from "@belfry/database/search-terms";
import type { SecretKeys } from "@belfry/database/secrets";

/** What is looked for, of one kind. */
export interface SearchKind {
  name: string;
  texts: string[];
}

const TENANTS = 20;
/** Prime, so that each tenant has events of every one. */
const USERS = 49_999;
const LOOKED_FOR = 50;

/** Of n, as SQL and as it is typed. */
const ID_SQL = `(lpad(to_hex((1.7e12 + n * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8'
  || lpad(to_hex(n), 15, '0'))::uuid`;
const TENANT_SQL = "case when n % 6 = 0 then 'other' || (n / 6) % 20 else 'acme' end";
/** An eleventh of all events, of all tenants, go to one address and have one reference. */
const IS_OFTEN_SQL = "n % 11 = 3";

/**
 * Fills the tables that search reads: five sixths of the events are acme's, the others are of 20 tenants with the same
 * customers. Six terms an event; those that are looked for have their true hashes.
 */
export async function fillForSearch(
  url: string,
  keys: SecretKeys,
  events: number,
): Promise<SearchKind[]> {
  const pool = createPool({
    ...{ url, applicationName: "fill", maxConnections: 1, statementTimeoutMs: 0 },
  });
  await using db = createDatabase(pool);
  const key = await ensureSearchKey(db, keys);
  const run = (text: string, values: unknown[] = []) => pool.query(text, values);
  // No triggers: nobody is told of what was never sent.
  await run("set session_replication_role = replica");
  await run("set synchronous_commit = off");
  await run("set maintenance_work_mem = '256MB'");
  const tenants = ["acme", ...Array.from({ length: TENANTS }, (_, at) => `other${at}`)];
  await run(
    "insert into tenants (id, name, per_minute, uses_recipients) select t, t, 1000, true from unnest($1::text[]) t",
    [tenants],
  );
  await run(
    `insert into events (id, tenant_id, event_type, user_id, reference, recipient_email, recipient_phone, trace_id,
                         variables, accepted_at, dispatched_at)
     select ${ID_SQL}, ${TENANT_SQL}, 'order.confirmed', 'user-' || n % ${USERS},
            case when ${IS_OFTEN_SQL} then 'often' else 'order-' || n end,
            case when ${IS_OFTEN_SQL} then 'all@example.com' else 'u' || n % ${USERS} || '@example.com' end,
            '+49171' || lpad((n % ${USERS})::text, 8, '0'), md5('trace' || n), '{"name":"Ann"}', now(), now()
     from generate_series(1, $1::integer) n`,
    [events],
  );
  await run(
    `insert into deliveries (id, event_id, tenant_id, channel, status, message_id, settled_at)
     select (lpad(to_hex((1.7e12 + n * 1000)::bigint), 12, '0') || '7fff9' || lpad(to_hex(n), 15, '0'))::uuid,
            ${ID_SQL}, ${TENANT_SQL}, 'EMAIL', 'accepted', 'message-' || n, now()
     from generate_series(1, $1::integer) n`,
    [events],
  );
  await run(
    `insert into recipients (tenant_id, user_id, email, phone)
     select 'acme', 'user-' || n, 'u' || n || '@example.com', '+49171' || lpad(n::text, 8, '0')
     from generate_series(0, ${USERS - 1}) n`,
  );
  await run("alter table search_terms drop constraint search_terms_pkey");
  await run("drop index search_terms_of_event");
  await run(
    `insert into search_terms (hash, event_id)
     select md5(v || t)::uuid, id from (
       select ${ID_SQL} as id, ${TENANT_SQL} as t, array[
         'u' || n % ${USERS}, 't' || n, 'm' || n, 'p' || n % ${USERS}, 'e' || n % ${USERS},
         case when not (${IS_OFTEN_SQL}) then 'a' || n % ${USERS} end] as values
       from generate_series(1, $1::integer) n) e, unnest(e.values) v
     where v is not null`,
    [events],
  );
  await run(
    `insert into search_users select 'acme', 'user-' || n, md5('u' || n || 'acme')::uuid from generate_series(0, ${USERS - 1}) n`,
  );

  // A prime step, so that they lie apart; none a multiple of 6, so that acme has each.
  const numbers = Array.from({ length: LOOKED_FOR }, (_, at) => 6 * (at * 3989 + 7) + 1);
  const written: { n: number; byUser: boolean; tenant: string; hash: string }[] = [];
  for (const n of numbers) {
    const user = n % USERS;
    const phone = `+49171${String(user).padStart(8, "0")}`;
    const terms: [TermKind, string, boolean][] = [
      ["user", `user-${user}`, true],
      ["email", `u${user}@example.com`, true],
      ["phone", phone, true],
      ["phone end", phone.slice(-8), true],
      ["message", `message-${n}`, false],
      ["trace", traceOf(n), false],
    ];
    for (const [kind, value, byUser] of terms) {
      for (const tenant of byUser ? tenants : ["acme"]) {
        written.push({ n, byUser, tenant, hash: termHash(key, kind, tenant, value) });
      }
    }
  }
  await run(
    `insert into search_terms (hash, event_id)
     select distinct w.hash, ${ID_SQL}
     from unnest($1::integer[], $2::boolean[], $3::text[], $4::uuid[]) w (first_n, by_user, tenant, hash)
     cross join lateral (
       select n from generate_series(w.first_n % ${USERS}, $5::integer, ${USERS}) n where w.by_user and n > 0
       union select w.first_n where not w.by_user
     ) s
     where ${TENANT_SQL} = w.tenant`,
    [
      ...[written.map(({ n }) => n), written.map(({ byUser }) => byUser)],
      ...[written.map(({ tenant }) => tenant), written.map(({ hash }) => hash), events],
    ],
  );
  await run(
    `insert into search_terms (hash, event_id)
     select h.hash, ${ID_SQL} from unnest($1::text[], $2::uuid[]) h (tenant, hash)
     join generate_series(1, $3::integer) n on ${TENANT_SQL} = h.tenant and ${IS_OFTEN_SQL}`,
    [tenants, tenants.map((tenant) => termHash(key, "email", tenant, "all@example.com")), events],
  );
  await run("alter table search_terms add primary key (hash, event_id)");
  await run("create index search_terms_of_event on search_terms (event_id)");
  await run("vacuum analyze");

  const each = (name: string, text: (n: number) => string) => ({ name, texts: numbers.map(text) });
  const same = (name: string, text: string) => each(name, () => text);
  const phoneEnd = (n: number) => String(n % USERS).padStart(8, "0");
  return [
    each("email address", (n) => `u${n % USERS}@example.com`),
    each("phone number", (n) => `+49 171 ${phoneEnd(n)}`),
    each("phone number, as at home", (n) => `0171/${phoneEnd(n)}`),
    each("user id", (n) => `user-${n % USERS}`),
    each("event id", eventId),
    each("own event id", (n) => (n % 11 === 3 ? `order-${n + 1}` : `order-${n}`)),
    each("message id", (n) => `message-${n}`),
    each("trace id", traceOf),
    each("that nothing has", (n) => `nobody-${n}@example.com`),
    same("address of 109,000 events", "all@example.com"),
    same("own id of 109,000 events", "often"),
  ];
}

function eventId(n: number): string {
  const hexOf = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
  const hex = `${hexOf(1.7e12 + n * 1000, 12)}7${hexOf(n % 4096, 3)}8${hexOf(n, 15)}`;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function traceOf(n: number): string {
  return createHash("md5").update(`trace${n}`).digest("hex");
}
