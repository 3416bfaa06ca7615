import { isDeepStrictEqual } from "node:util";
import { emailAddress } from "@belfry/contracts/addresses";
import { channelsWith, IN_APP, listed, TO_DEVICES } from "@belfry/contracts/channels";
import type { DigestSettings, ThrottleSettings } from "@belfry/contracts/delivery";
import { distinctAddresses } from "@belfry/contracts/envelope";
import { field } from "@belfry/contracts/fields";
import { MAX_SOURCE_BYTES } from "@belfry/templates/language/bounds";
import type { TOptional, TUnsafe } from "@sinclair/typebox";
import { optional } from "../act.ts";
import {
  addresses,
  days,
  type Kind,
  line,
  names,
  type Part,
  partsOf,
  text,
  whole,
  yes,
  yesOrNo,
} from "./setting-kinds.ts";
import { dataKind } from "./template-device.ts";
import { normalDigest, readThrottle, throttleText } from "./template-timing.ts";

/**
 * A setting of a template for all its languages: a row of `SETTINGS`. The acts' fields, the flags, the lines of a
 * template's file, the columns, the differences and the notes of the audit log are made from the rows.
 */
interface Row<T, C extends string> {
  column: C;
  kind: Kind<NonNullable<T>>;
  description: string;
  /** The value if nothing is set. */
  none: T;
  /**
   * Effect of leaving the setting out when the default variant is saved. A translation changes only the settings that
   * it names.
   */
  whenLeftOut: "stays" | "set back";
  /** Returns the canonical form, in which equivalent values are equal. */
  normal?(value: NonNullable<T>): T;
}

/** The parts of a digest. Each is a line of a template's file and a flag, such as `digest-window-seconds`. */
export const DIGEST_PARTS: Record<keyof DigestSettings, Part> = {
  windowSeconds: {
    kind: whole,
    description: "how long events are combined into one message, in seconds",
  },
  at: {
    kind: text("a time of day such as 09:00"),
    description: "one message at 09:00, by the recipient's clock",
  },
  days: {
    kind: days,
    description: "with --digest-at: the days on which it is sent, such as mon,thu",
  },
  key: {
    kind: text("the name of a variable"),
    description: "events with different values of this variable are combined separately",
  },
  sliding: { kind: yes, description: "each event restarts the window" },
  maxSeconds: { kind: whole, description: "of a sliding window: its longest duration in seconds" },
  leading: {
    kind: yes,
    description: "the first event is sent at once, the later ones together",
  },
};

const row = <T, const C extends string>(row: Row<T, C>): Row<T, C> => row;

function onOrOff<const C extends string>(column: C, description: string, none = false) {
  return row({ column, kind: yesOrNo, description, none, whenLeftOut: "set back" });
}

const OF_MAIL = `of ${listed(channelsWith("email"), "or")}`;

function copies<const C extends string>(column: C, which: string): Row<string[] | null, C> {
  return {
    column,
    kind: addresses,
    description: `${OF_MAIL}: who gets a copy ${which}, as a@example.com,b@example.com; '' for nobody; default: as it is`,
    none: null,
    whenLeftOut: "stays",
    normal: (list) => (list.length === 0 ? null : distinctAddresses(list)),
  };
}

