import type { Miss } from "@belfry/administration/broadcasts/estimate-broadcast";
import type { Broadcast, BroadcastState } from "@belfry/contracts/broadcasts";
import type { DELIVERY_STATUSES } from "@belfry/contracts/delivery";
import { type Phrase, say } from "../page/language.ts";
import { counted } from "../page/words.ts";

/** Words for the states and figures of broadcasts. */

export const STATES: Readonly<Record<BroadcastState, { text: Phrase; tone: string }>> = {
  scheduled: { text: say`scheduled`, tone: "busy" },
  running: { text: say`running`, tone: "busy" },
  paused: { text: say`paused`, tone: "bad" },
  cancelling: { text: say`being cancelled`, tone: "busy" },
  cancelled: { text: say`cancelled`, tone: "quiet" },
  done: { text: say`done`, tone: "good" },
};

type Status = (typeof DELIVERY_STATUSES)[number] | "published" | "cancelled";

/** Words for the statuses of deliveries, in the order in which they are shown. */
const STATUSES: Readonly<Record<Status, Phrase>> = {
  delivered: say`delivered`,
  accepted: say`sent: the provider has taken them`,
  published: say`in the inbox of the app`,
  queued: say`waiting to be sent`,
  sending: say`being sent now`,
  waiting: say`waiting for another try`,
  skipped: say`not sent on purpose: no address, turned off, suppressed or not possible now`,
  bounced: say`bounced: the address does not exist or refuses mail`,
  complained: say`reported as spam by the reader`,
  failed: say`failed`,
  unknown: say`perhaps sent: the provider gave no answer`,
  expired: say`expired before they could be sent`,
  discarded: say`failed, and discarded by hand`,
  cancelled: say`cancelled before anything of them was sent`,
};

/** Returns the figures by status, with words. A status without a row in `STATUSES` is shown as it is. */
export function toldStatuses(byStatus: Broadcast["byStatus"]) {
  const known = Object.entries(STATUSES).filter(([status]) => (byStatus[status] ?? 0) > 0);
  const others = Object.keys(byStatus).filter((status) => !Object.hasOwn(STATUSES, status));
  return [
    ...known.map(([status, text]) => ({ status, text, count: byStatus[status]! })),
    ...others.map((status) => ({ status, text: status, count: byStatus[status]! })),
  ];
}

/** Returns the audience in words. */
export function audienceOf({ topics }: Pick<Broadcast, "topics">): Phrase {
  if (topics === null) return say`a list of users`;
  return topics.length === 1
    ? say`the members of ${topics[0]!}`
    : say`the members of ${counted(topics.length, "topic")}: ${topics.join(", ")}`;
}

/** Words for why a person would get nothing on a channel. */
export const MISS_WORDS: Readonly<Record<Miss, Phrase>> = {
  "no-address": say`have no address for it in their profile`,
  "no-device": say`have registered no device`,
  "no-provider": say`cannot be reached: there is no active provider`,
  "turned-off": say`have turned it off`,
  "not-turned-on": say`have not turned it on: its category is off by default`,
  suppressed: say`have a suppressed address`,
};
