import {
  type Grouping,
  type Measure,
  OTHER,
  type RangeName,
} from "@belfry/administration/health/activity-sums";
import type { Trouble } from "@belfry/administration/health/tenant-troubles";
import { CHANNEL_ROWS, isChannel } from "@belfry/contracts/channels";
import { reasonText } from "../event/own-reasons.ts";
import { Phrase, phrase, say, type Words } from "../page/language.ts";
import { CHANNEL_NAMES, DEAD_CLASS_NAMES, number } from "../page/words.ts";

/** The overviews' names for figures and groups, and their sentences about problems. */

export const MEASURE_NAMES: Readonly<Record<Measure, Phrase>> = {
  accepted: say`Accepted`,
  sent: say`Sent`,
  delivered: say`Delivered`,
  failed: say`Failed`,
  skipped: say`Skipped`,
  waiting: say`Waiting`,
  read: say`Read`,
};

export const GROUPING_NAMES: Readonly<Record<Grouping, Phrase>> = {
  channel: say`Channel`,
  provider: say`Provider`,
  template: say`Template`,
  type: say`Event type`,
  reason: say`Reason`,
  tenant: say`Tenant`,
};

/** Sentences about the period with which the figures of a range are compared. */
export const COMPARED_WITH: Readonly<Record<RangeName, Phrase>> = {
  hour: say`Changes are against the hour before.`,
  day: say`Changes are against the 24 hours before.`,
  week: say`Changes are against the 7 days before.`,
  month: say`Changes are against the 30 days before.`,
};

export const THE_REST = say`Others`;

const REASON_NAMES: Readonly<Record<string, Phrase>> = {
  bounced: say`bounced`,
  complained: say`marked as spam`,
  discarded: say`discarded by hand`,
  "no-template": say`no active template`,
  "no-provider": say`no active provider`,
  "no-address": say`no address`,
  "address-suppressed": say`address suppressed`,
  "turned-off": say`turned off by the user`,
  "turned-off-category": say`turned off by the user`,
  "turned-off-channel": say`turned off by the user`,
  "turned-off-category-channel": say`turned off by the user`,
  "not-turned-on": say`not turned on by the user`,
  "tenant-inactive": say`tenant not active`,
  "digest-cancelled": say`cancelled`,
  "read-in-inbox": say`already read in the inbox`,
  "expires-in-quiet-hours": say`expired`,
  "expired-in-turn": say`expired`,
  "variable-missing": say`a value is missing`,
  other: say`another reason`,
};
/** Words for `throttled` as the reason of a skip. As a class of dead letters the code means something else. */
const SKIPPED_BY_THROTTLE = say`enough of these for the user`;

/** Returns the function that makes a group's label from its name: see `GROUPINGS`. */
export function groupLabel(
  grouping: Grouping,
  measure: Measure,
  tenants?: ReadonlyMap<string, string>,
) {
  return (name: string): Words => {
    if (name === OTHER) return THE_REST;
    const [first = "", second = ""] = name.split(" ");
    switch (grouping) {
      case "channel":
        return CHANNEL_NAMES[name] ?? name;
      case "provider":
        return second === "" ? name : `${first}: ${name.slice(first.length + 1)}`;
      case "template":
        return `${first}, ${CHANNEL_NAMES[second] ?? second}`;
      case "reason":
        return measure === "skipped" && second === "throttled"
          ? SKIPPED_BY_THROTTLE
          : (REASON_NAMES[second] ?? DEAD_CLASS_NAMES[second] ?? second.replaceAll("-", " "));
      case "tenant":
        return tenants?.get(name) ?? name;
      case "type":
        return name;
    }
  };
}

/** Returns the path of a group's list of events, below a tenant's pages; undefined if there is no such list. */
export function groupPath(grouping: Grouping, name: string): string | undefined {
  const [first = "", second = ""] = name.split(" ");
  switch (grouping) {
    case "channel":
      return `activity?${new URLSearchParams({ channel: name })}`;
    case "template":
      return `activity?${new URLSearchParams({ type: first, channel: second })}`;
    case "type":
      return `activity?${new URLSearchParams({ type: name })}`;
    default:
      return undefined;
  }
}

const SPANS: Readonly<Record<RangeName, Phrase>> = {
  hour: say`the last hour`,
  day: say`the last 24 hours`,
  week: say`the last 7 days`,
  month: say`the last 30 days`,
};

/** The most characters of a vendor's words. Longer words are cut. */
const MOST_WHY = 200;

/** Returns a sentence about a problem, and the path, below the tenant's pages, of the list that shows it. */
export function troubleInWords(trouble: Trouble, range: RangeName): { text: Phrase; path: string } {
  const { channel, code, dead } = trouble;
  const span = SPANS[range];
  const more = trouble.isPartial ? "+" : "";
  const failed = say`${number(trouble.failed)}${more}`;
  const all = say`${number(trouble.of)}${more}`;
  const messages = isChannel(channel) ? phrase(CHANNEL_ROWS[channel].words.plural) : channel;
  if (code === "no-provider") {
    const text = say`${failed} ${messages} were not sent in ${span}: there is no active provider`;
    return { text, path: "providers" };
  }
  if (code === "no-template") {
    const text = say`${failed} of ${all} events reached nobody in ${span}: there is no active template`;
    return { text, path: "activity?status=skipped" };
  }
  const told = reasonText(dead?.reason ?? "");
  const isCut = !(told instanceof Phrase) && told.length > MOST_WHY;
  const cut = isCut ? `${told.slice(0, MOST_WHY)} …` : told;
  const why =
    (cut === "" ? undefined : cut) ??
    REASON_NAMES[code] ??
    DEAD_CLASS_NAMES[code] ??
    code.replaceAll("-", " ");
  const choice = dead
    ? { channel: dead.channel, class: dead.class, provider: dead.provider ?? "" }
    : { status: "failed", channel };
  const list = dead ? "dead-letters" : "activity";
  return {
    text: say`${failed} of ${all} ${messages} failed in ${span}: ${why}`,
    path: `${list}?${new URLSearchParams(choice)}`,
  };
}
