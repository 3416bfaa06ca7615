import type {
  SettingName,
  TemplateSettings,
} from "@belfry/administration/templates/template-settings";
import { durationText, durationUnit } from "@belfry/administration/templates/template-timing";
import type { DigestSettings, ThrottleSettings } from "@belfry/contracts/delivery";
import { counted } from "../page/words.ts";

/** What publishing sets for all languages of a template, in sentences. */
export function settingSentences(
  changed: readonly SettingName[],
  settings: TemplateSettings,
): string[] {
  return changed.flatMap((name) =>
    (SENTENCES[name] as (value: unknown) => string[])(settings[name]),
  );
}

const SENTENCES: { [K in SettingName]: (value: TemplateSettings[K]) => string[] } = {
  active: (isOn) => [isOn ? "It is active from now on." : "It is not active any more."],
  sensitive: (isOn) => [
    isOn
      ? "New: sensitive. Its variables are deleted once everything is sent, and its content is never shown."
      : "Not sensitive any more: its content can be shown.",
  ],
  atMostOnce: (isOn) => [
    isOn
      ? "New: never sent twice. A message whose outcome we cannot know is marked “unknown” for you to review."
      : "Messages are tried again if we lose the connection to the provider.",
  ],
  plainCharacters: (isOn) => [
    isOn
      ? "New: curly quotes, dashes and the like are sent as plain characters."
      : "Curly quotes, dashes and the like are sent as they are written.",
  ],
  expiresAfterSeconds: (seconds) => [
    seconds === null
      ? "No expiry any more."
      : `New expiry: not sent later than ${durationText(seconds)} after the event.`,
  ],
  digest: (digest) =>
    digest === null
      ? ["No digest any more: each event is sent as its own message."]
      : digestSentences(digest),
  throttle: (throttle) => [
    throttle === null ? "No limit per user any more." : throttleSentence(throttle),
  ],
  afterUnreadSeconds: (seconds) => [
    seconds === null
      ? "Sent at once, whether or not it is read in the inbox."
      : `New: sent only if it is still unread in the inbox after ${durationText(seconds)}.`,
  ],
  targetChannel: (name) => [
    name === null
      ? "Published to the personal realtime channel of the user."
      : `Published to the realtime channel ${name}.`,
  ],
  requiredVariables: (names) => [
    names === null
      ? "No required variables any more."
      : `Required variables: ${names.join(", ")}. Without one of them nothing is sent.`,
  ],
  // For previews alone.
  sampleVariables: () => [],
};

function throttleSentence({ count, seconds }: ThrottleSettings): string {
  const messages = counted(count, "message");
  const [unit, length] = durationUnit(seconds);
  return seconds === length
    ? `New limit: ${messages} per user per ${unit}.`
    : `New limit: ${messages} per user in ${durationText(seconds)}.`;
}

const DAYS = [
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
  "Sunday",
] as const;
const LIST = new Intl.ListFormat("en", { type: "conjunction" });

function digestSentences({ key, leading, ...when }: DigestSettings): string[] {
  const sentences = [digestSentence(when)];
  if (key !== undefined) {
    sentences.push(`Events with different values of ${key} come in different messages.`);
  }
  if (leading) sentences.push("The first event is sent immediately, the later ones together.");
  return sentences;
}

function digestSentence({ windowSeconds, at, days, sliding, maxSeconds }: DigestSettings): string {
  if (windowSeconds === undefined) {
    if (days === undefined) {
      return `New digest: one message a day at ${at}, in the recipient's time zone.`;
    }
    const names = LIST.format(days.map((day) => DAYS[day - 1] ?? ""));
    return `New digest: one message at ${at} on ${names}, in the recipient's time zone.`;
  }
  const window = durationText(windowSeconds);
  if (!sliding) return `New digest: one message for all events within ${window} of the first.`;
  return maxSeconds === undefined
    ? `New digest: one message for all events, once none has come for ${window}.`
    : `New digest: one message for all events, once none has come for ${window}, at the latest after ${durationText(maxSeconds)}.`;
}
