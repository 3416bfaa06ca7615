import {
  CHANNEL_ROWS,
  CHANNELS,
  type Channel,
  IN_APP,
  listed,
  PROVIDER_CHANNELS,
} from "@belfry/contracts/channels";
import { type ChatBlock, plainChat } from "@belfry/contracts/chat";
import { escapeHtml } from "@belfry/templates/language/characters";
import { isMissed, reasonText } from "../event/own-reasons.ts";
import { LANGUAGES, type Language, Phrase, phrase, say, type Words, written } from "./language.ts";

/** How pages write figures, times and states. */

const NUMBERS = ofEach((language) => new Intl.NumberFormat(language));
const PLURALS = ofEach((language) => new Intl.PluralRules(language));
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function ofEach<T>(make: (language: Language) => T): Record<Language, T> {
  const languages = Object.keys(LANGUAGES) as Language[];
  return Object.fromEntries(languages.map((one) => [one, make(one)])) as Record<Language, T>;
}

export function number(value: number): Phrase {
  return new Phrase((language) => NUMBERS[language].format(value));
}

/** Returns a count with its noun: `1 event`, `2,000 events`. */
export function counted(value: number, one: string, many = `${one}s`): Phrase {
  return new Phrase((language) => {
    const isOne = PLURALS[language].select(value) === "one";
    return phrase(`{0} ${isOne ? one : many}`, [number(value)]).in(language);
  });
}

export function percent(share: number | null): Phrase {
  if (share === null) return say`–`;
  return share > 0.999 && share < 1 ? say`> ${number(99.9)} %` : say`${rounded(share * 100, 10)} %`;
}

/** Returns a relative change: `+12 %`, `−5 %`, `±0 %`, `> +999 %`. `share` is 0.12 for 12 %. */
export function change(share: number): string {
  const percents = Math.round(share * 100);
  if (percents > 999) return "> +999 %";
  const sign = percents > 0 ? "+" : percents < 0 ? "−" : "±";
  return `${sign}${number(Math.abs(percents))} %`;
}

/** Returns a duration: `0.4 s`, `12 s`, `3 min`. */
export function seconds(value: number | null): Phrase {
  if (value === null) return say`–`;
  if (value < 10) return say`${rounded(value, 100)} s`;
  if (value < 2 * MINUTE) return say`${rounded(value)} s`;
  if (value < 2 * HOUR) return say`${rounded(value / MINUTE)} min`;
  if (value < 2 * DAY) return say`${rounded(value / HOUR)} h`;
  return counted(Math.round(value / DAY), "day");
}

function rounded(value: number, parts = 1): Phrase {
  return number(Math.round(value * parts) / parts);
}

/** Returns a time: `2026-03-01 10:00:05 UTC`. The page's script converts it to the reader's time zone. */
export function time(value: Date | string): string {
  return `${iso(value).slice(0, 19).replace("T", " ")} UTC`;
}

/** Returns a time in ISO 8601, in UTC. */
export function iso(value: Date | string): string {
  return new Date(value).toISOString();
}

/** Returns a relative time: `3 min ago`, `in 2 h`. */
export function ago(value: Date | string | null, now = Date.now()): Phrase {
  if (value === null) return say`never`;
  const passed = (now - new Date(value).getTime()) / 1000;
  if (passed >= 0 && passed < 5) return say`just now`;
  return passed >= 0 ? say`${seconds(passed)} ago` : say`in ${seconds(-passed)}`;
}

export const CHANNEL_NAMES: Readonly<Record<string, Phrase>> = Object.fromEntries(
  CHANNELS.map((channel) => [channel, phrase(CHANNEL_ROWS[channel].words.label)]),
);
export const IN_APP_NAME = phrase(CHANNEL_ROWS[IN_APP].words.label);

/** Returns the channels that need a provider as a list: `email or SMS`. */
export function providerChannels(last: "and" | "or"): Phrase {
  return listedChannels(PROVIDER_CHANNELS, last);
}

/** Returns channels as a list: `email, SMS and push`. */
export function listedChannels(channels: readonly Channel[], last: "and" | "or"): Phrase {
  return new Phrase((language) => {
    const names = channels.map((one) => phrase(CHANNEL_ROWS[one].words.inSentence).in(language));
    return listed(names, phrase(last).in(language));
  });
}