export const SETTINGS = {
  active: onOrOff("active", "use it for events; default: true", true),
  sensitive: onOrOff("sensitive", "one-time codes and the like: content is erased and never shown"),
  atMostOnce: onOrOff(
    "at_most_once",
    "a try without an answer is not repeated: it ends as unknown",
  ),
  plainCharacters: onOrOff(
    "plain_characters",
    `of ${listed(channelsWith("text"), "or")}: curly quotes, dashes and the like are sent as plain ones`,
  ),
  expiresAfterSeconds: row<number | null, "expires_after_seconds">({
    column: "expires_after_seconds",
    kind: whole,
    description: "seconds after the event; a message that is later than that is not sent",
    none: null,
    whenLeftOut: "set back",
  }),
  digest: row<DigestSettings | null, "digest">({
    column: "digest",
    kind: partsOf(DIGEST_PARTS, {
      read: () => undefined,
      write: JSON.stringify,
      form: "its parts",
    }),
    description: "combines several events into one message; null: each event is sent alone",
    none: null,
    whenLeftOut: "stays",
    normal: normalDigest,
  }),
  throttle: row<ThrottleSettings | null, "throttle">({
    column: "throttle",
    kind: partsOf(
      {
        count: { kind: whole, description: "number of messages" },
        seconds: { kind: whole, description: "length of the time, in seconds" },
      },
      { read: readThrottle, write: throttleText, form: "a number by seconds, as 5/3600" },
    ),
    description: "at most `count` messages per user in any `seconds`; the rest are skipped",
    none: null,
    whenLeftOut: "stays",
  }),
  afterUnreadSeconds: row<number | null, "after_unread_seconds">({
    column: "after_unread_seconds",
    kind: whole,
    description: "sent after that time, unless it was read in the inbox",
    none: null,
    whenLeftOut: "stays",
  }),
  targetChannel: row<string | null, "target_channel">({
    column: "target_channel",
    kind: line,
    description: `realtime channel of ${IN_APP}; default: the personal one`,
    none: null,
    whenLeftOut: "set back",
  }),
  requiredVariables: row<string[] | null, "required_variables">({
    column: "required_variables",
    kind: names,
    description:
      "a,b: without one of them nothing is sent on this channel; '' for none; default: as they are",
    none: null,
    whenLeftOut: "stays",
    normal: (list) => (list.length === 0 ? null : [...new Set(list)]),
  }),
  fromName: row<string | null, "from_name">({
    column: "from_name",
    kind: line,
    description: `${OF_MAIL}: the name beside the sender's address, with {{variables}}; '' for the provider's; default: as it is`,
    none: null,
    whenLeftOut: "stays",
    normal: (text) => text.trim() || null,
  }),
  replyTo: row<string | null, "reply_to">({
    column: "reply_to",
    kind: line,
    description: `${OF_MAIL}: where answers go, with {{variables}}; '' for the provider's; default: as it is`,
    none: null,
    whenLeftOut: "stays",
    normal: (text) => (text.trim() === "" ? null : (emailAddress(text.trim()) ?? text.trim())),
  }),
  cc: row<string[] | null, "cc">(copies("cc", "that everybody sees")),
  bcc: row<string[] | null, "bcc">(copies("bcc", "that nobody sees")),
  image: row<string | null, "image">({
    column: "image",
    kind: line,
    description: `of ${TO_DEVICES}: an https URL of a picture, with {{variables}}; '' for none; default: as it is`,
    none: null,
    whenLeftOut: "stays",
    normal: (text) => text.trim() || null,
  }),
  data: row<Record<string, string> | null, "data">({
    column: "data",
    kind: dataKind,
    description: `of ${TO_DEVICES}: values for the app by name, texts with {{variables}}; {} for none; default: as it is`,
    none: null,
    whenLeftOut: "stays",
    normal: (data) => (Object.keys(data).length === 0 ? null : data),
  }),
  collapseKey: row<string | null, "collapse_key">({
    column: "collapse_key",
    kind: line,
    description: `of ${TO_DEVICES}: a later message with the same key replaces the earlier one, with {{variables}}; '' for none; default: as it is`,
    none: null,
    whenLeftOut: "stays",
    normal: (text) => text.trim() || null,
  }),
  sampleVariables: row<string | null, "sample_variables">({
    column: "sample_variables",
    kind: { ...text("a JSON object", MAX_SOURCE_BYTES), read: (text) => text },
    description: "for previews: a JSON object as text",
    none: null,
    whenLeftOut: "stays",
  }),
};

export type SettingName = keyof typeof SETTINGS;

/** The values of all settings. null if a setting has none. */
export type TemplateSettings = { [K in SettingName]: (typeof SETTINGS)[K]["none"] };

