import { searchAuditLog } from "@belfry/administration/search-audit-log";
import { page } from "../page/answer.ts";
import { idOf, readMoments, typedTexts } from "../page/form-fields.ts";
import { phrase, say, type Words } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import { formsIn, valuesIn } from "../page/sentence-forms.ts";

const PAGE = 50;

const LINES = ["{0} {1} line{2}", "{0} {1} lines{2}"];
/**
 * Targets that are words, by their action or its object. `{0}` stands for a value. Other targets are names and stay.
 */
export const AUDIT_TARGETS: Readonly<Record<string, readonly string[]>> = {
  broadcast: ["broadcast {0}"],
  bundle: ["{0} published"],
  "dead-letter": ["all", "none"],
  environment: ["{0} published"],
  event: ["event {0}", "{0} events", "key {0}", "{0} keys"],
  import: ["users", "members", "members of {0}"],
  layout: ["layout"],
  "platform.mail-tenant": ["none"],
  "realtime.new-epoch": ["every client"],
  suppression: [...LINES, "{0} {1} addresses"],
  "template.import": ["{0} published"],
  "tenant.defaults": ["defaults"],
  "user.ask-erasure": ["user sha256:{0}"],
  "user.erase": ["user sha256:{0}"],
  "user.erased": ["user sha256:{0}"],
  "user.import-unsubscribes": ["{0} line{1}", "{0} lines{1}"],
  "user.put-many": ["{0} users"],
  "webhook-secret": ["webhook secret"],
};

function targetWords(action: string, target: string): Words {
  const [object = ""] = action.split(".");
  const known = AUDIT_TARGETS[action] ?? AUDIT_TARGETS[object] ?? [];
  if (known.includes(target)) return phrase(target);
  for (const form of formsIn(known)) {
    const values = valuesIn(target, form);
    if (values !== undefined) return phrase(form.english, values);
  }
  return target;
}

/** Registers the audit log, which can be searched by person, object and time. */
export function auditPages({ route, db }: PageDeps): void {
  const show = async (query: URLSearchParams, tenantId?: string) => {
    const typed = typedTexts(query, ["person", "object", "from", "to"]);
    const { from, to } = typed;
    const person = typed.person.replaceAll("\u0000", "");
    const object = typed.object.replaceAll("\u0000", "");
    const { moments, shown, faults } = readMoments({ from, to });
    const { entries, next, searchedTo } = await searchAuditLog(db, {
      tenantId,
      before: idOf(query, "before"),
      limit: PAGE,
      ...moments,
      person: person || undefined,
      object: object || undefined,
    });
    const filter = Object.entries({ person, object, from, to }).filter(([, text]) => text);
    const older = new URLSearchParams(filter);
    older.set("before", next ?? "");
    return page("audit", say`Audit log`, {
      entries: entries.map(({ before: old, after, ...entry }) => ({
        ...entry,
        target: targetWords(entry.action, entry.target),
        changes: auditChanges(old, after),
      })),
      values: { person, object, ...shown },
      faults,
      searchedTo,
      isFiltered: filter.length > 0,
      isPart: next !== undefined && entries.length < PAGE,
      nextPage: next === undefined ? undefined : `?${older}`,
      ofAll: tenantId === undefined,
    });
  };

  route("GET /audit", ({ query }) => show(query));
  route("GET /tenants/:tenantId/audit", ({ query, tenant }) => show(query, tenant.id));
}

/** Returns the changed fields; a nested field is named with a dot. A value is undefined if the field did not exist. */
export function auditChanges(
  before: Record<string, unknown> | null,
  after: Record<string, unknown> | null,
) {
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
