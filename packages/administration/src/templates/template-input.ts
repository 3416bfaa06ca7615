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
import { parseVariables } from "@belfry/templates/parse-variables";
import type { TemplateSource } from "@belfry/templates/source";
import { type InputFault, refuseFaults } from "../input-error.ts";

export interface TemplateSourceInput {
  channel: Channel;
  /** Of a mail: MJML, HTML or plain text; else plain text. */
  content: string;
  /** Of a mail. */
  subject?: string | undefined;
  /** Of a notification. */
  title?: string | undefined;
}

export interface TemplateInput extends TemplateSourceInput {
  /** `platform` for event types that begin with `global.`. */
  tenantId: string;
  eventType: string;
  /** Of a notification: the realtime channel's name; the personal channel when it is absent. */
  targetChannel?: string | undefined;
  /** Its variables are erased when the event has ended, and its content is never shown. */
  sensitive?: boolean | undefined;
  /** A try without an answer is not repeated: the delivery ends as unknown. */
  atMostOnce?: boolean | undefined;
  /** A delivery that has not been sent by then expires. */
  expiresAfterSeconds?: number | undefined;
  /** For previews: JSON text of an object. */
  sampleVariables?: string | undefined;
  /** Default true. */
  active?: boolean | undefined;
  /** The version that the editor began with (0: none yet): a save over another's is refused. */
  basedOnVersion?: number | undefined;
  /** Who saved it, for the version's record. */
  createdBy?: string | undefined;
}

/** What is wrong with a template but for its text, which compiling judges. */
export function templateFaults(input: TemplateInput): (InputFault | undefined)[] {
  return [
    ownerFault(input.tenantId, input.eventType),
    targetFault(input.channel, input.targetChannel),
    expiryFault(input.expiresAfterSeconds),
    samplesFault(input.sampleVariables),
    ...sourceFaults(input),
  ];
}

/** The source for compiling. Throws `InvalidInput` where a part is missing or out of place. */
export function templateSource(input: TemplateSourceInput): TemplateSource {
  refuseFaults(sourceFaults(input));
  const { content, subject = "", title = "" } = input;
  switch (CHANNEL_ROWS[input.channel].content) {
    case "email":
      return { kind: "email", subject, content };
    case "text":
      return { kind: "text", content };
    case "notification":
      return { kind: "notification", title, content };
  }
}

function sourceFaults(input: TemplateSourceInput): (InputFault | undefined)[] {
  if (!isChannel(input.channel)) {
    return [{ field: "channel", message: `must be ${listed(CHANNELS, "or")}` }];
  }
  return [
    partFault("subject", "email", input.channel, input.subject),
    partFault("title", "notification", input.channel, input.title),
  ];
}

function partFault(
  field: string,
  owner: Content,
  channel: Channel,
  value: string | undefined,
): InputFault | undefined {
  const isOfIt = CHANNEL_ROWS[channel].content === owner;
  if (isOfIt === (value !== undefined)) return undefined;
  if (isOfIt) return { field, message: `is required for ${channel}` };
  return { field, message: `is only for ${listed(channelsWith(owner), "or")}` };
}

function ownerFault(tenantId: string, eventType: string): InputFault | undefined {
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

function expiryFault(seconds: number | undefined): InputFault | undefined {
  if (seconds === undefined) return undefined;
  if (Number.isInteger(seconds) && seconds > 0 && seconds <= MAX_EXPIRY_SECONDS) return undefined;
  const message = `must be an integer from 1 to ${MAX_EXPIRY_SECONDS}`;
  return { field: "expiresAfterSeconds", message };
}

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
