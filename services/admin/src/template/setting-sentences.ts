import type {
  SettingName,
  TemplateSettings,
} from "@belfry/administration/templates/template-settings";
import { durationUnit } from "@belfry/administration/templates/template-timing";
import type { DigestSettings, ThrottleSettings } from "@belfry/contracts/delivery";
import { Phrase, say } from "../page/language.ts";
import { counted } from "../page/words.ts";

/** Returns sentences about settings that publishing changes for all languages of a template. */
export function settingSentences(
  changed: readonly SettingName[],
  settings: TemplateSettings,
): Phrase[] {
  return changed.flatMap((name) =>
    (SENTENCES[name] as (value: unknown) => Phrase[])(settings[name]),
  );
}

const SENTENCES: { [K in SettingName]: (value: TemplateSettings[K]) => Phrase[] } = {
  active: (isOn) => [isOn ? say`It is active from now on.` : say`It is not active any more.`],
  sensitive: (isOn) => [
    isOn
      ? say`New: sensitive. Its variables are deleted once everything is sent, and its content is never shown.`
      : say`Not sensitive any more: its content can be shown.`,
  ],
  atMostOnce: (isOn) => [
    isOn
      ? say`New: never sent twice. A message whose outcome we cannot know is marked “unknown” for you to review.`
      : say`Messages are tried again if we lose the connection to the provider.`,
  ],
  plainCharacters: (isOn) => [
    isOn
      ? say`New: curly quotes, dashes and the like are sent as plain characters.`
      : say`Curly quotes, dashes and the like are sent as they are written.`,
  ],
  expiresAfterSeconds: (seconds) => [
    seconds === null
      ? say`No expiry any more.`
      : say`New expiry: not sent later than ${duration(seconds)} after the event.`,
  ],
  digest: (digest) =>
    digest === null
      ? [say`No digest any more: each event is sent as its own message.`]
      : digestSentences(digest),
  throttle: (throttle) => [
    throttle === null ? say`No limit per user any more.` : throttleSentence(throttle),
  ],
  afterUnreadSeconds: (seconds) => [
    seconds === null
      ? say`Sent at once, whether or not it is read in the inbox.`
      : say`New: sent only if it is still unread in the inbox after ${duration(seconds)}.`,
  ],
  targetChannel: (name) => [
    name === null
      ? say`Published to the personal realtime channel of the user.`
      : say`Published to the realtime channel ${name}.`,
  ],
  requiredVariables: (names) => [
    names === null
      ? say`No required variables any more.`
      : say`Required variables: ${names.join(", ")}. Without one of them nothing is sent.`,
  ],
  fromName: (text) => [
    text === null
      ? say`The sender's name is that of the provider.`
      : say`New sender's name: ${text}.`,
  ],
  replyTo: (text) => [
    text === null
      ? say`Answers go where the provider's settings say.`
      : say`New: answers go to ${text}.`,
  ],
  cc: (list) => [
    list === null
      ? say`Nobody gets a copy (Cc) any more.`
      : say`Copies (Cc) go to ${list.join(", ")}.`,
  ],
  bcc: (list) => [
    list === null
      ? say`Nobody gets a hidden copy (Bcc) any more.`
      : say`Hidden copies (Bcc) go to ${list.join(", ")}.`,
  ],
  image: (url) => [url === null ? say`No picture any more.` : say`New picture: ${url}.`],
  data: (data) => [
    data === null
      ? say`No values for the app any more.`
      : say`Values for the app: ${Object.keys(data).join(", ")}.`,
  ],
  collapseKey: (key) => [
    key === null
      ? say`Messages do not replace earlier ones any more.`
      : say`A message replaces an earlier one with the same key: ${key}.`,
  ],
  // Only previews use sample values.
  sampleVariables: () => [],
};

function throttleSentence({ count, seconds }: ThrottleSettings): Phrase {
  const messages = counted(count, "message");
  const [unit, length] = durationUnit(seconds);
  if (seconds !== length) return say`New limit: ${messages} per user in ${duration(seconds)}.`;
  return {
    second: say`New limit: ${messages} per user per second.`,
    minute: say`New limit: ${messages} per user per minute.`,
    hour: say`New limit: ${messages} per user per hour.`,
    day: say`New limit: ${messages} per user per day.`,
  }[unit];
}

/** Returns a duration in words, such as `90 minutes` or `1 hour`. */
export function duration(seconds: number): Phrase {
  const [unit, length] = durationUnit(seconds);
  const count = seconds / length;
  return {
    second: counted(count, "second"),
    minute: counted(count, "minute"),
    hour: counted(count, "hour"),
    day: counted(count, "day"),
  }[unit];
}

/** Returns weekdays in words, such as `Monday and Friday`. 1 is Monday. */
function weekdays(days: readonly number[]): Phrase {
  return new Phrase((language) => {
    const name = new Intl.DateTimeFormat(language, { weekday: "long", timeZone: "UTC" });
    const names = days.map((day) => name.format(Date.UTC(2024, 0, day)));
    return new Intl.ListFormat(language, { type: "conjunction" }).format(names);
  });
}

function digestSentences({ key, leading, ...when }: DigestSettings): Phrase[] {
  const sentences = [digestSentence(when)];
  if (key !== undefined) {
    sentences.push(say`Events with different values of ${key} come in different messages.`);
  }
  if (leading) sentences.push(say`The first event is sent immediately, the later ones together.`);
  return sentences;
}

function digestSentence({ windowSeconds, at, days, sliding, maxSeconds }: DigestSettings): Phrase {
  if (windowSeconds === undefined) {
    if (days === undefined) {
      return say`New digest: one message a day at ${at}, in the recipient's time zone.`;
    }
    return say`New digest: one message at ${at} on ${weekdays(days)}, in the recipient's time zone.`;
  }
  const window = duration(windowSeconds);
  if (!sliding) return say`New digest: one message for all events within ${window} of the first.`;
  return maxSeconds === undefined
    ? say`New digest: one message for all events, once none has come for ${window}.`
    : say`New digest: one message for all events, once none has come for ${window}, at the latest after ${duration(maxSeconds)}.`;
}
