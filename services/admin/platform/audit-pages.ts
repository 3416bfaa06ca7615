import { searchAuditLog } from "@belfry/administration/search-audit-log";
import { UUID } from "@belfry/contracts/identifiers";
import { page } from "../page/answer.ts";
import { readMoments } from "../page/form-fields.ts";
import type { PageDeps } from "../page/page-deps.ts";

const PAGE = 50;

/** Who changed what: all of it, or what a person did, to an object, in a time. */
export function auditPages({ route, db }: PageDeps): void {
  const show = async (query: URLSearchParams, tenantId?: string) => {
    const given = query.get("before") ?? "";
    const before = UUID.test(given) ? given : undefined;
    const { from = "", to = "", ...words } = typed(query);
    const { moments, shown, faults } = readMoments({ from, to });
    const { entries, next, searchedTo } = await searchAuditLog(db, {
      ...{ tenantId, before, limit: PAGE, ...moments },
      ...{ person: words.person || undefined, object: words.object || undefined },
    });
    const older = new URLSearchParams(
      Object.entries({ ...words, from, to }).filter(([, text]) => text),
    );
    older.set("before", next ?? "");
    return page("audit", "Audit log", {
      entries: entries.map(({ before: old, after, ...entry }) => ({
        ...entry,
        changes: auditChanges(old, after),
      })),
      ...{ values: { ...words, ...shown }, faults, searchedTo },
      isFiltered: Object.values({ ...words, from, to }).some((text) => text !== ""),
      isPart: next !== undefined && entries.length < PAGE,
      nextPage: next === undefined ? undefined : `?${older}`,
      ofAll: tenantId === undefined,
    });
  };

  route("GET /audit", ({ query }) => show(query));
  route("GET /tenants/:tenantId/audit", ({ query, tenant }) => show(query, tenant.id));
}

function typed(query: URLSearchParams) {
  const text = (name: string) => (query.get(name) ?? "").replaceAll("\u0000", "").trim();
  return { person: text("person"), object: text("object"), from: text("from"), to: text("to") };
}

/** One field of what an entry of the audit log tells; undefined: it was not there. */
interface AuditChange {
  field: string;
  before: string | undefined;
  after: string | undefined;
}

/** What differs between the two, field by field; fields of fields are named with a dot. */
export function auditChanges(
  before: Record<string, unknown> | null,
  after: Record<string, unknown> | null,
): AuditChange[] {
  const [old, now] = [flat(before), flat(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((field) => ({ field, before: old.get(field), after: now.get(field) }))
    .filter((change) => change.before !== change.after);
}

function flat(value: Record<string, unknown> | null, prefix = ""): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, content] of Object.entries(value ?? {})) {
    const field = prefix + name;
    if (content === null || content === undefined) continue;
    if (Array.isArray(content)) fields.set(field, content.map(String).join(", ") || "none");
    else if (typeof content !== "object") fields.set(field, String(content));
    else for (const [inner, text] of flat({ ...content }, `${field}.`)) fields.set(inner, text);
  }
  return fields;
}