/** Settings to change. One that is left out stays or is reset: see `whenLeftOut`. */
export type TemplateSettingsInput = { [K in SettingName]?: TemplateSettings[K] | undefined };

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The rows as a list, for loops over all of them. */
const ROWS = Object.entries(SETTINGS) as unknown as [
  SettingName,
  Row<TemplateSettings[SettingName], string>,
][];

/** Output fields. */
export const SET = Object.fromEntries(
  ROWS.map(([name, { kind, none, description }]) => {
    const { keywords, fault } = kind;
    const type = none === null ? [keywords.type, "null"] : keywords.type;
    const isNone = (value: unknown) => none === null && value === null;
    return [
      name,
      field({ ...keywords, type, description }, (value) =>
        isNone(value) ? undefined : fault(value),
      ),
    ];
  }),
) as { [K in SettingName]: TUnsafe<TemplateSettings[K]> };

/** Fields of acts that change settings. */
export const SETTING_FIELDS = Object.fromEntries(
  Object.entries(SET).map(([name, field]) => [name, optional(field)]),
) as { [K in SettingName]: TOptional<TUnsafe<TemplateSettings[K]>> };

/** Values of a template without settings. */
export const NOT_SET = Object.fromEntries(
  ROWS.map(([name, { none }]) => [name, none]),
) as unknown as TemplateSettings;

type Selected = {
  [K in SettingName]: `t.${(typeof SETTINGS)[K]["column"]} as ${K}`;
}[SettingName];
/** The columns of `templates as t`, named like the settings. */
export const SETTING_COLUMNS = ROWS.map(
  ([name, { column }]) => `t.${column} as ${name}`,
) as Selected[];

/** Returns the columns to change. Settings that are not named are left out. */
export function settingColumns(changes: TemplateSettingsInput): Record<string, unknown> {
  return Object.fromEntries(
    ROWS.filter(([name]) => changes[name] !== undefined).map(([name, { column }]) => {
      const value = changes[name];
      const isJson = name === "digest" || name === "throttle" || name === "data";
      return [column, isJson && value !== null ? JSON.stringify(value) : value];
    }),
  );
}

/** Returns only the settings of an input. */
export function namedSettings(input: TemplateSettingsInput): TemplateSettingsInput {
  return Object.fromEntries(
    SETTING_NAMES.filter((name) => input[name] !== undefined).map((name) => [name, input[name]]),
  );
}

/** Returns only the settings of a row. */
export function settingsOf(row: TemplateSettings): TemplateSettings {
  return namedSettings(row) as TemplateSettings;
}

/** Returns the template's settings after an input is saved in a language. */
export function settingsAfter(now: TemplateSettings, input: TemplateSettingsInput, locale: string) {
  return Object.fromEntries(
    ROWS.map(([name, { none, whenLeftOut, normal }]) => {
      const isSetBack = locale === "" && whenLeftOut === "set back";
      const value = input[name] === undefined ? (isSetBack ? none : now[name]) : input[name];
      return [name, value === null || normal === undefined ? value : normal(value)];
    }),
  ) as unknown as TemplateSettings;
}

/** Returns the names of settings that differ. */
export function changedSettings(from: TemplateSettings, to: TemplateSettings): SettingName[] {
  return SETTING_NAMES.filter((name) => !isDeepStrictEqual(from[name], to[name]));
}

interface Line {
  key: string;
  /** Name of a setting or of a part of the digest. */
  name: string;
  isOfDigest: boolean;
  none: unknown;
  kind: Kind<unknown>;
}

/** The lines of a template's file, in their order. */
export const SETTING_LINES: readonly Line[] = ROWS.flatMap(([name, { kind, none }]): Line[] =>
  name === "digest"
    ? Object.entries(DIGEST_PARTS).map(([part, { kind }]) => {
        return { key: lineName(`digest-${part}`), name: part, isOfDigest: true, none: false, kind };
      })
    : [{ key: lineName(name), name, isOfDigest: false, none, kind: kind as Kind<unknown> }],
);

/** Returns the name in a file's line and as a flag: `at-most-once` for `atMostOnce`. */
export function lineName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
