import type { EventReport } from "@belfry/administration/events/event-report";
import type { WaitReason } from "@belfry/administration/events/waiting-deliveries";
import type { ProviderChannel } from "@belfry/contracts/channels";
import { type Phrase, say } from "../page/language.ts";
import { counted } from "../page/words.ts";
import { reasonText } from "./own-reasons.ts";

/** A reason for which an event waits, as a whole or on a channel. */
interface Wait {
  /** Null if the event waits as a whole. */
  channel: string | null;
  /** ISO 8601, UTC. */
  until: string;
  because: Phrase;
  /** Id of the open digest that contains the event; null if there is none. */
  digestId: string | null;
}

/** Returns why and until when an event waits, with one entry per channel. Empty if nothing is due at a later time. */
export function waitsOfEvent(event: EventReport, now = Date.now()): Wait[] {
  if (event.status === "scheduled" && event.sendAt !== null) {
    const because = say`it is scheduled for that time`;
    return [{ channel: null, until: event.sendAt, because, digestId: null }];
  }
  const waits: Wait[] = [];
  for (const [channel, { status, reason, delivery, digest }] of Object.entries(event.channels)) {
    const until = delivery?.dueAt ?? null;
    if (until === null || !["queued", "waiting"].includes(status)) continue;
    if (new Date(until).getTime() <= now) continue;
    const why = event.waits[channel as ProviderChannel] ?? "other";
    const cause = WAIT_CAUSES[why];
    const isOpen = digest?.state === "in" && digest.closedAt === null && status === "queued";
    const because =
      why === "gathered" && digest !== undefined
        ? digestPhrase(digest.others)
        : why === "retry" && reason !== null
          ? say`${cause}: ${reasonText(reason)}`
          : cause;
    waits.push({ channel, until, because, digestId: isOpen ? digest.id : null });
  }
  return waits;
}

function digestPhrase(others: number): Phrase {
  if (others === 0) return say`more events may join the same message`;
  return say`it is in a digest with ${counted(others, "other event")}`;
}

/** Headings for waiting deliveries, by reason. */
export const WAIT_NAMES: Readonly<Record<WaitReason, Phrase>> = {
  gathered: say`In a digest`,
  quiet: say`Held by quiet hours`,
  unread: say`Sent unless read by then`,
  paused: say`Held: the provider is paused`,
  retry: say`Waiting for a retry`,
  other: say`Waiting for its time`,
};

/** Causes of a wait, in words that follow "because". `waitsOfEvent` appends the reason of a failed attempt. */
const WAIT_CAUSES: Readonly<Record<WaitReason, Phrase>> = {
  gathered: say`it is in a digest with other events`,
  quiet: say`of the recipient's quiet hours`,
  unread: say`it is sent only if it is not read in the inbox by then`,
  paused: say`the provider is paused`,
  retry: say`the last attempt failed temporarily`,
  other: say`it is not due yet`,
};
