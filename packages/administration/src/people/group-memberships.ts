import type { Database } from "@belfry/database/connection";
import type { TenantRole } from "@belfry/database/schema";
import type { AuditNote } from "../audited.ts";
import { deleteMembership, groupMembershipsOf, putMembership } from "./person-rows.ts";
import { endUntrustedSignIn, untrustedSignInEnded } from "./untrusted-sign-in.ts";

/**
 * Makes the memberships that groups give those of `roles`: given, changed, taken away. What a person gave
 * stays as it is. With a new membership an untrusted sign-in ends, but for the account of `issuer`, whose groups
 * give it. Returns what was done, for the audit log.
 */
export async function setGroupMemberships(
  db: Database,
  person: { id: string; email: string },
  issuer: string,
  roles: ReadonlyMap<string, TenantRole>,
): Promise<AuditNote[]> {
  const before = new Map(
    (await groupMembershipsOf(db, person.id)).map((one) => [one.tenantId, one] as const),
  );
  const notes: AuditNote[] = [];
  let isGiven = false;
  const by = "group of the provider";
  const target = person.email;
  // In one order everywhere, so that two sign-ins at once do not wait for each other.
  for (const tenantId of [...new Set([...before.keys(), ...roles.keys()])].sort()) {
    const had = before.get(tenantId);
    const role = roles.get(tenantId);
    if (had?.role === role || (had !== undefined && !had.byOidc)) continue;
    if (role === undefined) {
      if (!(await deleteMembership(db, tenantId, person.id, { byOidc: true }))) continue;
      notes.push({ tenantId, action: "member.remove", target, before: { role: had?.role, by } });
      continue;
    }
    const membership = { personId: person.id, tenantId, role, byOidc: true };
    if (!(await putMembership(db, membership))) continue;
    isGiven ||= had === undefined;
    notes.push(
      had === undefined
        ? { tenantId, action: "member.join", target, after: { role, by } }
        : {
            tenantId,
            action: "member.role",
            target,
            before: { role: had.role },
            after: { role, by },
          },
    );
  }
  const ended = isGiven && (await endUntrustedSignIn(db, person.id, { exceptIssuer: issuer }));
  const note = untrustedSignInEnded(ended || undefined);
  if (note !== undefined) notes.push(note);
  return notes;
}
