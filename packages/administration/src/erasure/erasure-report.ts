import { type Static, Type } from "@sinclair/typebox";
import { optional } from "../act.ts";

/** The report of an erasure: the rows that it deleted, and the data that it keeps. */

const rows = (description?: string) =>
  Type.Integer(description === undefined ? {} : { description });

const ErasedRows = Type.Object({
  events: rows(),
  undispatchedEvents: rows("Of the events, those that were not dispatched yet"),
  deliveries: rows(),
  attempts: rows(),
  receipts: rows(),
  outbox: rows(),
  notifications: rows(),
  realtimeChannels: rows(),
  deadMessages: rows("Failed NATS messages that referred only to rows of this person"),
  suppressions: rows(),
  inboundMessages: rows("The person's answers to text messages"),
  recipients: rows("The user in the tenant's directory: addresses, language, zone, quiet hours"),
  preferences: rows("The user's preferences"),
  topics: rows("Topics that the user was in"),
  devices: rows("The user's browsers and phones, with their tokens"),
  digests: rows("Digests with events of the user"),
  throttles: rows("Records of messages to the user that count towards a throttle"),
  webhookMessages: rows(
    "Messages about the user to the tenant's endpoints, each with its delivery and attempts",
  ),
});
export type ErasedRows = Static<typeof ErasedRows>;
export const NOTHING_ERASED = Object.fromEntries(
  Object.keys(ErasedRows.properties).map((name) => [name, 0]),
) as ErasedRows;

const Kept = Type.Object({
  where: Type.String(),
  what: Type.String(),
  count: optional(rows("Only of data that can be counted")),
});
type Kept = Static<typeof Kept>;

export const ErasureReport = Type.Object({
  tenantId: Type.String(),
  userId: Type.String(),
  dryRun: Type.Boolean({
    description: "true: nothing was changed, and the figures say what an erasure would delete",
  }),
  deleted: ErasedRows,
  unsent: rows("Of the deliveries, those that were not sent yet: they will not be sent"),
  kept: Type.Array(Kept),
});
export type ErasureReport = Static<typeof ErasureReport>;

/**
 * Returns a description of the data that an erasure keeps. Counts are of this person; entries with a count of 0 are
 * omitted.
 */
export function keptAfter(found: { suppressions: number; auditEntries: number }): Kept[] {
  const counted: Kept[] = [
    {
      where: "suppressions",
      what: "suppressed addresses of the person; --suppressions removes them",
      count: found.suppressions,
    },
    {
      where: "audit_log",
      what: "entries that name an address of the person: they record what people did in the Admin UI",
      count: found.auditEntries,
    },
  ];
  return [...counted.filter(({ count }) => count !== 0), ...UNCOUNTED];
}

const UNCOUNTED: readonly Kept[] = [
  {
    where: "dedup_keys",
    what: "hashes of the requests for 24 hours, so that a retry does not store the person's data again",
  },
  {
    where: "audit_log",
    what: "that this person was erased, and that somebody changed the person's data: a hash of the tenant's and the user's id",
  },
  {
    where: "other people's events",
    what: "variables that mention this person, and events of this person under another user id",
  },
  {
    where: "files that are being imported",
    what: "the person's line, until it is reached; it is left out then",
  },
  {
    where: "templates, Admin UI",
    what: "sample values of templates and of their drafts, and an account of the Admin UI, if the person has one",
  },
  {
    where: "providers",
    what: "the emails and text messages that they accepted, and their records of them",
  },
  { where: "browsers", what: "the content of the person's open pages until they are closed" },
  { where: "NATS", what: "ids of events and deliveries until they are acknowledged; no content" },
  { where: "logs", what: "ids and trace ids for as long as you keep logs; no address, no content" },
  {
    where: "Postgres",
    what: "the deleted rows in its files until vacuum, in its WAL and in replicas for as long as you keep those",
  },
  {
    where: "backups",
    what: "everything, in backups from before the erasure: erase again after a restore",
  },
];
