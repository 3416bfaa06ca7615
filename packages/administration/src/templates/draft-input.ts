import { CHANNELS, isChannel, listed } from "@belfry/contracts/channels";
import { MAX_SOURCE_BYTES } from "@belfry/templates/bounds";
import type { InputFault } from "../input-error.ts";
import { EMAIL_FORMATS, localeFault, ownerFault, type TemplateInput } from "./template-input.ts";

/** A draft keeps what publishing would refuse; not what the table cannot hold, nor without a bound. */
const MAX_LINE_CHARACTERS = 8192;
const MAX_ACTIONS = 10;
const MAX_NAMES = 1000;

/** Why a draft cannot be kept. */
export function draftFaults(input: TemplateInput): (InputFault | undefined)[] {
  const { tenantId, eventType, channel, format, actions = [], requiredVariables = [] } = input;
  if (!isChannel(channel)) {
    return [{ field: "channel", message: `must be ${listed(CHANNELS, "or")}` }];
  }
  const lines = { subject: input.subject, title: input.title, url: input.url };
  return [
    ownerFault(tenantId, eventType),
    localeFault(input.locale),
    textFault("content", input.content, MAX_SOURCE_BYTES),
    textFault("sampleVariables", input.sampleVariables, MAX_SOURCE_BYTES),
    textFault("targetChannel", input.targetChannel, MAX_LINE_CHARACTERS),
    ...Object.entries(lines).map(([field, text]) => textFault(field, text, MAX_LINE_CHARACTERS)),
    format === undefined || EMAIL_FORMATS.includes(format)
      ? undefined
      : { field: "format", message: `must be ${listed(EMAIL_FORMATS, "or")}` },
    actions.length > MAX_ACTIONS
      ? { field: "actions", message: `must be at most ${MAX_ACTIONS}` }
      : undefined,
    ...actions.flatMap(({ label, url }) => [
      textFault("actions", label, MAX_LINE_CHARACTERS),
      textFault("actions", url, MAX_LINE_CHARACTERS),
    ]),
    requiredVariables.length > MAX_NAMES
      ? { field: "requiredVariables", message: `must be at most ${MAX_NAMES}` }
      : undefined,
    ...requiredVariables.map((name) => textFault("requiredVariables", name, MAX_LINE_CHARACTERS)),
  ];
}

function textFault(field: string, text: unknown, most: number): InputFault | undefined {
  if (text === undefined) return undefined;
  if (typeof text !== "string") return { field, message: "must be a text" };
  if (Buffer.byteLength(text) > most) return { field, message: `is larger than ${most} bytes` };
  if (text.includes("\u0000") || !text.isWellFormed()) {
    return { field, message: "must not contain NUL or lone surrogates" };
  }
  return undefined;
}
