import { chatKindOf } from "@belfry/contracts/addresses";
import { BroadcastRequest, broadcastFault } from "@belfry/contracts/broadcasts";
import {
  ANY_KIND,
  CHANNEL_ROWS,
  CHANNELS,
  type Channel,
  EXAMPLE_CHANNEL,
  isProviderChannel,
  namesKind,
  type ProviderChannel,
  TO_CHAT,
  TO_DEVICES,
} from "@belfry/contracts/channels";
import { FAULT, oneOf } from "@belfry/contracts/fields";
import { PLATFORM } from "@belfry/contracts/identifiers";
import { reasonOf } from "@belfry/contracts/reasons";
import { chunks, type Database, type Pool } from "@belfry/database/connection";
import { chatAddresses } from "@belfry/database/functions/chat-addresses";
import { usersWithDevices } from "@belfry/database/functions/devices";
import {
  type PreferenceVerdict,
  preferencesOf,
  type Recipient,
  recipientsOf,
  suppressionsOf,
} from "@belfry/database/functions/recipients";
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { defineRead, LOOK } from "../act.ts";
import { countMembers, requireTemplates } from "./create-broadcast.ts";

/** At most this many members of topics are checked; the numbers for the others are extrapolated. */
export const MOST_LOOKED_AT = 10_000;
const BATCH = 1000;
/** An id that no event has. */
const NO_EVENT = "00000000-0000-0000-0000-000000000000";

/** The reasons why a person gets nothing on a channel. */
export const MISSES = [
  "no-address",
  "no-device",
  "no-provider",
  "turned-off",
  "not-turned-on",
  "suppressed",
] as const;
export type Miss = (typeof MISSES)[number];

const count = (description: string) => Type.Integer({ description });

export const BroadcastEstimate = Type.Object(
  {
    isExact: Type.Boolean({
      description:
        "Whether everybody was examined; if false, `people` and `reached` are extrapolated",
    }),
    lookedAt: count("People who were looked at one by one: the first by user id"),
    reachedOfThose: count("Those of them who would get it on at least one channel"),
    people: count("Users it is for; a user in several topics counts once"),
    reached: count("Users who would get it on at least one channel"),
    channels: Type.Array(
      Type.Object({
        channel: oneOf(CHANNELS),
        reached: count("Users among the examined ones who would get it"),
        missed: Type.Array(
          Type.Object({ reason: oneOf(MISSES), people: Type.Integer() }, { title: "Missed" }),
          { description: "Reasons why examined users would not get it on this channel" },
        ),
      }),
      { description: "The channels that it would go out on" },
    ),
  },
  { title: "BroadcastEstimate" },
);
export type BroadcastEstimate = Static<typeof BroadcastEstimate>;

const { topics, userIds, exceptUserIds, eventType, channels } = BroadcastRequest.properties;

export const estimateBroadcast = defineRead({
  name: "broadcast estimate",
  http: "POST /broadcast-estimates",
  access: LOOK,
  tool: true,
  maxBodyBytes: 8 * 1024 * 1024,
  summary:
    "Estimate how many people a broadcast would reach, and why it would not reach the others",
  description: `Looks at the first ${MOST_LOOKED_AT} people, by user id, as dispatching would: address, provider, preferences, suppression. If there are more, it extrapolates. Quiet hours only delay, and a template's throttle is not counted.`,
  input: Type.Object(
    { topics, userIds, exceptUserIds, eventType, channels },
    { [FAULT]: broadcastFault },
  ),
  output: BroadcastEstimate,
  example: {
    input: { topics: ["product-news"], eventType: "product.news" },
    output: {
      isExact: false,
      lookedAt: 10_000,
      reachedOfThose: 9_410,
      people: 118_000,
      reached: 111_038,
      channels: [
        {
          channel: EXAMPLE_CHANNEL,
          reached: 9_410,
          missed: [
            { reason: "no-address", people: 350 },
            { reason: "turned-off", people: 240 },
          ],
        },
      ],
    },
  },
  async run({ db, tenantId, services: { pool }, signal }, input) {
    const { eventType, exceptUserIds = [] } = input;
    await requireTemplates(db, tenantId, eventType);
    const excepted = [...new Set(exceptUserIds)];
    const audience = input.topics
      ? await membersOf(db, tenantId, [...new Set(input.topics)], excepted)
      : listed(input.userIds ?? [], excepted);
    const ways = await waysOf(db, tenantId, eventType, input.channels ?? []);
    const tally = await lookAt(pool, { tenantId, eventType, ways }, audience.first, signal);
    const lookedAt = audience.first.length;
    const share = lookedAt === 0 ? 0 : tally.reached / lookedAt;
    return {
      isExact: audience.isWhole,
      lookedAt,
      reachedOfThose: tally.reached,
      people: audience.people,
      reached: audience.isWhole ? tally.reached : Math.round(audience.people * share),
      channels: ways.map(({ channel }) => {
        const missed = MISSES.map((reason) => ({
          reason,
          people: tally.missed.get(`${channel} ${reason}`) ?? 0,
        })).filter(({ people }) => people > 0);
        const lost = missed.reduce((sum, { people }) => sum + people, 0);
        return { channel, reached: lookedAt - lost, missed };
      }),
    };
  },
});

