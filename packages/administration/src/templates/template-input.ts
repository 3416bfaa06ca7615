import {
  CHANNEL_ROWS,
  CHANNELS,
  type Channel,
  type Content,
  channelsWith,
  IN_APP,
  isChannel,
  listed,
} from "@belfry/contracts/channels";
import {
  isGlobalEventType,
  PLATFORM,
  REALTIME_CHANNEL_NAME,
  textFault,
} from "@belfry/contracts/identifiers";
import { canonicalLocale, isLocale, NO_LOCALE } from "@belfry/contracts/locale";
import type { StoredAction } from "@belfry/database/schema";
import type { EmailFormat } from "@belfry/templates/email-format";
import type { Layout } from "@belfry/templates/layout";
import { parseVariables } from "@belfry/templates/parse-variables";
import type { TemplateSource } from "@belfry/templates/source";
import { type InputFault, integerFault, refuseFaults } from "../input-error.ts";
import { type TimingInput, timingFaults } from "./timing-input.ts";

export interface TemplateSourceInput {
  channel: Channel;
  /** Of a mail: Markdown, MJML, HTML or plain text; else plain text. */
  content: string;
  /** Of a mail. */
  subject?: string | undefined;
  /** Of a notification. */
  title?: string | undefined;
  /** Of a mail. Left out: as the variant has it; of a new one found out from the text, never Markdown. */
  format?: EmailFormat | undefined;
  /** Of a notification: what it opens, https or a path; may hold tags. */
  url?: string | undefined;
  /** Of a notification: at most two buttons; both texts may hold tags. */
  actions?: readonly StoredAction[] | undefined;
  /** BCP 47; left out or empty: the default variant. */
  locale?: string | undefined;
}

/** What is set for all languages. A translation changes what it names alone. */
export interface TemplateSettingsInput extends TimingInput {
  /** Of a notification: the realtime channel's name; the personal channel when it is absent. */
  targetChannel?: string | undefined;
  /** Its variables are erased when the event has ended, and its content is never shown. */
  sensitive?: boolean | undefined;
  /** A try without an answer is not repeated: the delivery ends as unknown. */
  atMostOnce?: boolean | undefined;
  /** Of a short message: curly quotes, dashes and the like are sent as plain ones. */
  plainCharacters?: boolean | undefined;
  /** A delivery that has not been sent by then expires. */
  expiresAfterSeconds?: number | undefined;
  /** For previews: JSON text of an object. Left out: stays. */
  sampleVariables?: string | undefined;
  /** Without one of them the channel ends as failed, and no provider is called. Left out: stay. */
  requiredVariables?: readonly string[] | undefined;
}

export interface TemplateInput extends TemplateSourceInput, TemplateSettingsInput {
  /** `platform` for event types that begin with `global.`. */
  tenantId: string;
  eventType: string;
  /** Default true; of a translation: as it is. */
  active?: boolean | undefined;
  /** The variant's version that the editor began with (0: none yet): a save over another's is refused. */
  basedOnVersion?: number | undefined;
  /** Of a translation: the version of the default variant that it is made from; left out: the current one. */
  sourceVersion?: number | undefined;
  /** Who saved it, for the version's record. */
  createdBy?: string | undefined;
}

/** What is wrong with a template but for its text, which compiling judges. */
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
  ];
}

function plainCharactersFault(
  channel: Channel,
  isSet: boolean | undefined,
): InputFault | undefined {
  if (!isSet || CHANNEL_ROWS[channel].content === "text") return undefined;
  const message = `is of ${listed(channelsWith("text"), "and")} only`;
  return { field: "plainCharacters", message };
}

/** The source for compiling. Throws `InvalidInput` where a part is missing or out of place. */
export function templateSource(input: TemplateSourceInput, layout?: Layout): TemplateSource {
  refuseFaults(sourceFaults(input));
  const { content, subject = "", title = "", format } = input;
  switch (CHANNEL_ROWS[input.channel].content) {
    case "email":
      return {
        ...{ kind: "email", subject, content },
        ...(format === undefined ? {} : { format }),
        ...(layout === undefined ? {} : { layout }),
      };
    case "text":
      return { kind: "text", content };
    case "notification":
      return {
        ...{ kind: "notification", title, content },
        ...(input.url === undefined ? {} : { url: input.url }),
        ...(input.actions === undefined || input.actions.length === 0
          ? {}
          : { actions: input.actions.map(({ label, url }) => ({ label, url })) }),
      };
  }
}

