import type { PreferenceChange } from "@belfry/contracts/preferences";
import type { AuditNote } from "../audited.ts";
import type { UserOfTenant } from "../tenants/realtime-disconnect.ts";
import type { User } from "./users.ts";

/** How the audit log tells of what somebody changed of users. */

/** Those whose target is the user's id: an erasure takes it, and what was changed, out of them (`erase-notes.ts`). */
export const USER_ACTIONS = [
  "user.create",
  "user.update",
  "user.preference",
  "user.open-inbox",
  "user.disconnect",
] as const;
type UserAction = (typeof USER_ACTIONS)[number];

export function userNote(
  action: UserAction,
  { tenantId, userId }: UserOfTenant,
  change: Pick<AuditNote, "before" | "after"> = {},
): AuditNote {
  return { tenantId, action, target: userId, ...change };
}

/** `before` is undefined where the user was not known. */
export function userSaved(tenantId: string, before: User | undefined, after: User): AuditNote {
  return userNote(
    before === undefined ? "user.create" : "user.update",
    { tenantId, userId: after.userId },
    { before: before === undefined ? null : recorded(before), after: recorded(after) },
  );
}

export function preferenceChanged(owner: UserOfTenant, change: PreferenceChange): AuditNote {
  return userNote("user.preference", owner, { after: change });
}

function recorded({ email, phone, locale, timezone, quietHours }: User): object {
  return { email, phone, locale, timezone, quietHours };
}
