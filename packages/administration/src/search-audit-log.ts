import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import type { AuditRow } from "./audit-log.ts";
import { idAt } from "./events/search-events.ts";

/** Conditions are met together; texts are looked for anywhere, in any case. */
export interface AuditSearch {
  /** undefined: of all tenants and the platform. */
  tenantId?: string | undefined;
  /** In the name or the email address of who did it. */
  person?: string | undefined;
  /** In what it was done to, or in what was done, as `template.save`. */
  object?: string | undefined;
  /** From this moment on. */
  from?: Date | undefined;
  /** Before this moment. */
  to?: Date | undefined;
  /** Where the page before ended. */
  before?: string | undefined;
  /** Rows on the page. */
  limit: number;
}

export interface AuditPage {
  entries: AuditRow[];
  /** Pass as `before` for what is older; undefined: there is no more. */
  next: string | undefined;
  /** When the oldest entry that was looked at was written; undefined: there was none. */
  searchedTo: Date | undefined;
}

/** Entries that one page looks at where a text is looked for. */
const MAX_SCANNED = 5_000;

/**
 * The audit log, newest first, by keyset. Times are found by the ids, which have an index by tenant; a text is looked
 * for in at most 5,000 entries, and the page says how far back it came.
 */
export async function searchAuditLog(db: Database, search: AuditSearch): Promise<AuditPage> {
  const { tenantId, limit, person, object } = search;
  const scanned = person === undefined && object === undefined ? limit + 1 : MAX_SCANNED;
  const has = (text: string | undefined, words: ReturnType<typeof sql>) =>
    text === undefined ? sql`` : sql`and strpos(lower(${words}), lower(${text})) > 0`;
  const { rows } = await sql<Row>`
    with scanned as materialized (
      select a.* from audit_log a
      where true
        ${tenantId === undefined ? sql`` : sql`and a.tenant_id = ${tenantId}`}
        ${search.before === undefined ? sql`` : sql`and a.id < ${search.before}::uuid`}
        ${search.from === undefined ? sql`` : sql`and a.id >= ${idAt(search.from)}::uuid`}
        ${search.to === undefined ? sql`` : sql`and a.id < ${idAt(search.to)}::uuid`}
      order by a.id desc limit ${scanned}
    ),
    reach as (
      select (select id from scanned order by id limit 1) as last_id,
             (select at from scanned order by id limit 1) as last_at,
             (select count(*)::integer from scanned) as looked_at
    ),
    found as (
      select a.* from scanned a
      where true ${has(person, sql`a.person`)} ${has(object, sql`a.action || ' ' || a.target`)}
      order by a.id desc limit ${limit + 1}
    )
    select r.last_id as "lastId", r.last_at as "lastAt", r.looked_at as "lookedAt", f.id, f.at,
           f.person_id as "personId", f.person, f.address, f.tenant_id as "tenantId", t.name as "tenantName",
           f.action, f.target, f.before, f.after
    from reach r left join found f on true left join tenants t on t.id = f.tenant_id
    order by f.id desc`.execute(db);
  return pageOf(rows, limit, scanned);
}

type Reach = { lastId: string | null; lastAt: Date | null; lookedAt: number };
type Row = Reach & (AuditRow | { id: null });

function pageOf(rows: readonly Row[], limit: number, scanned: number): AuditPage {
  const [reach] = rows;
  const found = rows
    .filter((row): row is Reach & AuditRow => row.id !== null)
    .map(({ lastId: _, lastAt: __, lookedAt: ___, ...entry }) => entry);
  const entries = found.slice(0, limit);
  const searchedTo = reach?.lastAt ?? undefined;
  if (found.length > limit) return { entries, next: entries.at(-1)?.id, searchedTo };
  const wasBounded = (reach?.lookedAt ?? 0) >= scanned;
  return { entries, next: wasBounded ? (reach?.lastId ?? undefined) : undefined, searchedTo };
}