interface Audience {
  /** The first users by id, without the excepted ones. */
  first: string[];
  /** Whether `first` contains all users. */
  isWhole: boolean;
  people: number;
}

function listed(userIds: readonly string[], excepted: readonly string[]): Audience {
  const out = new Set(excepted);
  const first = [...new Set(userIds)].filter((user) => !out.has(user));
  return { first, isWhole: true, people: first.length };
}

/**
 * Reads the first members of the topics, in the order in which a broadcast is expanded. If there are more, estimates
 * the number of people from the number of topics that each of the first members is in.
 */
async function membersOf(
  db: Database,
  tenantId: string,
  topics: readonly string[],
  excepted: readonly string[],
): Promise<Audience> {
  const allMemberships = await countMembers(db, tenantId, topics);
  const { rows } = await sql<{ user: string; memberships: number }>`
    select m.user_id as user, count(*)::integer as memberships from unnest(${topics}::text[]) t (topic)
    cross join lateral (
      select m.user_id from topic_members m
      where m.tenant_id = ${tenantId} and m.topic = t.topic
      order by m.user_id limit ${MOST_LOOKED_AT + 1}
    ) m
    group by m.user_id order by m.user_id limit ${MOST_LOOKED_AT + 1}`.execute(db);
  const out = new Set(excepted);
  const walked = rows.slice(0, MOST_LOOKED_AT);
  const first = walked.map(({ user }) => user).filter((user) => !out.has(user));
  if (rows.length <= MOST_LOOKED_AT) return { first, isWhole: true, people: first.length };
  // The others are assumed to have as many memberships on average.
  const memberships = walked.reduce((sum, row) => sum + row.memberships, 0);
  const distinct = Math.round((allMemberships * walked.length) / memberships);
  const { rows: left } = await sql<{ members: number }>`
    select count(*)::integer as members from unnest(${excepted}::text[]) u (user_id)
    where exists (
      select from topic_members m
      where m.tenant_id = ${tenantId} and m.topic = any (${topics}::text[]) and m.user_id = u.user_id)`.execute(
    db,
  );
  return { first, isWhole: false, people: Math.max(first.length, distinct - left[0]!.members) };
}

interface Way {
  channel: Channel;
  /** The kinds of the tenant's active providers. */
  kinds: readonly string[];
  hasProvider: boolean;
}

/**
 * Finds the channels of the event type's active templates that the tenant may use. If `requested` is not empty, the
 * others are left out.
 */
async function waysOf(
  db: Database,
  tenantId: string,
  eventType: string,
  requested: readonly Channel[],
): Promise<Way[]> {
  const owner = eventType.startsWith("global.") ? PLATFORM : tenantId;
  const { rows } = await sql<{ channel: Channel; kinds: string[] }>`
    select x.channel, array(
        select p.kind from providers p where p.tenant_id = t.id and p.channel = x.channel and p.active) as kinds
    from templates x join tenants t on t.id = ${tenantId}
    where x.tenant_id = ${owner} and x.event_type = ${eventType} and x.active
      and (t.delivery_channels = '{}' or x.channel = any (t.delivery_channels))`.execute(db);
  const known = new Map(rows.map((row) => [row.channel, row]));
  return CHANNELS.flatMap((channel) => {
    const row = known.get(channel);
    if (row === undefined || (requested.length > 0 && !requested.includes(channel))) return [];
    const needsProvider = CHANNEL_ROWS[channel].sender !== null;
    const { kinds } = row;
    return [{ channel, kinds, hasProvider: kinds.length > 0 || !needsProvider }];
  });
}

