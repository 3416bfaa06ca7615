import { hash } from "node:crypto";
import { MAX_NESTING } from "@belfry/contracts/bounds";
import { CHANNELS, type Channel, isChannel } from "@belfry/contracts/channels";
import { emailAddress } from "@belfry/contracts/email-address";
import { PHONE, textFault } from "@belfry/contracts/identifiers";
import { Problem } from "@belfry/contracts/problems";

/** A trigger as read from a request: checked, and only what the specification recognises. */
export interface Trigger {
  eventType: string;
  reference: string | null;
  channels: Channel[];
  userId: string;
  recipientEmail: string | null;
  recipientPhone: string | null;
  variables: Record<string, unknown> | null;
}

type Fields = Record<string, unknown>;

/**
 * Checks a parsed body and lists every fault, each naming its field. Written by hand because it runs
 * on every request, names each rule in the client's words and must not trip over keys such as
 * `__proto__`; `TriggerRequest` in contracts says the same as a schema, and a test holds them
 * together. Throws a 422 Problem.
 */
export function readTrigger(body: unknown): Trigger {
  if (!isObject(body)) throw new Problem("validation", { message: ["body must be an object"] });
  const faults: string[] = [];
  const eventType = text(body.eventType, "eventType", faults);
  const reference = body.eventId === undefined ? null : text(body.eventId, "eventId", faults);
  const channels = readChannels(body.channels, faults);
  const payload = body.payload;
  let userId = "";
  let recipientEmail: string | null = null;
  let recipientPhone: string | null = null;
  if (isObject(payload)) {
    userId = text(payload.userId, "payload.userId", faults);
    recipientEmail = readEmail(payload.recipientEmail, faults);
    recipientPhone = readPhone(payload.recipientPhone, faults);
  } else {
    faults.push("payload must be an object");
    faults.push("payload.userId must be a string");
  }
  const variables = body.variables;
  if (variables !== undefined && !isObject(variables)) faults.push("variables must be an object");
  if (isDeeperThan(body, MAX_NESTING)) {
    faults.push(`body must not be nested deeper than ${MAX_NESTING} levels`);
  }
  if (faults.length > 0) throw new Problem("validation", { message: faults });
  return {
    eventType,
    reference,
    channels,
    userId,
    recipientEmail,
    recipientPhone,
    variables: isObject(variables) ? variables : null,
  };
}

/**
 * The automatic deduplication key: SHA-256 over tenant, event type and canonical payload (key order
 * cannot matter: the three fields are written in a fixed one). 64 hex digits.
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
  return hash("sha256", JSON.stringify(identity), "hex");
}

/** An explicit key lives in a namespace of its own, per tenant. Throws a 422 Problem. */
export function explicitKey(tenantId: string, header: string): string {
  const fault = textFault(header);
  if (fault !== undefined) {
    throw new Problem("validation", { message: [`X-Idempotency-Key ${fault}`] });
  }
  return hash("sha256", JSON.stringify(["explicit", tenantId, header]), "hex");
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown, field: string, faults: string[]): string {
  if (typeof value !== "string") {
    faults.push(`${field} must be a string`);
    return "";
  }
  const fault = textFault(value);
  if (fault !== undefined) faults.push(`${field} ${fault}`);
  return value;
}

function readChannels(value: unknown, faults: string[]): Channel[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    faults.push("channels must be an array");
    return [];
  }
  if (value.length > 16) {
    faults.push("channels must have at most 16 items");
    return [];
  }
  const channels = new Set<Channel>();
  for (const [index, item] of value.entries()) {
    if (isChannel(item)) channels.add(item);
    else faults.push(`channels[${index}] must be one of ${CHANNELS.join(", ")}`);
  }
  return [...channels];
}

function readEmail(value: unknown, faults: string[]): string | null {
  if (value === undefined || value === null || value === "") return null;
  const address = typeof value === "string" ? emailAddress(value) : undefined;
  if (address === undefined) faults.push("payload.recipientEmail must be an email address");
  return address ?? null;
}

function readPhone(value: unknown, faults: string[]): string | null {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "string" && PHONE.test(value)) return value;
  faults.push("payload.recipientPhone must be a phone number in E.164 form, as +12025550123");
  return null;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  const children = Array.isArray(value) ? value : Object.values(value);
  return children.some((child) => isDeeperThan(child, levels - 1));
}

/** The same value with sorted keys, as pairs: no key can be special. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  // A number as written counts as such: 10.10 is another text for the customer than 10.1.
  if (!isObject(value) || JSON.isRawJSON(value)) return value;
  return {
    object: Object.keys(value)
      .sort()
      .map((key) => [key, canonical(value[key])]),
  };
}
