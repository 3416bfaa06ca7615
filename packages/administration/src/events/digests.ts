import { EXAMPLE_CHANNEL, PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import { DELIVERY_STATUSES, DIGEST_ITEM_STATES } from "@belfry/contracts/delivery";
import { id, integer, oneOf, orNull, time } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import { reasonWords } from "@belfry/contracts/reasons";
import type { Database } from "@belfry/database/connection";
import { Type } from "@sinclair/typebox";
import { defineAct, EDIT, LOOK } from "../act.ts";
import { invalid, NotFound } from "../input-error.ts";
import { type IsoTimes, isoTimes } from "../pages.ts";
import { requireTenant } from "../tenants/tenant-rows.ts";
import {
  type DigestRow,
  digestById,
  itemsOfDigest,
  makeDue,
  openDigests,
  openDigestsByUser,
} from "./digest-rows.ts";

const MOST_LISTED = 1_000;
const MOST_EVENTS = 100;

/** A message that combines several events; times are ISO 8601, UTC. */
export type Digest = IsoTimes<DigestRow>;

const DIGEST_ID = "0198f3a1-7c2e-7b1d-9a54-2f3d4c5b6a79";
const digest = {
  id: Type.String(),
  eventType: Type.String(),
  channel: oneOf(PROVIDER_CHANNELS),
  userId: Type.String(),
  recipient: orNull(Type.String()),
  locale: Type.String({ description: "Of the template's variant; empty: the default" }),
  key: Type.String({ description: "What keeps its events apart; empty: nothing" }),
  openedAt: time("When its first event came"),
  windowEndsAt: time("Until when events join it; quiet hours may hold it longer"),
  closedAt: orNull(time("When nothing could join it any more")),
  count: Type.Integer({ description: "Events that the message is of" }),
  delivery: Type.Union([
    Type.Object({
      id: Type.String(),
      status: oneOf(DELIVERY_STATUSES),
      reason: orNull(Type.String()),
      dueAt: orNull(time("When it is tried next; null once settled")),
    }),
    Type.Null({ description: "Only its first event so far, which was sent by itself" }),
  ]),
  open: Type.Boolean({ description: "Events may join it" }),
};
const ShownDigest = Type.Object({
  ...digest,
  events: Type.Array(
    Type.Object({
      eventId: Type.String(),
      state: oneOf(DIGEST_ITEM_STATES),
      addedAt: time("When it came"),
    }),
    { description: `The oldest ${MOST_EVENTS}` },
  ),
});
const EXAMPLE = {
  ...{ id: DIGEST_ID, eventType: "comment.added", channel: EXAMPLE_CHANNEL, userId: "user-1" },
  ...{ recipient: "ann@example.com", locale: "", key: "post-7", count: 2, open: true },
  ...{ openedAt: "2026-11-20T09:00:00.000Z", windowEndsAt: "2026-11-20T09:30:00.000Z" },
  ...{ closedAt: null, delivery: null },
};
const SHOWN = { ...EXAMPLE, events: [] };
const named = Type.Object({
  id: id({ description: "the digest's id, as in the list or in an event's report" }),
});

export const listDigests = defineAct({
  name: "digest list",
  http: "GET /digests",
  access: LOOK,
  effect: "read",
  tool: true,
  summary: "A tenant's open digests, the next one first: until when, and with how many events",
  input: Type.Object({
    limit: Type.Optional(
      integer(
        { minimum: 1, maximum: MOST_LISTED },
        { description: "how many at most; default: 1,000" },
      ),
    ),
  }),
  output: Type.Array(Type.Object(digest, { title: "Digest" })),
  examples: [{ input: {}, output: [EXAMPLE] }],
  async run({ db, tenantId }, { limit = MOST_LISTED }) {
    await requireTenant(db, tenantId, "tenant");
    return { output: (await openDigests(db, tenantId, limit)).map(shownDigest) };
  },
});

export const showDigest = defineAct({
  name: "digest show",
  http: "GET /digests/:id",
  access: LOOK,
  effect: "read",
  tool: true,
  summary: "One digest, open or not, with the ids of its oldest 100 events",
  description: "Its events include those that are not in the message.",
  input: named,
  output: ShownDigest,
  examples: [{ input: { id: DIGEST_ID }, output: SHOWN }],
  run: async ({ db, tenantId }, input) => ({ output: await readDigest(db, tenantId, input.id) }),
});

export const releaseDigest = defineAct({
  name: "digest release",
  http: "POST /digests/:id/release",
  access: EDIT,
  effect: "change",
  summary: "Send an open digest now; quiet hours still apply",
  input: named,
  output: ShownDigest,
  examples: [{ input: { id: DIGEST_ID }, output: SHOWN }],
  async run({ db, tenantId }, input) {
    const { delivery } = await readDigest(db, tenantId, input.id);
    if (!(await makeDue(db, tenantId, input.id))) {
      const message =
        delivery === null
          ? "has nothing to send: its first event was sent by itself, and none has come since"
          : `cannot be released: it is ${delivery.status === "queued" ? "on its way" : delivery.status}`;
      throw invalid("id", message);
    }
    return { output: await readDigest(db, tenantId, input.id) };
  },
  audit: (_, { output: { id: target, count } }) => ({
    ...{ action: "digest.release", target, after: { count } },
  }),
});

function shownDigest({ delivery, ...row }: DigestRow): Digest {
  const inWords = delivery && { ...delivery, reason: reasonWords(delivery.reason) };
  return { ...isoTimes(row), delivery: inWords };
}

/** A page of the same in the order of their users, for however many there are. */
export async function digestPage(
  db: Database,
  tenantId: string,
  { after, limit }: { after?: { userId: string; id: string } | undefined; limit: number },
): Promise<{ digests: Digest[]; next: { userId: string; id: string } | undefined }> {
  const rows = await openDigestsByUser(db, tenantId, { after, most: limit + 1 });
  const page = rows.slice(0, limit);
  return { digests: page.map(shownDigest), next: rows.length > limit ? page.at(-1) : undefined };
}

/** Throws `NotFound`. */
async function readDigest(db: Database, tenantId: string, digestId: string) {
  await requireTenant(db, tenantId, "tenant");
  const row = UUID.test(digestId) ? await digestById(db, tenantId, digestId) : undefined;
  if (row === undefined) {
    throw new NotFound("id", `no digest of the tenant has the id ${JSON.stringify(digestId)}`);
  }
  const items = await itemsOfDigest(db, row.id, MOST_EVENTS);
  return { ...shownDigest(row), events: items.map(isoTimes) };
}
