import { CHANNELS } from "@belfry/contracts/channels";
import type { EventOutcome } from "@belfry/contracts/delivery";
import { field, integer, oneOf, orNull, time } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import {
  addressBeginning,
  formsOfText,
  phoneIn,
  readSearchKey,
  type SearchKey,
  type SearchTerm,
  type TermKind,
  termHash,
  termRange,
  termsOfText,
} from "@belfry/database/search-terms";
import type { SecretKeys } from "@belfry/database/secrets";
import { Type } from "@sinclair/typebox";
import { defineRead, LOOK, optional } from "../act.ts";
import { EXAMPLE_ID } from "../events/event-example.ts";
import { eventIdsByReference } from "../events/event-facts.ts";
import { inWords } from "../events/search-events.ts";
import { invalid } from "../input-error.ts";
import { isoTimes } from "../pages.ts";
import {
  type EventOfTenant,
  emailsOfUsers,
  eventIdsByHash,
  eventIdsById,
  eventsByIds,
  hashesBetween,
  type UserOfSearch,
  usersWho,
  WHO,
  withNumberEnd,
} from "./search-rows.ts";

/** Kinds of value that a searched text can match. */
const FOUND_BY = [
  "event id",
  "own event id",
  "user id",
  "email address",
  "phone number",
  "chat address",
  "trace id",
  "message id",
] as const;
type FoundBy = (typeof FOUND_BY)[number];

interface SearchedEvent extends EventOfTenant {
  by: FoundBy[];
}

export interface Found {
  /** Newest first. */
  events: SearchedEvent[];
  /** There are more events. */
  more: boolean;
  /** The search index is off (SEARCH_TERMS), so events are found by their ids only. */
  onlyIds: boolean;
  users: (UserOfSearch & { email: string | null })[];
}

export interface Search {
  text: string;
  /** If undefined, searches all tenants. Only operators may do this. */
  tenantId?: string | undefined;
  /** Maximum number of events. Default: 50. */
  limit?: number | undefined;
}
/** The longest text that is searched. */
const MAX_SEARCH_CHARACTERS = 500;

const EVENTS = 50;
const MOST_EVENTS = 1000;
const MOST_USERS = 20;
const BY_KIND: Readonly<Record<TermKind, FoundBy>> = {
  user: "user id",
  email: "email address",
  phone: "phone number",
  "phone end": "phone number",
  chat: "chat address",
  trace: "trace id",
  message: "message id",
};

const UserFound = Type.Object({
  tenantId: Type.String(),
  userId: Type.String(),
  email: orNull(Type.String({ description: "Address in the directory" })),
});
const EventFound = Type.Object({
  tenantId: Type.String(),
  userId: Type.String(),
  id: Type.String({ description: "Belfry's id" }),
  eventType: Type.String(),
  reference: orNull(Type.String({ description: "The tenant's eventId" })),
  acceptedAt: time("When it was stored"),
  dispatchedAt: orNull(time("When it was dispatched")),
  refusedAt: orNull(time("When it was refused")),
  outcome: Type.Unsafe<EventOutcome | null>({
    type: ["object", "null"],
    description: "Channels that dispatching left out, with the reasons",
  }),
  deliveries: Type.Array(
    Type.Object({
      channel: oneOf(CHANNELS),
      status: Type.String(),
      reason: orNull(Type.String()),
    }),
  ),
  pushed: Type.Boolean({ description: "It is in the inbox" }),
  by: Type.Array(oneOf(FOUND_BY), { description: "Kinds of value that the text matched" }),
});

export const searchAnything = defineRead({
  name: "event search",
  http: "GET /search",
  access: LOOK,
  tool: true,
  summary:
    "Events and users by what a customer gives: an address, a phone number, an id of the user, the event, a message or a trace",
  description:
    "Users are found by the beginning of their id or address as well, such as `ann` or `ann@exa`. Events need the whole value, since the search stores keyed hashes instead of values.",
  input: Type.Object({
    search: field<string>(
      {
        type: "string",
        maxLength: MAX_SEARCH_CHARACTERS,
        description: "A value that the customer gave",
      },
      (value) => (typeof value === "string" ? searchFault(value) : "must be a string"),
    ),
    limit: optional(
      integer({ minimum: 1, maximum: MOST_EVENTS }),
      `how many at most; default: ${EVENTS}`,
    ),
  }),
  output: Type.Object({
    events: Type.Array(EventFound, { description: "Newest first" }),
    more: Type.Boolean({ description: "There are more than these" }),
    onlyIds: Type.Boolean({
      description: "Search terms are off (SEARCH_TERMS): events are found by ids only",
    }),
    users: Type.Array(UserFound),
  }),
  example: {
    input: { search: "order-1001" },
    output: {
      events: [
        {
          id: EXAMPLE_ID,
          tenantId: "acme",
          eventType: "order.confirmed",
          userId: "user-1",
          reference: "order-1001",
          acceptedAt: "2026-11-20T09:30:00.000Z",
          dispatchedAt: "2026-11-20T09:30:00.020Z",
          refusedAt: null,
          outcome: null,
          deliveries: [],
          pushed: true,
          by: ["own event id"],
        },
      ],
      more: false,
      onlyIds: false,
      users: [{ tenantId: "acme", userId: "user-1", email: "ann@example.com" }],
    },
  },
  flags: { search: "<text>" },
  async run({ db, tenantId, services }, { search: text, limit }) {
    const whole = { text, tenantId: tenantId || undefined, limit };
    const { events, ...found } = await findAnything(db, await services.keys(), whole);
    return { ...found, events: events.map((event) => isoTimes(inWords(event))) };
  },
});

