import {
  CHANNEL_ROWS,
  CHANNELS,
  type Channel,
  type Content,
  channelsWith,
  IN_APP,
  listed,
} from "@belfry/contracts/channels";
import { field, integer, oneOf, orNull, text } from "@belfry/contracts/fields";
import {
  isGlobalEventType,
  PLATFORM,
  REALTIME_CHANNEL_NAME,
  textFault,
} from "@belfry/contracts/identifiers";
import { canonicalLocale, isLocale, LOCALE_PATTERN, NO_LOCALE } from "@belfry/contracts/locale";
import type { PushAction } from "@belfry/contracts/notification";
import { MAX_SOURCE_BYTES } from "@belfry/templates/language/bounds";
import { parseVariables } from "@belfry/templates/language/event-variables";
import type { EmailFormat, Layout, TemplateSource } from "@belfry/templates/source";
import { type Static, Type } from "@sinclair/typebox";
import { choice, type Given, optional } from "../act.ts";
import { type InputFault, integerFault, refuseFaults } from "../input-error.ts";
import { written } from "./setting-kinds.ts";
import { deviceFaults } from "./template-device.ts";
import { envelopeFaults } from "./template-envelope.ts";
import type { TemplateSettingsInput } from "./template-settings.ts";
import { timingFaults } from "./template-timing.ts";

/** Input fields that identify a template. */
export const ADDRESS = {
  eventType: text({ description: "the template's event type" }),
  channel: choice(CHANNELS, listed(CHANNELS, "or")),
};

/** Input field that selects a variant by language. */
export const LOCALE = {
  locale: optional(
    field<string>(
      {
        type: "string",
        pattern: `^$|${LOCALE_PATTERN}`,
        description: "a language of it, as de or de-AT; default: the variant without one",
      },
      (value) => (typeof value === "string" ? localeFault(value)?.message : NO_LOCALE),
    ),
  ),
};

export const EMAIL_FORMATS: readonly EmailFormat[] = ["markdown", "mjml", "html", "text"];
/** A draft may have more buttons than may be published. */
const MAX_DRAFT_ACTIONS = 10;

/** Channels whose messages open an address. */
const WITH_URL = CHANNELS.filter((channel) =>
  ["notification", "chat"].includes(CHANNEL_ROWS[channel].content),
);

/** Input fields of the texts other than the content. */
export const TEXTS = {
  subject: optional(written(`of ${listed(channelsWith("email"), "or")}; may hold {{variables}}`)),
  format: optional(
    choice(
      EMAIL_FORMATS,
      `of ${listed(channelsWith("email"), "or")}; default: as it is, and of a new one found out (never markdown)`,
    ),
  ),
  title: optional(
    written(`of ${listed(channelsWith("notification"), "or")}; may hold {{variables}}`),
  ),
  url: optional(
    written(
      `what ${listed(WITH_URL, "or")} opens: https or, in a page, a path; may hold {{variables}}`,
    ),
  ),
  actions: optional(
    Type.Array(Type.Object({ label: written("What it says"), url: written("What it opens") }), {
      maxItems: MAX_DRAFT_ACTIONS,
      description: `buttons of ${IN_APP}; up to two`,
    }),
  ),
};
export const CONTENT = {
  content: written("Markdown, MJML, HTML or text with {{variables}}", MAX_SOURCE_BYTES),
};

/** Output fields of the texts. */
export const WRITTEN_TEXTS = {
  content: Type.String(),
  subject: orNull(Type.String()),
  title: orNull(Type.String()),
  format: orNull(oneOf(EMAIL_FORMATS)),
  url: orNull(Type.String()),
  actions: Type.Unsafe<PushAction[] | null>({ ...TEXTS.actions, type: ["array", "null"] }),
};
export const NO_TEXT = { subject: null, title: null, format: null, url: null, actions: null };

export const VERSIONS = { minimum: 0, maximum: 2_147_483_647 };

const Source = Type.Object({ channel: ADDRESS.channel, ...CONTENT, ...TEXTS, ...LOCALE });
export type TemplateSourceInput = Given<Static<typeof Source>>;

