import { listAuditEntries } from "@belfry/administration/audited";
import { UUID } from "@belfry/contracts/identifiers";
import { page } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import { auditChanges } from "./audit-changes.ts";

const PAGE = 50;

/** Who changed what. */
export function auditPages({ route, db }: PageDeps): void {
  const show = async (query: URLSearchParams, tenantId?: string) => {
    const given = query.get("before") ?? "";
    const before = UUID.test(given) ? given : undefined;
    const found = await listAuditEntries(db, { tenantId, before, limit: PAGE + 1 });
    const entries = found.slice(0, PAGE).map(({ before: old, after, ...entry }) => ({
      ...entry,
      changes: auditChanges(old, after),
    }));
    const next = found.length > PAGE ? entries.at(-1)?.id : undefined;
    return page("audit", "Audit log", { entries, next, ofAll: tenantId === undefined });
  };

  route("GET /audit", ({ query }) => show(query));
  route("GET /tenants/:tenantId/audit", ({ query, tenant }) => show(query, tenant.id));
}
