import { channelsWith, IN_APP, listed } from "@belfry/contracts/channels";
import { type Fault, field } from "@belfry/contracts/fields";
import type { DigestSettings, ThrottleSettings } from "@belfry/contracts/timing";
import { MAX_SOURCE_BYTES } from "@belfry/templates/bounds";
import { type TOptional, type TUnsafe, Type } from "@sinclair/typebox";
import { normalDigest } from "./timing-input.ts";
import { daysText, digestText, readDays, readThrottle, throttleText } from "./timing-text.ts";

/**
 * What is set of a template for all its languages, one row a setting: `SETTINGS`. The acts' fields, the flags, the
 * lines of a template's file, the columns, the differences and the audit log's notes follow from the rows.
 */
export interface TemplateSettings {
  active: boolean;
  /** Its variables are erased when the event has ended, and its content is never shown. */
  sensitive: boolean;
  /** A try without an answer is not repeated: the delivery ends as unknown. */
  atMostOnce: boolean;
  /** Of a short message: curly quotes, dashes and the like are sent as plain ones. */
  plainCharacters: boolean;
  /** A delivery that has not been sent by then expires. */
  expiresAfterSeconds: number | null;
  /** null: each event is sent by itself. */
  digest: DigestSettings | null;
  /** null: as many as there are. */
  throttle: ThrottleSettings | null;
  /** Sent after that time, unless it was read in the inbox; null: whether it was read or not. */
  afterUnreadSeconds: number | null;
  /** Of a notification: the realtime channel's name; null: the personal channel. */
  targetChannel: string | null;
  /** Without one of them the channel ends as failed, and no provider is called. */
  requiredVariables: string[] | null;
  /** JSON text of an object, for previews. */
  sampleVariables: string | null;
}

export type SettingName = keyof TemplateSettings;

/** null: none. What is left out stays, or is set back: see `whenLeftOut`. */
export type TemplateSettingsInput = { [K in SettingName]?: TemplateSettings[K] | undefined };

/** How a value stands in a line of a file, and behind a flag of the command line. */
export interface Written<T> {
  /** undefined: it is not written so. */
  read(text: string): T | undefined;
  write(value: T): string;
  /** Follows "must be". */
  form: string;
}

interface Row<T, C extends string> {
  column: C;
  /** Of an act's input. It takes whatever a draft may hold: publishing is stricter. */
  field: TUnsafe<T>;
  /** Its value where it is not set. */
  none: T;
  /** By a put of the default variant; a translation changes only what it names. */
  whenLeftOut: "stays" | "set back";
  /** For people. */
  label: string;
  /** Absent: `template-file.ts` has a form of its own. */
  written?: Written<NonNullable<T>>;
  /** For people, where `written` does not do. */
  words?(value: NonNullable<T>): string;
  /** Two values that say the same become equal. */
  normal?(value: NonNullable<T>): T;
}