/** Fields of acts that save a text, published or not. */
export const PUT_FIELDS = {
  ...ADDRESS,
  ...LOCALE,
  ...CONTENT,
  ...TEXTS,
  basedOnVersion: optional(
    integer(VERSIONS),
    "the version in force that the editor began with, 0: none; refused over another",
  ),
  sourceVersion: optional(
    integer(VERSIONS),
    "of a translation: the version of the default that it is made from; default: the current one",
  ),
};
const Put = Type.Object(PUT_FIELDS);

export type TemplateInput = Given<Static<typeof Put>> &
  TemplateSettingsInput & {
    /** `platform` for event types that begin with `global.`. */
    tenantId: string;
    /** The person who saved it, for the version's record. */
    createdBy?: string | undefined;
    /** Default: false. See `sensitiveCopiesFaults`. */
    mayShareSensitive?: boolean | undefined;
  };

/** Returns a template's faults, except those of its text, which compiling finds. */
export function templateFaults(input: TemplateInput): (InputFault | undefined)[] {
  return [
    ownerFault(input.tenantId, input.eventType),
    ...settingsFaults(input.channel, input),
    ...sourceFaults(input),
  ];
}

export function settingsFaults(channel: Channel, settings: TemplateSettingsInput) {
  return [
    targetFault(channel, settings.targetChannel),
    integerFault("expiresAfterSeconds", settings.expiresAfterSeconds, 1, MAX_EXPIRY_SECONDS),
    plainCharactersFault(channel, settings.plainCharacters),
    samplesFault(settings.sampleVariables),
    requiredFault(settings.requiredVariables),
    ...timingFaults(channel, settings),
    ...(settings.image || settings.data || settings.collapseKey
      ? deviceFaults(channel, settings)
      : []),
    ...(saysMore(settings) ? envelopeFaults(channel, settings) : []),
  ];
}

/** Whether a template sets any part of a mail's envelope, which few do. */
function saysMore({ fromName, replyTo, cc, bcc }: TemplateSettingsInput): boolean {
  return [fromName, replyTo, cc, bcc].some((one) => one != null && one.length > 0);
}

function plainCharactersFault(
  channel: Channel,
  isSet: boolean | undefined,
): InputFault | undefined {
  if (!isSet || CHANNEL_ROWS[channel].content === "text") return undefined;
  const message = `is of ${listed(channelsWith("text"), "and")} only`;
  return { field: "plainCharacters", message };
}

/** Returns the source for compiling. Throws `InvalidInput` if a part is missing or not allowed on the channel. */
export function templateSource(input: TemplateSourceInput, layout?: Layout): TemplateSource {
  refuseFaults(sourceFaults(input));
  const { content, subject = "", title = "", format } = input;
  switch (CHANNEL_ROWS[input.channel].content) {
    case "email":
      return {
        kind: "email",
        subject,
        content,
        ...(format === undefined ? {} : { format }),
        ...(layout === undefined ? {} : { layout }),
      };
    case "text":
      return { kind: "text", content };
    case "notification":
      return {
        kind: "notification",
        title,
        content,
        ...(input.url === undefined ? {} : { url: input.url }),
        ...(input.actions === undefined || input.actions.length === 0
          ? {}
          : { actions: input.actions.map(({ label, url }) => ({ label, url })) }),
      };
    case "chat":
      return { kind: "chat", content, ...(input.url === undefined ? {} : { url: input.url }) };
  }
}

/** Returns an input's locale in canonical form; empty if it names none. */
export function localeOf(input: { locale?: string | undefined }): string {
  const { locale = "" } = input;
  return canonicalLocale(locale) ?? locale;
}

function sourceFaults(input: TemplateSourceInput): (InputFault | undefined)[] {
  return [
    localeFault(input.locale),
    partFault("subject", "email", input.channel, input.subject),
    partFault("title", "notification", input.channel, input.title),
    formatFault(input.channel, input.format),
    ...linkFaults(input),
  ];
}

function localeFault(locale: string | undefined): InputFault | undefined {
  if (locale === undefined || locale === "" || isLocale(locale)) return undefined;
  return { field: "locale", message: NO_LOCALE };
}

function formatFault(channel: Channel, format: string | undefined): InputFault | undefined {
  if (format === undefined || CHANNEL_ROWS[channel].content === "email") return undefined;
  return { field: "format", message: `is only for ${listed(channelsWith("email"), "or")}` };
}