/** Of an input that may name no locale, or one in any case: empty, or canonical. */
export function localeOf(input: { locale?: string | undefined }): string {
  const { locale = "" } = input;
  return canonicalLocale(locale) ?? locale;
}

export function sourceFaults(input: TemplateSourceInput): (InputFault | undefined)[] {
  if (!isChannel(input.channel)) {
    return [{ field: "channel", message: `must be ${listed(CHANNELS, "or")}` }];
  }
  return [
    localeFault(input.locale),
    partFault("subject", "email", input.channel, input.subject),
    partFault("title", "notification", input.channel, input.title),
    formatFault(input.channel, input.format),
    ...linkFaults(input),
  ];
}

export function localeFault(locale: string | undefined): InputFault | undefined {
  if (locale === undefined || locale === "" || isLocale(locale)) return undefined;
  return { field: "locale", message: NO_LOCALE };
}

export const EMAIL_FORMATS: readonly EmailFormat[] = ["markdown", "mjml", "html", "text"];

function formatFault(channel: Channel, format: string | undefined): InputFault | undefined {
  const field = "format";
  if (format === undefined) return undefined;
  if (CHANNEL_ROWS[channel].content !== "email") {
    return { field, message: `is only for ${listed(channelsWith("email"), "or")}` };
  }
  if (EMAIL_FORMATS.some((one) => one === format)) return undefined;
  return { field, message: `must be ${listed(EMAIL_FORMATS, "or")}` };
}

const MAX_ACTIONS = 2;
const MAX_URL_CHARACTERS = 2048;

/** What holds of the links of a notification before they are rendered: they are judged after that. */
function linkFaults({
  channel,
  url,
  actions = [],
}: TemplateSourceInput): (InputFault | undefined)[] {
  if (CHANNEL_ROWS[channel].content !== "notification") {
    const message = `is only for ${listed(channelsWith("notification"), "or")}`;
    return [
      url === undefined ? undefined : { field: "url", message },
      actions.length === 0 ? undefined : { field: "actions", message },
    ];
  }
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

function lineFault(field: string, text: unknown): InputFault | undefined {
  if (typeof text !== "string" || text.trim() === "") {
    return { field, message: "should not be empty" };
  }
  if (text.length > MAX_URL_CHARACTERS) {
    return { field, message: `must be at most ${MAX_URL_CHARACTERS} characters` };
  }
  if (/[\p{Cc}\p{Cs}]/u.test(text)) {
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

function targetFault(channel: Channel, target: string | undefined): InputFault | undefined {
  const field = "targetChannel";
  if (target === undefined) return undefined;
  if (channel !== IN_APP) return { field, message: `is only for ${IN_APP}` };
  if (REALTIME_CHANNEL_NAME.test(target)) return undefined;
  return { field, message: "must be 1 to 64 of letters, digits and _ . : -" };
}

const MAX_EXPIRY_SECONDS = 30 * 24 * 60 * 60;
const MAX_SAMPLE_CHARACTERS = 64 * 1024;

function samplesFault(text: string | undefined): InputFault | undefined {
  if (text === undefined) return undefined;
  const field = "sampleVariables";
  if (text.length > MAX_SAMPLE_CHARACTERS) return { field, message: "is too long" };
  // Of the database's text: neither NUL nor a lone surrogate.
  if (text.includes("\u0000") || !text.isWellFormed()) {
    return { field, message: "must not contain NUL or lone surrogates" };
  }
  return parseVariables(text) === undefined
    ? { field, message: "must be a JSON object" }
    : undefined;
}

const MAX_REQUIRED = 100;

function requiredFault(names: readonly string[] | undefined): InputFault | undefined {
  const field = "requiredVariables";
  if (names === undefined) return undefined;
  if (names.length > MAX_REQUIRED) return { field, message: `must be at most ${MAX_REQUIRED}` };
  if (names.every((name) => textFault(name) === undefined && name.trim() === name))
    return undefined;
  return { field, message: "must be names of 1 to 255 characters, without blanks around them" };
}
