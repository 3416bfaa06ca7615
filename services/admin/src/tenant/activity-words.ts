import {
  type Grouping,
  type Measure,
  OTHER,
  type RangeName,
} from "@belfry/administration/health/activity-sums";
import type { Trouble } from "@belfry/administration/health/tenant-troubles";
import { CHANNEL_ROWS, isChannel } from "@belfry/contracts/channels";
import { filledWords, reasonWords } from "@belfry/contracts/reasons";
import { CHANNEL_NAMES, DEAD_CLASS_NAMES, number } from "../page/words.ts";

/** What the overviews call their figures and groups, and how they say what is wrong. */

export const MEASURE_NAMES: Readonly<Record<Measure, string>> = {
  accepted: "Accepted",
  sent: "Sent",
  delivered: "Delivered",
  failed: "Failed",
  skipped: "Skipped",
  waiting: "Waiting",
  read: "Read",
};

export const GROUPING_NAMES: Readonly<Record<Grouping, string>> = {
  channel: "Channel",
  provider: "Provider",
  template: "Template",
  type: "Event type",
  reason: "Reason",
  tenant: "Tenant",
};

/** With what the figures of a range are compared. */
export const COMPARED_WITH: Readonly<Record<RangeName, string>> = {
  hour: "Changes are against the hour before.",
  day: "Changes are against the 24 hours before.",
  week: "Changes are against the 7 days before.",
  month: "Changes are against the 30 days before.",
};

export const THE_REST = "Others";

const REASON_NAMES: Readonly<Record<string, string>> = {
  bounced: "bounced",
  complained: "marked as spam",
  discarded: "discarded by hand",
  "no-template": "no active template",
  "no-provider": "no active provider",
  "no-address": "no address",
  "address-suppressed": "address suppressed",
  "turned-off": "turned off by the user",
  "turned-off-category": "turned off by the user",
  "turned-off-channel": "turned off by the user",
  "turned-off-category-channel": "turned off by the user",
  "not-turned-on": "not turned on by the user",
  "tenant-inactive": "tenant not active",
  "digest-cancelled": "cancelled",
  "read-in-inbox": "already read in the inbox",
  "expires-in-quiet-hours": "expired",
  "expired-in-turn": "expired",
  "variable-missing": "a value is missing",
  other: "another reason",
};
/** Of one code as a skip; as a class of dead letters it means something else. */
const SKIPPED_BY_THROTTLE = "enough of these for the user";

/** How a group reads: see `GROUPINGS`. */
export function groupLabel(
  grouping: Grouping,
  measure: Measure,
  tenants?: ReadonlyMap<string, string>,
) {
  return (name: string): string => {
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

/** Where the events of a group are listed, below a tenant's pages; undefined: no list is of that group. */
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

type Sentences = Readonly<Record<RangeName, string>>;

const FAILED: Sentences = {
  hour: "{failed} of {all} {messages} failed in the last hour: {why}",
  day: "{failed} of {all} {messages} failed in the last 24 hours: {why}",
  week: "{failed} of {all} {messages} failed in the last 7 days: {why}",
  month: "{failed} of {all} {messages} failed in the last 30 days: {why}",
};
const NO_PROVIDER: Sentences = {
  hour: "{failed} {messages} were not sent in the last hour: there is no active provider",
  day: "{failed} {messages} were not sent in the last 24 hours: there is no active provider",
  week: "{failed} {messages} were not sent in the last 7 days: there is no active provider",
  month: "{failed} {messages} were not sent in the last 30 days: there is no active provider",
};
const NO_TEMPLATE: Sentences = {
  hour: "{failed} of {all} events reached nobody in the last hour: there is no active template",
  day: "{failed} of {all} events reached nobody in the last 24 hours: there is no active template",
  week: "{failed} of {all} events reached nobody in the last 7 days: there is no active template",
  month: "{failed} of {all} events reached nobody in the last 30 days: there is no active template",
};

/** Longer words of a vendor are cut. */
const MOST_WHY = 200;

/** A sentence with the place, below the tenant's pages, where the group is listed. */
export function troubleInWords(trouble: Trouble, range: RangeName): { text: string; path: string } {
  const { channel, code, dead } = trouble;
  const why =
    reasonWords(dead?.reason ?? null) ??
    REASON_NAMES[code] ??
    DEAD_CLASS_NAMES[code] ??
    code.replaceAll("-", " ");
  const more = trouble.isPartial ? "+" : "";
  const args = {
    failed: `${number(trouble.failed)}${more}`,
    all: `${number(trouble.of)}${more}`,
    messages: isChannel(channel) ? CHANNEL_ROWS[channel].words.plural : channel,
    why: why.length > MOST_WHY ? `${why.slice(0, MOST_WHY)} …` : why,
  };
  if (code === "no-provider") {
    return { text: filledWords(NO_PROVIDER[range], args), path: "providers" };
  }
  if (code === "no-template") {
    return { text: filledWords(NO_TEMPLATE[range], args), path: "activity?status=skipped" };
  }
  const choice = dead
    ? { channel: dead.channel, class: dead.class, provider: dead.provider ?? "" }
    : { status: "failed", channel };
  const list = dead ? "dead-letters" : "activity";
  return { text: filledWords(FAILED[range], args), path: `${list}?${new URLSearchParams(choice)}` };
}