/** Returns all texts of a template that may have tags, so that callers can search them. */
export function writtenTexts(
  input: {
    [K in "subject" | "title" | "content" | "url"]?: string | null | undefined;
  } & { actions?: readonly PushAction[] | null | undefined },
): string[] {
  const { subject, title, content, url, actions } = input;
  const links = (actions ?? []).flatMap((action) => [action.label, action.url]);
  return [subject, title, content, url, ...links].filter((text) => typeof text === "string");
}

const MAX_ACTIONS = 2;
const MAX_URL_CHARACTERS = 2048;

/** Returns faults of a notification's links before they are rendered. They are checked again afterwards. */
function linkFaults({
  channel,
  url,
  actions = [],
}: TemplateSourceInput): (InputFault | undefined)[] {
  const strange = [
    ...(url !== undefined && !WITH_URL.includes(channel)
      ? [{ field: "url", message: `is only for ${listed(WITH_URL, "or")}` }]
      : []),
    ...(actions.length > 0 && channel !== IN_APP
      ? [{ field: "actions", message: `is only for ${IN_APP}` }]
      : []),
  ];
  if (strange.length > 0) return strange;
  if (actions.length > MAX_ACTIONS) {
    return [{ field: "actions", message: `must be at most ${MAX_ACTIONS}` }];
  }
  return [
    url === undefined ? undefined : lineFault("url", url),
    ...actions.flatMap((action) => [
      lineFault("actions", action.label),
      lineFault("actions", action.url),
    ]),
  ];
}

function lineFault(field: string, value: unknown): InputFault | undefined {
  if (typeof value !== "string" || value.trim() === "") {
    return { field, message: "should not be empty" };
  }
  if (value.length > MAX_URL_CHARACTERS) {
    return { field, message: `must be at most ${MAX_URL_CHARACTERS} characters` };
  }
  if (/[\p{Cc}\p{Cs}]/u.test(value)) {
    return { field, message: "must be one line without control characters" };
  }
  return undefined;
}

function partFault(field: string, owner: Content, channel: Channel, value: string | undefined) {
  const isOfIt = CHANNEL_ROWS[channel].content === owner;
  if (isOfIt === (value !== undefined)) return undefined;
  if (isOfIt) return { field, message: `is required for ${channel}` };
  return { field, message: `is only for ${listed(channelsWith(owner), "or")}` };
}

export function ownerFault(tenantId: string, eventType: string): InputFault | undefined {
  const field = "eventType";
  const fault = textFault(eventType);
  if (fault !== undefined) return { field, message: fault };
  if (isGlobalEventType(eventType) === (tenantId === PLATFORM)) return undefined;
  return {
    field,
    message:
      tenantId === PLATFORM
        ? "must begin with global. for the platform"
        : `may begin with global. only for the tenant ${PLATFORM}`,
  };
}

function targetFault(channel: Channel, target: string | null | undefined): InputFault | undefined {
  const field = "targetChannel";
  if (target === undefined || target === null) return undefined;
  if (channel !== IN_APP) return { field, message: `is only for ${IN_APP}` };
  if (REALTIME_CHANNEL_NAME.test(target)) return undefined;
  return { field, message: "must be 1 to 64 of letters, digits and _ . : -" };
}

export const MAX_EXPIRY_SECONDS = 30 * 24 * 60 * 60;
const MAX_SAMPLE_CHARACTERS = 64 * 1024;

function samplesFault(text: string | null | undefined): InputFault | undefined {
  if (text === undefined || text === null) return undefined;
  const field = "sampleVariables";
  if (text.length > MAX_SAMPLE_CHARACTERS) return { field, message: "is too long" };
  // The database's text type holds neither NUL nor a lone surrogate.
  if (text.includes("\u0000") || !text.isWellFormed()) {
    return { field, message: "must not contain NUL or lone surrogates" };
  }
  return parseVariables(text) === undefined
    ? { field, message: "must be a JSON object" }
    : undefined;
}

const MAX_REQUIRED = 100;

function requiredFault(names: readonly string[] | null | undefined): InputFault | undefined {
  const field = "requiredVariables";
  if (names === undefined || names === null) return undefined;
  if (names.length > MAX_REQUIRED) return { field, message: `must be at most ${MAX_REQUIRED}` };
  if (names.every((name) => textFault(name) === undefined && name.trim() === name))
    return undefined;
  return { field, message: "must be names of 1 to 255 characters, without blanks around them" };
}
