import type { EventReport } from "@belfry/administration/events/event-report";
import type { WaitReason } from "@belfry/administration/events/waiting-deliveries";
import type { ProviderChannel } from "@belfry/contracts/channels";

/** What an event waits for: as a whole, or on a channel. */
interface Wait {
  /** null: the event as a whole. */
  channel: string | null;
  /** ISO 8601, UTC. */
  until: string;
  because: string;
  /** Of the open digest that it is in. */
  digestId: string | null;
}

/** The waits of an event, by channel; none where nothing of it waits for a time. */
export function waitsOfEvent(event: EventReport, now = Date.now()): Wait[] {
  if (event.status === "scheduled" && event.sendAt !== null) {
    const because = "it is scheduled for that time";
    return [{ channel: null, until: event.sendAt, because, digestId: null }];
  }
  const waits: Wait[] = [];
  for (const [channel, { status, reason, delivery, digest }] of Object.entries(event.channels)) {
    const until = delivery?.dueAt ?? null;
    if (until === null || !["queued", "waiting"].includes(status)) continue;
    if (new Date(until).getTime() <= now) continue;
    const why = event.waits[channel as ProviderChannel] ?? "other";
    const said = why === "retry" && reason !== null ? `: ${reason}` : "";
    const isOpen = digest?.state === "in" && digest.closedAt === null && status === "queued";
    const because =
      why === "gathered" && digest !== undefined
        ? gatheredWords(digest.others)
        : `${WAIT_CAUSES[why]}${said}`;
    waits.push({ channel, until, because, digestId: isOpen ? digest.id : null });
  }
  return waits;
}

function gatheredWords(others: number): string {
  if (others === 0) return "more events may join the same message";
  return `it is in a digest with ${others === 1 ? "1 other event" : `${others} other events`}`;
}

/** What holds up the deliveries of a reason, as the heading of them. */
export const WAIT_NAMES: Readonly<Record<WaitReason, string>> = {
  gathered: "In a digest",
  quiet: "Held by quiet hours",
  unread: "Sent unless read by then",
  paused: "Held: the provider is paused",
  retry: "Waiting for a retry",
  other: "Waiting for its time",
};

/** Why something waits, after "because"; what a vendor said is put behind it. */
const WAIT_CAUSES: Readonly<Record<WaitReason, string>> = {
  gathered: "it is in a digest with other events",
  quiet: "of the recipient's quiet hours",
  unread: "it is sent only if it is not read in the inbox by then",
  paused: "the provider is paused",
  retry: "the last attempt failed temporarily",
  other: "it is not due yet",
};