const yesOrNo: Written<boolean> = {
  read: (text) => (text === "yes" || text === "no" ? text === "yes" : undefined),
  write: (value) => (value ? "yes" : "no"),
  form: "yes or no",
};
const onlyYes: Written<boolean> = {
  read: (text) => (text === "yes" ? true : undefined),
  write: () => "yes",
  form: "yes, or left out",
};
const whole: Written<number> = {
  read: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
  write: String,
  form: "a whole number",
};
const plain = (form: string): Written<string> => ({
  read: (text) => text || undefined,
  write: (text) => text,
  form,
});
export const line: Written<string> = {
  read(text) {
    const read = text.startsWith('"') ? jsonOf(text) : text;
    return typeof read === "string" && read !== "" ? read : undefined;
  },
  // Blanks at the ends would be lost, and a quote at the beginning says that it is JSON.
  write: (text) => (text.trim() === text && !text.startsWith('"') ? text : JSON.stringify(text)),
  form: "a text",
};
const names: Written<string[]> = {
  read(text) {
    const read = text.startsWith("[") ? jsonOf(text) : text.split(",").map((name) => name.trim());
    return Array.isArray(read) && read.every((name) => typeof name === "string") ? read : undefined;
  },
  write(list) {
    const isPlain = list.every((name) => name.trim() === name && !/[,[]/.test(name));
    return isPlain ? list.join(", ") : JSON.stringify(list);
  },
  form: "names with commas between them",
};

const MAX_LINE_BYTES = 8192;
const MAX_NAMES = 1000;

/** What the database can hold of a text, with a bound. */
export function writtenFault(value: unknown, maxBytes: number): string | undefined {
  if (typeof value !== "string") return "must be a text";
  if (Buffer.byteLength(value) > maxBytes) return `is larger than ${maxBytes} bytes`;
  return value.includes("\u0000") || !value.isWellFormed()
    ? "must not contain NUL or lone surrogates"
    : undefined;
}

/** Text of a template: what publishing refuses of it, a draft may hold. */
export function written(description: string, maxBytes = MAX_LINE_BYTES): TUnsafe<string> {
  return field({ type: "string", description }, (value) => writtenFault(value, maxBytes));
}

function nullable<T>(type: string, description: string, fault: Fault, more: object = {}) {
  return field<T | null>({ type: [type, "null"], description, ...more }, (value) =>
    value === null ? undefined : fault(value),
  );
}

function setting<T, const C extends string>(row: Row<T, C>): Row<T, C> {
  return row;
}

function onOrOff<const C extends string>(column: C, label: string, description: string) {
  return setting<boolean, C>({
    column,
    label,
    none: false,
    whenLeftOut: "set back",
    written: yesOrNo,
    field: field({ type: "boolean", description }, (value) =>
      typeof value === "boolean" ? undefined : "must be true or false",
    ),
  });
}

function seconds<const C extends string>(
  column: C,
  label: string,
  description: string,
  whenLeftOut: "stays" | "set back",
) {
  return setting<number | null, C>({
    column,
    label,
    none: null,
    whenLeftOut,
    written: whole,
    field: nullable("integer", description, (value) =>
      typeof value === "number" ? undefined : "must be a number",
    ),
  });
}

/** An object of these parts alone: a part is a number, a string, a boolean or a list of numbers. */
function shaped<T>(description: string, shape: Readonly<Record<string, unknown>>) {
  const properties = Object.fromEntries(
    Object.entries(shape).map(([name, sample]) => [
      name,
      Array.isArray(sample)
        ? { type: "array", items: { type: "number" } }
        : { type: typeof sample },
    ]),
  );
  const isPart = (name: string, value: unknown) => {
    const sample = shape[name];
    if (Array.isArray(sample)) {
      return Array.isArray(value) && value.length <= 7 && value.every(Number.isInteger);
    }
    return typeof value === "string"
      ? typeof sample === "string" && writtenFault(value, MAX_LINE_BYTES) === undefined
      : typeof value === typeof sample;
  };
  return nullable<T>(
    "object",
    description,
    (value) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        return "must be an object";
      }
      const wrong = Object.entries(value).find(([name, part]) => !isPart(name, part));
      return wrong === undefined
        ? undefined
        : `${wrong[0].slice(0, 40)} is not known, or of another type`;
    },
    { properties },
  );
}

interface DigestPart<T> {
  /** What its flag takes; null: nothing. */
  argument: string | null;
  description: string;
  written: Written<T>;
}

