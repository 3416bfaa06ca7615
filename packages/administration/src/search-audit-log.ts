import { field, moment, orNull, text, time } from "@belfry/contracts/fields";
import { UUID, UUID_FORM } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { defineRead, OPERATE, optional } from "./act.ts";
import type { AuditRow } from "./audited.ts";
import {
  countUpTo,
  inRange,
  isoTimes,
  reachOf,
  type ScannedRange,
  type ScannedRow,
  scannedPage,
} from "./pages.ts";

/** A search of the audit log. Entries must match all conditions. Texts match anywhere and without regard to case. */
export interface AuditSearch extends ScannedRange {
  /** If undefined, searches all tenants and the platform. */
  tenantId?: string | undefined;
  /** Text in the name or email address of the person who did it. */
  person?: string | undefined;
  /** Text in the target or in the action, such as `template.save`. */
  object?: string | undefined;
  /** Rows on the page. */
  limit: number;
}

const MOST = 1_000;
const USUAL = 50;

export const listAudit = defineRead({
  name: "audit list",
  http: "GET /audit",
  access: OPERATE,
  summary: "Entries of the audit log, the newest first; `next` is there where there are older ones",
  input: Type.Object({
    tenant: optional(text(), "of one tenant only; default: of all, and of the platform"),
    person: optional(text(), "in the name or email address of who did it"),
    object: optional(text(), "in what was done, as template.save, or in what it was done to"),
    since: optional(moment({}), "then or later, as 2026-11-20T12:00:00Z or 24h, 30m, 7d ago"),
    until: optional(moment({}), "before"),
    limit: optional(countUpTo(MOST), `at most so many, 1 to ${MOST} (default: ${USUAL})`),
    before: optional(
      field<string>(
        { type: "string", pattern: UUID_FORM, description: "those older than a page, by its next" },
        (value) =>
          typeof value === "string" && UUID.test(value) ? undefined : "must be the next of a page",
      ),
    ),
  }),
  output: Type.Object({
    entries: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          at: time("When it was done"),
          personId: orNull(Type.String()),
          person: Type.String({ description: "Name and address, or the command line's account" }),
          address: Type.String({ description: "The client's" }),
          tenantId: orNull(Type.String({ description: "null: of the platform" })),
          tenantName: orNull(
            Type.String({ description: "null: of the platform, or the tenant is deleted" }),
          ),
          action: Type.String(),
          target: Type.String({ description: "The changed object, in words" }),
          before: orNull(Type.Object({}, { additionalProperties: true })),
          after: orNull(Type.Object({}, { additionalProperties: true })),
        },
        { title: "AuditEntry" },
      ),
    ),
    next: optional(Type.String(), "Give it as `before` for what is older"),
    searchedTo: optional(time("When the oldest entry that was looked at was written")),
  }),
  example: { input: { object: "template.save" }, output: { entries: [] } },
  flags: {
    tenant: "--tenant <id>",
    person: "--person <text>",
    object: "--object <text>",
    since: "--since <time>",
    until: "--until <time>",
    before: "--before <next>",
  },
  async run({ db }, { tenant: tenantId, since, until, limit = USUAL, ...search }) {
    const from = since === undefined ? undefined : new Date(since);
    const to = until === undefined ? undefined : new Date(until);
    const found = await searchAuditLog(db, { ...search, tenantId, from, to, limit });
    const { entries, next, searchedTo } = found;
    return {
      entries: entries.map(isoTimes),
      ...(next !== undefined && { next }),
      ...(searchedTo !== undefined && { searchedTo: searchedTo.toISOString() }),
    };
  },
});

/** Most entries that one page reads if a text is given. */
const MAX_SCANNED = 5_000;

/**
 * Returns a page of the audit log, newest first. Limits of time are compared with the ids, which an index by tenant
 * covers. A text is searched in at most 5,000 entries; `searchedTo` is then the time of the oldest entry that was read.
 */
export async function searchAuditLog(db: Database, search: AuditSearch) {
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
  const { page: entries, ...reached } = scannedPage(rows, limit, scanned);
  return { entries, ...reached };
}
