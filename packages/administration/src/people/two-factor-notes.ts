import type { AuditNote } from "../audited.ts";

/** How the audit log tells of two-factor authentication: no secret and no code is in it. */

interface Ended {
  sessionsEnded: number;
}

export function twoFactorOn(email: string, { sessionsEnded }: Ended): AuditNote {
  return of(email, "two-factor-on", { sessionsEnded });
}

export function twoFactorOff(email: string, { sessionsEnded }: Ended): AuditNote {
  return of(email, "two-factor-off", { sessionsEnded });
}

/** By an operator. */
export function twoFactorRemoved({
  person,
  sessionsEnded,
}: Ended & { person: { email: string } }): AuditNote {
  return of(person.email, "two-factor-remove", { sessionsEnded });
}

export function recoveryCodesMade(email: string): AuditNote {
  return of(email, "recovery-codes");
}

export function recoveryCodeUsed(email: string, left: number): AuditNote {
  return of(email, "recovery-code-used", { left });
}

/** So many that the next is not looked at for an hour. */
export function tooManyCodes(email: string): AuditNote {
  return of(email, "wrong-codes");
}

function of(target: string, what: string, after?: object): AuditNote {
  return { tenantId: null, action: `account.${what}`, target, ...(after && { after }) };
}