/**
 * Finds events and users by a value that a customer gives: an address, a phone number in any usual form, or an id of
 * the user, the event (Belfry's or the tenant's), a vendor's message or a trace. Also finds users by the beginning of
 * their id or address. The dispatcher's indexing loop is a few seconds behind: until then, an event is found only by
 * Belfry's or the tenant's own id. Returns reasons as stored. Throws `InvalidInput`.
 */
export async function findAnything(db: Database, keys: SecretKeys, search: Search): Promise<Found> {
  const { tenantId, text, limit = EVENTS } = search;
  const fault = searchFault(text);
  if (fault !== undefined) throw invalid("search", fault);
  const forms = formsOfText(text);
  const terms = termsOfText(text);
  const key = await readSearchKey(db, keys);
  const most = limit + 1;
  const looks: Promise<Hits>[] = [
    ...forms.map(async (form): Promise<Hits> => {
      return { by: "own event id", ids: await eventIdsByReference(db, form, most, tenantId) };
    }),
    ...forms
      .filter((form) => UUID.test(form))
      .map(async (form): Promise<Hits> => {
        return { by: "event id", ids: await eventIdsById(db, form, most, tenantId) };
      }),
  ];
  if (key !== undefined) {
    for (const term of terms) looks.push(hitsOf(db, key, term, { text, tenantId, most }));
  }
  const [users, ...hits] = await Promise.all([
    knownUsers(db, { text, forms, terms, tenantId }),
    ...looks,
  ] as const);
  const by = new Map<string, FoundBy[]>();
  for (const { by: what, ids } of hits) {
    for (const id of ids) {
      const known = by.get(id) ?? [];
      if (!known.includes(what)) by.set(id, [...known, what]);
    }
  }
  // UUIDv7: the greatest id is the newest event.
  const ids = [...by.keys()].toSorted().toReversed();
  // A searched id may belong to a delivery or a digest and not to an event, so a few more ids are read.
  const events = await eventsByIds(db, ids.slice(0, most + looks.length), tenantId);
  const shown = events.slice(0, limit).map((event) => ({ ...event, by: by.get(event.id) ?? [] }));
  return {
    events: shown,
    more: events.length > limit,
    onlyIds: key === undefined,
    users: await emailsOfUsers(db, distinctUsers([...users, ...shown]).slice(0, MOST_USERS)),
  };
}

/** Returns the ids of a user's newest events, of those that are already indexed. */
export async function eventIdsOfUser(
  db: Database,
  keys: SecretKeys,
  { tenantId, userId, most }: UserOfSearch & { most: number },
): Promise<string[]> {
  const key = await readSearchKey(db, keys);
  if (key === undefined) return [];
  return await eventIdsByHash(db, [termHash(key, "user", tenantId, userId)], most);
}

interface Hits {
  by: FoundBy;
  ids: string[];
}

async function hitsOf(
  db: Database,
  key: SearchKey,
  { kind, value }: SearchTerm,
  { text, tenantId, most }: { text: string; tenantId: string | undefined; most: number },
): Promise<Hits> {
  const by = BY_KIND[kind];
  let hashes: string[];
  if (tenantId !== undefined) hashes = [termHash(key, kind, tenantId, value)];
  else {
    const { low, high } = termRange(key, kind, value);
    hashes = await hashesBetween(db, low, high);
  }
  const newest = async (limit: number) => {
    const ids = await eventIdsByHash(db, hashes, limit);
    if (kind !== "phone end") return { looked: ids.length, ids };
    const digits = phoneIn(text)?.digits ?? value;
    return { looked: ids.length, ids: await withNumberEnd(db, ids, digits) };
  };
  const { looked, ids } = await newest(most);
  // Other numbers may have the same last digits and newer events. Then more events are read to find this number's.
  const isAll = looked < most || ids.length === looked;
  return { by, ids: isAll ? ids : (await newest(Math.max(most, MOST_EVENTS))).ids };
}

/** Returns users whose id, address or number is the text, then users whose id or address begins with it. */
async function knownUsers(
  db: Database,
  {
    text,
    forms,
    terms,
    tenantId,
  }: { text: string; forms: string[]; terms: SearchTerm[]; tenantId: string | undefined },
): Promise<UserOfSearch[]> {
  const whom = forms.map(WHO.id);
  const email = terms.find(({ kind }) => kind === "email")?.value;
  if (email !== undefined) whom.push(WHO.email(email, MOST_USERS));
  const digits = phoneIn(text)?.digits;
  if (digits !== undefined && digits.length >= 8) whom.push(WHO.phone(digits, MOST_USERS));
  whom.push(...forms.map((form) => WHO.idBeginning(form, MOST_USERS)));
  whom.push(WHO.emailBeginning(addressBeginning(text), MOST_USERS));
  const looks = whom.map((who) => usersWho(db, who, tenantId, MOST_USERS));
  return (await Promise.all(looks)).flat();
}

function distinctUsers(users: readonly UserOfSearch[]): UserOfSearch[] {
  const seen = new Map(
    users.map(({ tenantId, userId }) => [JSON.stringify([tenantId, userId]), { tenantId, userId }]),
  );
  return [...seen.values()];
}

/** Ignores spaces around the text, which are usually pasted by accident. An id may still have them. */
function searchFault(given: string): string | undefined {
  if (given.length > MAX_SEARCH_CHARACTERS && [...given].length > MAX_SEARCH_CHARACTERS) {
    return `must be at most ${MAX_SEARCH_CHARACTERS} characters`;
  }
  const text = given.trim();
  if (text === "") return "should not be empty";
  if (/[\u0000-\u001f\u007f]/.test(text)) return "must not contain control characters";
  return text.isWellFormed() ? undefined : "must not contain lone surrogates";
}
