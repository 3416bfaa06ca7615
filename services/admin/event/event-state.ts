import type { EventReport } from "@belfry/administration/events/event-report";

/** What an event wears: what became of it, over all of its channels. */
export interface EventState {
  text: string;
  tone: "good" | "busy" | "bad" | "quiet";
}

const UNDER_WAY = ["queued", "sending", "waiting"];
const ARRIVED = ["accepted", "delivered", "published"];

/** Of one that is dispatched the channels decide: that they were looked at says nothing of what was sent. */
export function eventState({ status, channels }: EventReport): EventState {
  switch (status) {
    case "cancelled":
      return { text: "cancelled", tone: "quiet" };
    case "refused":
      return { text: "refused", tone: "bad" };
    case "scheduled":
      return { text: "scheduled", tone: "busy" };
    case "accepted":
      return { text: "not dispatched yet", tone: "busy" };
  }
  const states = Object.values(channels).map((channel) => channel.status);
  const has = (wanted: readonly string[]) => states.some((one) => wanted.includes(one));
  const isWrong = states.some(
    (one) => one !== "skipped" && !UNDER_WAY.includes(one) && !ARRIVED.includes(one),
  );
  if (isWrong) return { text: has(ARRIVED) ? "partly sent" : "not delivered", tone: "bad" };
  if (has(UNDER_WAY)) return { text: "under way", tone: "busy" };
  return has(ARRIVED) ? { text: "sent", tone: "good" } : { text: "nothing sent", tone: "quiet" };
}
