import type { AuditNote } from "../audited.ts";
import type { Invitation } from "./invitations.ts";
import type { ResetPassword } from "./password-resets.ts";
import type { Member } from "./people.ts";
import type { RemovedIdentities } from "./remove-identities.ts";

/** How the audit log tells of a change of a tenant's people: no link is in it. */

export function memberInvited({ tenantId, email, role }: Invitation): AuditNote {
  return { tenantId, action: "member.invite", target: email ?? "", after: { email, role } };
}

export function memberRoleChanged(
  tenantId: string,
  { before, after }: { before: Member; after: Member },
): AuditNote {
  return {
    ...{ tenantId, action: "member.role", target: after.email },
    ...{ before: { role: before.role }, after: { role: after.role } },
  };
}

export function memberRemoved(tenantId: string, { email, role }: Member): AuditNote {
  return { tenantId, action: "member.remove", target: email, before: { role } };
}

/** The link itself is in no entry. */
export function resetLinkMade(
  tenantId: string | null,
  { person, expiresAt }: { person: { email: string }; expiresAt: Date },
): AuditNote {
  return { tenantId, action: "account.reset-link", target: person.email, after: { expiresAt } };
}

/** By an operator. */
export function identitiesRemoved({ person, identities, ...after }: RemovedIdentities): AuditNote {
  const what = { tenantId: null, action: "account.identities-remove", target: person.email };
  return { ...what, before: { identities }, after };
}

export function passwordReset({ person, ownerOf, ...after }: ResetPassword): AuditNote {
  return { tenantId: ownerOf, action: "account.reset-password", target: person.email, after };
}

export function invitationWithdrawn({ tenantId, email }: Invitation): AuditNote {
  return { tenantId, action: "invitation.withdraw", target: email ?? "" };
}
