import { hash } from "node:crypto";
import { emailAddress } from "@belfry/contracts/addresses";
import type { MailAttachment } from "@belfry/contracts/attachments";
import { channelMask } from "@belfry/contracts/channels";
import { type Envelope, readEnvelope } from "@belfry/contracts/envelope";
import { textFault } from "@belfry/contracts/identifiers";
import { canonicalLocale } from "@belfry/contracts/locale";
import { Problem } from "@belfry/contracts/problems";
import { momentOf } from "@belfry/contracts/scheduled";
import type { EventOptions, TriggerRequest } from "@belfry/contracts/trigger";
import { hasChangingNumber, parseAsWritten } from "@belfry/templates/language/event-variables";

/** A trigger as it is accepted, with only the fields that the specification defines. */
export interface Trigger {
  eventType: string;
  reference: string | null;
  userId: string;
  recipientEmail: string | null;
  recipientPhone: string | null;
  variables: Variables;
  /** Null if the body has none of these options. */
  options: EventOptions | null;
  /** `sendAt`, `delaySeconds` and `cancelKey` as they were sent; absent if the body has none of them. */
  asSent?: [string | null, number | null, string | null];
  /** The field `email` as it is stored, with its files; absent if it is empty. */
  envelope?: Envelope;
}

type Variables = Record<string, unknown> | null;

/**
 * Builds a trigger from a checked body. An address that is absent, null or empty becomes null. `variables` are those of
 * the body, with each number as it was written. `attachments` are the files that the body names.
 */
export function readTrigger(
  body: TriggerRequest,
  variables: Variables,
  attachments: readonly MailAttachment[],
): Trigger {
  const { payload } = body;
  const trigger: Trigger = {
    eventType: body.eventType,
    reference: body.eventId ?? null,
    userId: payload.userId,
    recipientEmail: storedAddress(payload.recipientEmail),
    recipientPhone: payload.recipientPhone || null,
    variables,
    options: optionsOf(body),
  };
  const { sendAt, delaySeconds, cancelKey } = body;
  if (sendAt !== undefined || delaySeconds !== undefined || cancelKey !== undefined) {
    trigger.asSent = [sendAt ?? null, delaySeconds ?? null, cancelKey ?? null];
    trigger.options = { ...trigger.options, ...laterOf(body) };
  }
  const said = body.email && readEnvelope(body.email);
  if (said !== undefined || attachments.length > 0) {
    const envelope = attachments.length > 0 ? { ...said, attachments: [...attachments] } : said!;
    trigger.envelope = envelope;
    trigger.options = { ...trigger.options, envelope };
  }
  if (payload.recipientChat) {
    trigger.options = { ...trigger.options, recipientChat: payload.recipientChat };
  }
  return trigger;
}

/** Returns `channels` and `locale`, which few triggers have; null if the body has neither. */
function optionsOf(body: TriggerRequest): EventOptions | null {
  const channels = channelMask(body.channels);
  if (body.locale === undefined) return channels === null ? null : { channels };
  return { channels, locale: canonicalLocale(body.locale) ?? null };
}

function laterOf({ sendAt, delaySeconds, cancelKey }: TriggerRequest): EventOptions {
  const options: EventOptions = {};
  const moment = sendAt === undefined ? undefined : momentOf(sendAt);
  if (moment !== undefined) options.sendAt = moment.toISOString();
  if (delaySeconds !== undefined) options.delaySeconds = delaySeconds;
  if (cancelKey !== undefined) options.cancelKey = cancelKey;
  return options;
}

const VARIABLES_NAME = '"variables":';

/**
 * Returns the variables of a checked body as values and as the JSON to store. Each number keeps its text in the body,
 * such as an order number of 19 digits or a price of 10.10.
 */
export function readVariables(
  { variables }: TriggerRequest,
  body: string,
): { values: Variables; json: string | null } {
  if (variables === undefined || variables === null) return { values: null, json: null };
  const json = JSON.stringify(variables);
  // Most clients send exactly this text. Then parsing changed no number, and the body need not be parsed again.
  const at = body.indexOf(VARIABLES_NAME) + VARIABLES_NAME.length;
  const isAsWritten = body.slice(at, at + json.length) === json || !hasChangingNumber(body);
  if (isAsWritten) return { values: variables, json };
  const values = (parseAsWritten(body) as { variables: Variables }).variables;
  return { values, json: JSON.stringify(values) };
}

/**
 * Returns the automatic deduplication key: SHA-256 over tenant, event type and payload, whose fields are written in a
 * fixed order. The key has 64 hex digits and is an even number, while explicit keys are odd: a cancel frees automatic
 * keys only.
 */
export function automaticKey(tenantId: string, trigger: Trigger, withVariables: boolean): string {
  const identity: unknown[] = [
    "automatic",
    tenantId,
    trigger.eventType,
    trigger.userId,
    trigger.recipientEmail,
    trigger.recipientPhone,
  ];
  if (withVariables) identity.push(canonical(trigger.variables));
  // `canonical` never returns an object with the key `later`, `email` or `chat`, so these cannot be mistaken for
  // variables.
  if (trigger.asSent !== undefined) identity.push({ later: trigger.asSent });
  if (trigger.envelope !== undefined) identity.push({ email: identityOf(trigger.envelope) });
  const chat = trigger.options?.recipientChat;
  if (chat !== undefined) identity.push({ chat });
  return withLastBit(hash("sha256", JSON.stringify(identity), "hex"), 0);
}

/** Identifies files by the hash of their bytes, so that a file that was uploaded again is the same. */
function identityOf({ attachments, ...said }: Envelope): unknown {
  if (attachments === undefined) return said;
  return { ...said, attachments: attachments.map(({ sha256, cid }) => [sha256, cid ?? null]) };
}

/**
 * Returns the deduplication key for an X-Idempotency-Key, an odd number. It cannot equal an automatic key or a key of
 * another tenant. Throws a 422 Problem.
 */
export function explicitKey(tenantId: string, header: string): string {
  const fault = textFault(header);
  if (fault !== undefined) {
    throw new Problem("validation", { message: [`X-Idempotency-Key ${fault}`] });
  }
  return withLastBit(hash("sha256", JSON.stringify(["explicit", tenantId, header]), "hex"), 1);
}

function withLastBit(key: string, bit: 0 | 1): string {
  const last = Number.parseInt(key.slice(-1), 16);
  return key.slice(0, -1) + ((last & ~1) | bit).toString(16);
}

/** Returns an email address in its stored form. Most addresses are ASCII without quotes and are stored unchanged. */
function storedAddress(address: string | null | undefined): string | null {
  if (!address) return null;
  return /[^\u0000-\u007f]|"/.test(address) ? (emailAddress(address) ?? null) : address;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a value with its objects as sorted lists of pairs, so that no key can be special. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  // Numbers differ if they are written differently, because a customer sees 10.10 and 10.1 as different texts.
  if (!isObject(value) || JSON.isRawJSON(value)) return value;
  return {
    object: Object.keys(value)
      .sort()
      .map((key) => [key, canonical(value[key])]),
  };
}
