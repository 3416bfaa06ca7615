import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import type { AuditRow } from "./audit-log.ts";
import {
  inRange,
  reachOf,
  type ScannedRange,
  type ScannedRow,
  scannedPage,
} from "./scanned-page.ts";

/** Conditions are met together; texts are looked for anywhere, in any case. */
export interface AuditSearch extends ScannedRange {
  /** undefined: of all tenants and the platform. */
  tenantId?: string | undefined;
  /** In the name or the email address of who did it. */
  person?: string | undefined;
  /** In what it was done to, or in what was done, as `template.save`. */
  object?: string | undefined;
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
  const { rows } = await sql<ScannedRow<AuditRow>>`
    with scanned as materialized (
      select a.* from audit_log a
      where true
        ${tenantId === undefined ? sql`` : sql`and a.tenant_id = ${tenantId}`}
        ${inRange("a", search)}
      order by a.id desc limit ${scanned}
    ),
    reach as (${reachOf("at")}),
    found as (
      select a.* from scanned a
      where true ${has(person, sql`a.person`)} ${has(object, sql`a.action || ' ' || a.target`)}
      order by a.id desc limit ${limit + 1}
    )
    select r.*, f.id, f.at, f.person_id as "personId", f.person, f.address, f.tenant_id as "tenantId", t.name as "tenantName",
           f.action, f.target, f.before, f.after
    from reach r left join found f on true left join tenants t on t.id = f.tenant_id
    order by f.id desc`.execute(db);
  const { page, ...reached } = scannedPage(rows, limit, scanned);
  return { entries: page, ...reached };
}