/** Translates a name of ours that code compares, such as the state `accepted`. Never call it with a tenant's value. */
export function term(name: string): Phrase {
  return phrase(name);
}

/** Reasons of dead letters, by class. */
export const DEAD_CLASS_NAMES: Readonly<Record<string, Phrase>> = {
  permanent: say`rejected permanently`,
  policy: say`refused by the provider's rules`,
  credentials: say`account or settings`,
  throttled: say`rate limited`,
  deferred: say`put off until retries were used up`,
  transient: say`temporary failures, retries used up`,
  ambiguous: say`no answer`,
  untried: say`never tried`,
  expired: say`expired`,
  unknown: say`possibly sent`,
  message: say`unreadable`,
};

/** Returns the tone of a state. A skipped channel is bad if its stored reason means that a message is missing. */
export function tone(status: string, reason?: string | null): string {
  if (status === "skipped" && isMissed(reason)) return "bad";
  if (["accepted", "delivered", "published", "dispatched"].includes(status)) return "good";
  if (["queued", "sending", "waiting", "scheduled"].includes(status)) return "busy";
  if (["skipped", "discarded", "cancelled"].includes(status)) return "quiet";
  return "bad";
}

export function toneOfAction(action: string): string {
  if (/(delete|remove|revoke|deactivate|discard|withdraw)$/.test(action)) return "bad";
  return /(create|add|activate|join|restore)$/.test(action) ? "good" : "quiet";
}

/** Returns `Sandbox` of `Sandbox (keeps emails)`; `titleNote` returns the words in brackets. */
export function shortTitle(title: string): string {
  return title.replace(/ \(.*\)$/, "");
}

export function titleNote(title: string): string {
  return / \((.*)\)$/.exec(title)?.[1] ?? "";
}

/** Returns a field's name in words: `settings.fromName` becomes "settings, from name". */
export function fieldName(field: string): string {
  const words = field.replaceAll(/([a-z])([A-Z])/g, (_, end, start) => `${end} ${start}`);
  return words.replaceAll(".", ", ").toLowerCase();
}

/** Returns the browser of a user agent header: `Firefox on Linux`. */
export function browser(userAgent: string): Words {
  const name = /(Edg|OPR|Firefox|Chrome|Safari|curl)\/[\d.]+/.exec(userAgent)?.[1];
  const system = /\b(Windows|Mac OS X|Android|iPhone|iPad|Linux)\b/.exec(userAgent)?.[1];
  const names: Record<string, string> = { Edg: "Edge", OPR: "Opera" };
  if (name === undefined) return say`Unknown browser`;
  const shown = names[name] ?? name;
  return system === undefined ? shown : say`${shown} on ${system}`;
}

/** Returns HTML of a time, which the page's script converts to the reader's time zone. */
export function when(value: Date | string, form: "full" | "ago" | "time" | "day" = "full"): Phrase {
  const text = form === "ago" ? ago(value) : phrase("{0}", [time(value)]);
  return new Phrase(
    (language) =>
      `<time datetime="${iso(value)}" data-form="${form}" title="${time(value)}">${text.in(language)}</time>`,
  );
}

/** Matches a time in ISO 8601. */
const STAMP = /(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))/;

/** Returns HTML of words or a stored reason: escaped, and each ISO 8601 time in them written as by `when`. */
export function withTimes(text: Words | null | undefined): Phrase {
  const isTime = (part: string, at: number) => at % 2 === 1 && !Number.isNaN(Date.parse(part));
  return new Phrase((language) => {
    const words = written(text instanceof Phrase ? text : reasonText(text ?? ""), language);
    return words
      .split(STAMP)
      .map((part, at) => (isTime(part, at) ? when(part).in(language) : escapeHtml(part)))
      .join("");
  });
}

/** Returns the text of a message that is shown as a text, of a chat message without its marks. */
export function shownText(
  content: { kind: "chat"; blocks: readonly ChatBlock[] } | { kind: "text"; text: string },
): string {
  return content.kind === "chat" ? plainChat(content.blocks, true) : content.text;
}
