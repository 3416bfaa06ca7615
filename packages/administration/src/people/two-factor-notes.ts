import type { AuditNote } from "../audited.ts";

/** How the audit log tells of two-factor authentication: no secret and no code is in it. */

interface Ended {
  sessionsEnded: number;
}

export function twoFactorOn(email: string, { sessionsEnded }: Ended): AuditNote {
  return noteOf(email, "two-factor-on", { sessionsEnded });
}

export function twoFactorOff(email: string, { sessionsEnded }: Ended): AuditNote {
  return noteOf(email, "two-factor-off", { sessionsEnded });
}

export function recoveryCodesMade(email: string): AuditNote {
  return noteOf(email, "recovery-codes");
}

export function recoveryCodeUsed(email: string, left: number): AuditNote {
  return noteOf(email, "recovery-code-used", { left });
}

/** So many that the next is not looked at for an hour. */
export function tooManyCodes(email: string): AuditNote {
  return noteOf(email, "wrong-codes");
}

function noteOf(target: string, what: string, after?: object): AuditNote {
  return { tenantId: null, action: `account.${what}`, target, ...(after && { after }) };
}
