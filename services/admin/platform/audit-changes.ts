/** One field of what an entry of the audit log tells; undefined: it was not there. */
export interface AuditChange {
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