/** Each is a line of a template's file and a flag, as `digest-window-seconds`. */
export const DIGEST_PARTS: {
  [K in keyof DigestSettings]-?: DigestPart<Required<DigestSettings>[K]>;
} = {
  windowSeconds: {
    argument: "n",
    description: "one message for the events of so long",
    written: whole,
  },
  at: {
    argument: "time",
    description: "one message at 09:00, by the recipient's clock",
    written: plain("a time of day such as 09:00"),
  },
  days: {
    argument: "days",
    description: "with --digest-at: on these days, as mon,thu",
    written: { read: readDays, write: daysText, form: "days such as mon,thu" },
  },
  key: {
    argument: "name",
    description: "events are kept apart by the value of this variable",
    written: plain("the name of a variable"),
  },
  sliding: {
    argument: null,
    description: "the window begins anew with each event",
    written: onlyYes,
  },
  maxSeconds: {
    argument: "n",
    description: "of a sliding one: the longest in all",
    written: whole,
  },
  leading: {
    argument: null,
    description: "the first event leaves at once, those after it together",
    written: onlyYes,
  },
};

export const SETTINGS = {
  active: { ...onOrOff("active", "Active", "use it for events; default: true"), none: true },
  sensitive: onOrOff(
    "sensitive",
    "Sensitive",
    "one-time codes and the like: content is erased and never shown",
  ),
  atMostOnce: onOrOff(
    "at_most_once",
    "At most once",
    "a try without an answer is not repeated: it ends as unknown",
  ),
  plainCharacters: onOrOff(
    "plain_characters",
    "Plain characters",
    `of ${listed(channelsWith("text"), "or")}: curly quotes, dashes and the like are sent as plain ones`,
  ),
  expiresAfterSeconds: seconds(
    "expires_after_seconds",
    "Expires after seconds",
    "what is not sent by then ends as expired",
    "set back",
  ),
  digest: setting<DigestSettings | null, "digest">({
    column: "digest",
    label: "Digest",
    none: null,
    whenLeftOut: "stays",
    field: shaped("one message for several events", {
      windowSeconds: 1,
      at: "",
      days: [1],
      key: "",
      sliding: true,
      maxSeconds: 1,
      leading: true,
    }),
    words: digestText,
    normal: normalDigest,
  }),
  throttle: setting<ThrottleSettings | null, "throttle">({
    column: "throttle",
    label: "At most, by seconds",
    none: null,
    whenLeftOut: "stays",
    written: { read: readThrottle, write: throttleText, form: "a number by seconds, as 5/3600" },
    field: shaped("so many a user in any such time; more are skipped", { count: 1, seconds: 1 }),
  }),
  afterUnreadSeconds: seconds(
    "after_unread_seconds",
    "Only if unread after seconds",
    "sent after that time, unless it was read in the inbox",
    "stays",
  ),
  targetChannel: setting<string | null, "target_channel">({
    column: "target_channel",
    label: "Realtime channel",
    none: null,
    whenLeftOut: "set back",
    written: line,
    field: nullable("string", `realtime channel of ${IN_APP}; default: the personal one`, (value) =>
      writtenFault(value, MAX_LINE_BYTES),
    ),
  }),
  requiredVariables: setting<string[] | null, "required_variables">({
    column: "required_variables",
    label: "Required variables",
    none: null,
    whenLeftOut: "stays",
    written: names,
    field: nullable(
      "array",
      "a,b: without one of them nothing is sent on this channel; '' for none; default: as they are",
      namesFault,
      { items: { type: "string" }, maxItems: MAX_NAMES },
    ),
    normal: (list) => (list.length === 0 ? null : [...new Set(list)]),
  }),
  sampleVariables: setting<string | null, "sample_variables">({
    column: "sample_variables",
    label: "Sample variables",
    none: null,
    whenLeftOut: "stays",
    field: nullable("string", "for previews: a JSON object as text", (value) =>
      writtenFault(value, MAX_SOURCE_BYTES),
    ),
    words: (text) => text,
  }),
} as const satisfies { [K in SettingName]: Row<TemplateSettings[K], string> };

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The same rows for what goes through all of them: a name and its row belong together. */
const ROWS = Object.entries(SETTINGS) as unknown as [
  SettingName,
  Row<TemplateSettings[SettingName], string>,
][];

/** Of acts that set them. */
export const SETTING_FIELDS = Object.fromEntries(
  ROWS.map(([name, { field }]) => [name, Type.Optional(field)]),
) as { [K in SettingName]: TOptional<TUnsafe<TemplateSettings[K]>> };

