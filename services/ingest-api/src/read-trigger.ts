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

/** A trigger as it is accepted: only the fields that the specification knows. */
export interface Trigger {
  eventType: string;
  reference: string | null;
  userId: string;
  recipientEmail: string | null;
  recipientPhone: string | null;
  variables: Variables;
  /** Null where the body has none of them. */
  options: EventOptions | null;
  /** `sendAt`, `delaySeconds` and `cancelKey` as they were sent; absent where there is none. */
  asSent?: [string | null, number | null, string | null];
  /** `email` as it is stored, with its files; absent where it says nothing. */
  envelope?: Envelope;
}

type Variables = Record<string, unknown> | null;

/**
 * Reads a checked body. An absent, null and empty address are the same. `variables`: those of the body, with each number
 * as it was written. `attachments`: the files that it names, or none.
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
  return trigger;
}

/** The fields that only few triggers have; null: none of them. */
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
 * Returns the variables of a checked body as values, and as the JSON that is stored. Each number has the text of the body:
 * an order number of 19 digits, a price of 10.10.
 */
export function readVariables(
  { variables }: TriggerRequest,
  body: string,
): { values: Variables; json: string | null } {
  if (variables === undefined || variables === null) return { values: null, json: null };
  const json = JSON.stringify(variables);
  // Most clients send exactly this text: no number has changed, and the body is not parsed again.
  const at = body.indexOf(VARIABLES_NAME) + VARIABLES_NAME.length;
  const isAsWritten = body.slice(at, at + json.length) === json || !hasChangingNumber(body);
  if (isAsWritten) return { values: variables, json };
  const values = (parseAsWritten(body) as { variables: Variables }).variables;
  return { values, json: JSON.stringify(values) };
}

/**
 * The automatic deduplication key: SHA-256 over tenant, event type and canonical payload (key order
 * cannot matter: the three fields are written in a fixed one). 64 hex digits, an even number: a cancel
 * frees such a key, and no explicit one.
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
  // `canonical` writes no object with this key: it cannot be taken for variables.
  if (trigger.asSent !== undefined) identity.push({ later: trigger.asSent });
  if (trigger.envelope !== undefined) identity.push({ email: identityOf(trigger.envelope) });
  return withLastBit(hash("sha256", JSON.stringify(identity), "hex"), 0);
}

/** A file counts by its bytes: uploaded again, it is the same. */
function identityOf({ attachments, ...said }: Envelope): unknown {
  if (attachments === undefined) return said;
  return { ...said, attachments: attachments.map(({ sha256, cid }) => [sha256, cid ?? null]) };
}

/** An explicit key lives in a namespace of its own, per tenant, and is an odd number. Throws a 422 Problem. */
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

/** An address in ASCII without quotes is stored as it is, which is most of them. */
function storedAddress(address: string | null | undefined): string | null {
  if (!address) return null;
  return /[^\u0000-\u007f]|"/.test(address) ? (emailAddress(address) ?? null) : address;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same value with sorted keys, as pairs: no key can be special. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  // A number counts as it was written: the customer reads 10.10 otherwise than 10.1.
  if (!isObject(value) || JSON.isRawJSON(value)) return value;
  return {
    object: Object.keys(value)
      .sort()
      .map((key) => [key, canonical(value[key])]),
  };
}
