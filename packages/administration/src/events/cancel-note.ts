import type { Cancelled, CancelRequest } from "@belfry/contracts/cancel";
import type { AuditNote } from "../audited.ts";

/** How the audit log tells of events that a person has cancelled: by what, and how many; no user's id. */
export function cancelNote(
  tenantId: string,
  { cancelKeys, eventIds = [], userIds }: CancelRequest,
  { cancelled, partly, pending, tooLate, more }: Cancelled,
): AuditNote {
  const names = cancelKeys ?? eventIds;
  const what = cancelKeys === undefined ? ["event", "events"] : ["key", "keys"];
  const target = names.length === 1 ? `${what[0]} ${names[0]}` : `${names.length} ${what[1]}`;
  return {
    ...{ tenantId, action: "event.cancel", target },
    after: {
      ...{ cancelled: cancelled.length, partly: partly.length },
      ...{ pending: pending.length, tooLate: tooLate.length },
      ...(userIds === undefined ? {} : { users: userIds.length }),
      ...(more ? { more } : {}),
    },
  };
}
