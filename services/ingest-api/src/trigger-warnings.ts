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
 * Returns warnings about an accepted trigger; undefined if there are none. Call `load` first. `accepted` is the event
 * type of the stored event. A replay with an explicit key may have another type in its body, but gets the same warning.
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

/** Fields that exist elsewhere in the interface but not in a trigger, each with the end of its warning. */
const ELSEWHERE: readonly [name: string, words: string][] = [
  ["idempotencyKey", "; did you mean the header X-Idempotency-Key?"],
  ["dryRun", ": a trigger has no dry run"],
];

type Fields = Readonly<Record<string, unknown>>;

const KNOWN: ReadonlySet<string> = new Set(Object.keys(TriggerRequest.properties));
const KNOWN_IN_PAYLOAD: ReadonlySet<string> = new Set(Object.keys(PAYLOAD.properties));

/**
 * Returns warnings about ignored fields of a checked trigger that are probably misspelt (`payload.recipientMail`).
 * `schema` is that of a single trigger or of an event in a batch. Runs for every trigger, so it returns early if all
 * fields are known.
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
  // Only fields that the trigger lacks can be meant by a misspelt name.
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
   * Begins to read the tenant's event types, if they are not known yet, in parallel with the acceptance. Returns
   * undefined if `has` can already answer, or a promise that resolves within 100 ms and never rejects. Waiting for it
   * gives an event and its replay the same warnings.
   */
  load(tenantId: string, eventType: string): Promise<unknown> | undefined;
  /**
   * Returns whether a template of the tenant, or of the platform for `global.*`, has the event type on any channel;
   * undefined if the types could not be read or are too many to remember.
   */
  has(tenantId: string, eventType: string): boolean | undefined;
  /** Makes everything be read again, because the configuration changed. Until then the old values are used. */
  clear(): void;
}

const MAX_TENANTS = 5_000;
/** Most event types of a tenant. A tenant with more gets no warnings. */
const MAX_TYPES = 2_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** Estimated memory of one type in a set, without its characters. */
const TYPE_BYTES = 64;
const MOST_WAIT_MS = 100;

/** Returns a cache of event types. It reads one tenant at a time, so that a burst uses at most one connection. */
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

/** Reads a tenant's event types; undefined if there are more than `MAX_TYPES`. */
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
