import { setTimeout } from "node:timers/promises";
import { TriggerEmail } from "@belfry/contracts/envelope";
import { PLATFORM } from "@belfry/contracts/identifiers";
import { nearestName } from "@belfry/contracts/nearest-name";
import { TriggerRequest } from "@belfry/contracts/trigger";
import { shownName, unknownFields } from "@belfry/contracts/unknown-fields";
import type { Database } from "@belfry/database/connection";
import { createSemaphore } from "@belfry/service/semaphore";
import { createVersionedCache, readEach } from "@belfry/service/versioned-cache";
import type { TSchema } from "@sinclair/typebox";
import type { Logger } from "pino";

/**
 * Returns warnings about an accepted trigger, after `load`; undefined if there are none. A replay gets the same ones:
 * `accepted` is the event type of the stored event, which an explicit key may name with another body.
 */
export function warningsOf(
  eventTypes: EventTypes,
  tenantId: string,
  schema: TSchema,
  body: TriggerRequest,
  accepted: string,
): string[] | undefined {
  const ignored = ignoredFields(schema, body);
  if (eventTypes.has(tenantId, accepted) !== false) return ignored;
  return [...(ignored ?? []), `no template has the eventType ${accepted}: nothing is sent`];
}

const PAYLOAD = TriggerRequest.properties.payload;

/** Names that mean something elsewhere in the interface, and what to tell of them in a trigger. */
const ELSEWHERE: readonly [name: string, words: string][] = [
  ["idempotencyKey", "; did you mean the header X-Idempotency-Key?"],
  ["dryRun", ": a trigger has no dry run"],
];

type Fields = Readonly<Record<string, unknown>>;

const KNOWN: ReadonlySet<string> = new Set(Object.keys(TriggerRequest.properties));
const KNOWN_IN_PAYLOAD: ReadonlySet<string> = new Set(Object.keys(PAYLOAD.properties));

/**
 * Names ignored fields of a checked trigger that are probably misspelt fields that it lacks: `payload.recipientMail`.
 * `schema` is that of a single trigger or of one in a batch. Runs for every trigger: undefined where every field is known.
 */
function ignoredFields(schema: TSchema, body: TriggerRequest): string[] | undefined {
  if (!hasOthers(body, KNOWN) && !hasOthers(body.payload, KNOWN_IN_PAYLOAD) && !body.email) {
    return undefined;
  }
  const warnings: string[] = [];
  addIgnored(warnings, schema, body, "");
  addIgnored(warnings, PAYLOAD, body.payload, "payload.");
  if (body.email) addIgnored(warnings, TriggerEmail, body.email, "email.");
  return warnings.length > 0 ? warnings : undefined;
}

function hasOthers(value: object, known: ReadonlySet<string>): boolean {
  for (const name in value) if (!known.has(name)) return true;
  return false;
}

function addIgnored(warnings: string[], schema: TSchema, given: Fields, prefix: string): void {
  const unknown = unknownFields(schema, given);
  if (unknown.length === 0) return;
  // A field that the trigger has under its right name was not meant.
  const meant = new Map(prefix === "" ? ELSEWHERE : []);
  const addLacking = ({ properties }: TSchema, of: Fields, place: string) => {
    for (const name of Object.keys(properties)) {
      if (of[name] === undefined) meant.set(name, `; did you mean ${place}${name}?`);
    }
  };
  if (prefix === "") addLacking(PAYLOAD, given.payload as Fields, "payload.");
  addLacking(schema, given, prefix);
  for (const name of unknown) {
    const near = nearestName(name, [...meant.keys()]);
    if (near === undefined) continue;
    warnings.push(`${prefix}${shownName(name)} is ignored${meant.get(near)}`);
  }
}

export interface EventTypes {
  /**
   * Begins to read the event types of a tenant that is not known yet, beside the acceptance. The promise resolves within
   * 100 ms and never rejects; undefined: `has` can answer. So an event and its replay get the same warnings.
   */
  load(tenantId: string, eventType: string): Promise<unknown> | undefined;
  /**
   * Tells whether a template of the tenant, or of the platform, has an event type, on any channel; undefined if the types
   * could not be read, or are too many to remember.
   */
  has(tenantId: string, eventType: string): boolean | undefined;
  /** The configuration changed: everything is read again. Until then the values read before count. */
  clear(): void;
}

const MAX_TENANTS = 5_000;
/** Most event types of a tenant. A tenant with more gets no warnings. */
const MAX_TYPES = 2_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** Memory of one type in a set, beside its characters. */
const TYPE_BYTES = 64;
const MOST_WAIT_MS = 100;

/** Reads one tenant at a time, so that a burst takes one connection at most. */
export function createEventTypes(db: Database, log: Logger): EventTypes {
  const createTypes = () =>
    createVersionedCache<ReadonlySet<string>>({
      max: MAX_TENANTS,
      weight: { maxBytes: MAX_BYTES, bytesOf },
      read: (tenantIds) => readEach(tenantIds, (tenantId) => readTypes(db, tenantId)),
    });
  let types = createTypes();
  let before: typeof types | undefined;
  const oneAtATime = createSemaphore(1);
  const reading = new Map<string, Promise<void>>();
  const read = async (owner: string) => {
    try {
      await oneAtATime.run(() => types.get(owner));
    } catch (err) {
      log.debug({ err }, "event types not read");
    } finally {
      reading.delete(owner);
    }
  };
  const ownerOf = (tenantId: string, eventType: string) =>
    eventType.startsWith("global.") ? PLATFORM : tenantId;
  return {
    load(tenantId, eventType) {
      const owner = ownerOf(tenantId, eventType);
      if (types.peek(owner) !== undefined) return undefined;
      const underWay = reading.get(owner) ?? read(owner);
      reading.set(owner, underWay);
      if (before?.peek(owner) !== undefined) return undefined;
      return Promise.race([underWay, setTimeout(MOST_WAIT_MS, undefined, { ref: false })]);
    },
    has(tenantId, eventType) {
      const owner = ownerOf(tenantId, eventType);
      return (types.peek(owner) ?? before?.peek(owner))?.value?.has(eventType);
    },
    clear() {
      before = types;
      types = createTypes();
    },
  };
}

/** undefined: more than `MAX_TYPES`. */
async function readTypes(db: Database, tenantId: string): Promise<Set<string> | undefined> {
  const rows = await db
    .selectFrom("templates")
    .select("event_type")
    .distinct()
    .where("tenant_id", "=", tenantId)
    .limit(MAX_TYPES + 1)
    .execute();
  return rows.length > MAX_TYPES ? undefined : new Set(rows.map((row) => row.event_type));
}

function bytesOf(types: ReadonlySet<string>): number {
  let bytes = 0;
  for (const type of types) bytes += TYPE_BYTES + 2 * type.length;
  return bytes;
}