/** Of answers. */
export const SET = Object.fromEntries(ROWS.map(([name, { field }]) => [name, field])) as {
  [K in SettingName]: TUnsafe<TemplateSettings[K]>;
};

/** Of a template of which nothing was set yet. */
export const NOT_SET = Object.fromEntries(
  ROWS.map(([name, { none }]) => [name, none]),
) as unknown as TemplateSettings;

type Selected = {
  [K in SettingName]: `t.${(typeof SETTINGS)[K]["column"]} as ${K}`;
}[SettingName];
/** Of `templates as t`. */
export const SETTING_COLUMNS = ROWS.map(
  ([name, { column }]) => `t.${column} as ${name}`,
) as Selected[];

/** For the columns: what is not named is not there. */
export function settingColumns(changes: TemplateSettingsInput): Record<string, unknown> {
  return Object.fromEntries(
    ROWS.filter(([name]) => changes[name] !== undefined).map(([name, { column }]) => {
      const value = changes[name];
      const isJson = name === "digest" || name === "throttle";
      return [column, isJson && value !== null ? JSON.stringify(value) : value];
    }),
  );
}

/** Those that are named, without what else the input holds. */
export function namedSettings(input: TemplateSettingsInput): TemplateSettingsInput {
  return Object.fromEntries(
    SETTING_NAMES.filter((name) => input[name] !== undefined).map((name) => [name, input[name]]),
  );
}

/** All of them, without what else the row holds. */
export function settingsOf(row: TemplateSettings): TemplateSettings {
  return namedSettings(row) as TemplateSettings;
}

/** What the template is set to when the input is put in a language. */
export function settingsAfter(
  now: TemplateSettings,
  input: TemplateSettingsInput,
  locale: string,
): TemplateSettings {
  return Object.fromEntries(
    ROWS.map(([name, { none, whenLeftOut, normal }]) => {
      const isSetBack = locale === "" && whenLeftOut === "set back";
      const value = input[name] === undefined ? (isSetBack ? none : now[name]) : input[name];
      return [name, value === null || normal === undefined ? value : normal(value)];
    }),
  ) as unknown as TemplateSettings;
}

/** In words, by label, where the two differ. */
export function settingChanges(from: TemplateSettings, to: TemplateSettings) {
  return ROWS.map(([name, { label, words, written }]) => {
    const worded = (value: TemplateSettings[SettingName]) =>
      value === null ? "–" : (words ?? written?.write ?? String)(value as never);
    return { name: label, from: worded(from[name]), to: worded(to[name]) };
  }).filter((change) => change.from !== change.to);
}

interface Line {
  key: string;
  /** Of a setting, or of a part of the digest. */
  name: string;
  isOfDigest: boolean;
  none: unknown;
  written: Written<unknown>;
}

/** The lines of a template's file, in their order, but for sample variables. */
export const SETTING_LINES: readonly Line[] = ROWS.flatMap(([name, { written, none }]): Line[] => {
  if (name === "digest") {
    return Object.entries(DIGEST_PARTS).map(([part, { written }]) => ({
      key: lineName(`digest-${part}`),
      name: part,
      isOfDigest: true,
      none: false,
      written: written as Written<unknown>,
    }));
  }
  if (written === undefined) return [];
  const any = written as Written<unknown>;
  return [{ key: lineName(name), name, isOfDigest: false, none, written: any }];
});

/** `atMostOnce` is `at-most-once` in a line of a file, and as a flag. */
export function lineName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export function jsonOf(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function namesFault(value: unknown): string | undefined {
  if (!Array.isArray(value)) return "must be a list of names";
  if (value.length > MAX_NAMES) return `must be at most ${MAX_NAMES}`;
  return value
    .map((name) => writtenFault(name, MAX_LINE_BYTES))
    .find((fault) => fault !== undefined);
}