interface Message {
  tenantId: string;
  eventType: string;
  ways: readonly Way[];
}

interface Tally {
  reached: number;
  /** Counts by channel and reason. */
  missed: Map<string, number>;
}

/** Checks users as dispatching does, batch by batch. Throws the signal's reason if it is aborted. */
async function lookAt(
  pool: Pool,
  message: Message,
  users: readonly string[],
  signal?: AbortSignal,
): Promise<Tally> {
  const { tenantId, eventType, ways } = message;
  const tally: Tally = { reached: 0, missed: new Map() };
  if (ways.length === 0) return tally;
  for (const userIds of chunks(users, BATCH)) {
    signal?.throwIfAborted();
    const batch = userIds.map((userId) => ({ tenantId, userId, eventType }));
    const known = await recipientsOf(pool, batch);
    const channels = ways.map(({ channel }) => channel);
    const chats = channels.includes(TO_CHAT)
      ? await chatAddresses(
          pool,
          batch.map((one) => ({ ...one, id: NO_EVENT })),
        )
      : [];
    const recipients = known.map((one, place) => ({ ...one, chat: chats[place] ?? null }));
    const asked = [...batch.keys()].filter((place) => recipients[place]?.chooses);
    const answers = await preferencesOf(
      pool,
      asked.map((place) => ({ ...batch[place]!, channels })),
    );
    const verdicts = new Map(asked.map((place, index) => [place, answers[index]]));
    const haveDevice = channels.includes(TO_DEVICES) ? await usersWithDevices(pool, batch) : [];
    const missed = recipients.map((recipient, place) =>
      ways.map((way) => {
        const isMissing = way.channel === TO_DEVICES && way.hasProvider && !haveDevice[place];
        return isMissing ? "no-device" : missReason(way, recipient, verdicts.get(place));
      }),
    );
    await markSuppressed(pool, message, recipients, missed);
    for (const ofPerson of missed) {
      if (ofPerson.includes(undefined)) tally.reached += 1;
      for (const [index, miss] of ofPerson.entries()) {
        if (miss === undefined) continue;
        const key = `${channels[index]} ${miss}`;
        tally.missed.set(key, (tally.missed.get(key) ?? 0) + 1);
      }
    }
  }
  return tally;
}

/** A user as the directory knows it. */
type Reached = Recipient & { chat: string | null };

function missReason(
  { channel, hasProvider, kinds }: Way,
  recipient: Reached,
  verdicts: ReadonlyMap<Channel, PreferenceVerdict> | undefined,
): Miss | undefined {
  // Checked first: without a provider nobody gets the message, and an operator can fix that.
  if (!hasProvider) return "no-provider";
  const address = addressOf(channel, recipient);
  if (CHANNEL_ROWS[channel].address !== null && !address) return "no-address";
  if (namesKind(channel)) {
    const kind = chatKindOf(address ?? "");
    if (kind === undefined) return "no-address";
    if (!kinds.includes(kind) && !kinds.includes(ANY_KIND)) return "no-provider";
  }
  const verdict = verdicts?.get(channel);
  if (verdict?.reason == null) return undefined;
  return reasonOf(verdict.reason)?.code === "not-turned-on" ? "not-turned-on" : "turned-off";
}

function addressOf(channel: Channel, { email, phone, chat }: Reached): string | null {
  const { address } = CHANNEL_ROWS[channel];
  if (address === "recipientChat") return chat;
  return address === "recipientEmail" ? email : address === "recipientPhone" ? phone : null;
}

/**
 * Writes "suppressed" into `missed` for suppressed addresses. Checks only people who would get the message otherwise.
 */
async function markSuppressed(
  pool: Pool,
  { tenantId, ways }: Message,
  recipients: readonly Reached[],
  missed: (Miss | undefined)[][],
): Promise<void> {
  const asked: { place: number; index: number; channel: ProviderChannel }[] = [];
  for (const [place, ofPerson] of missed.entries()) {
    for (const [index, { channel }] of ways.entries()) {
      if (ofPerson[index] === undefined && isProviderChannel(channel)) {
        asked.push({ place, index, channel });
      }
    }
  }
  const reasons = await suppressionsOf(
    pool,
    asked.map(({ place, channel }) => ({
      tenantId,
      channel,
      recipient: addressOf(channel, recipients[place]!),
    })),
  );
  for (const [at, { place, index }] of asked.entries()) {
    if (reasons[at] !== undefined) missed[place]![index] = "suppressed";
  }
}
