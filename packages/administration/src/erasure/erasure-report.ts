import { type Static, Type } from "@sinclair/typebox";
import { optional } from "../act.ts";

/** What an erasure took away, and what it left. */

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
  deadMessages: rows("NATS messages that had been set aside and named nothing else"),
  suppressions: rows(),
  inboundMessages: rows("What the person has answered to text messages"),
  recipients: rows("What the tenant has said of the user: addresses, language, zone, quiet hours"),
  preferences: rows("What the user has turned on and off"),
  digests: rows("Messages that gather events of the user"),
  throttles: rows("When the user was sent something of which there may be only so much"),
  webhookMessages: rows(
    "What the tenant's endpoints were or are to be told of the user, each with its delivery and attempts",
  ),
});
export type ErasedRows = Static<typeof ErasedRows>;
export const NOTHING_ERASED = Object.fromEntries(
  Object.keys(ErasedRows.properties).map((name) => [name, 0]),
) as ErasedRows;

const Kept = Type.Object({
  where: Type.String(),
  what: Type.String(),
  count: optional(rows("Where they can be counted")),
});
type Kept = Static<typeof Kept>;

export const ErasureReport = Type.Object({
  tenantId: Type.String(),
  userId: Type.String(),
  dryRun: Type.Boolean({
    description: "Then nothing was changed, and the figures say what would go",
  }),
  deleted: ErasedRows,
  unsent: rows("Of the deliveries, those that were still to be sent: they are not sent any more"),
  kept: Type.Array(Kept),
});
export type ErasureReport = Static<typeof ErasureReport>;

/** What stays behind, in words. The counts are of this person; what holds nothing is left out. */
export function keptAfter(found: { suppressions: number; auditEntries: number }): Kept[] {
  const named: Kept[] = [
    {
      where: "suppressions",
      what: "addresses of the person to which nothing may be sent; --suppressions removes them",
      count: found.suppressions,
    },
    {
      where: "audit_log",
      what: "entries that name an address of the person: what people did in the Admin UI stays",
      count: found.auditEntries,
    },
  ];
  return [...named.filter(({ count }) => count !== 0), ...ELSEWHERE];
}

const ELSEWHERE: readonly Kept[] = [
  {
    where: "dedup_keys",
    what: "for 24 hours hashes of the requests, so that a retry does not bring the person back",
  },
  {
    where: "audit_log",
    what: "that this person was erased, and that somebody changed something of it: a hash of the tenant's and the user's id",
  },
  {
    where: "other people's events",
    what: "variables in which the tenant wrote of this person, and events of this person under another user id",
  },
  {
    where: "templates, Admin UI",
    what: "sample values of templates and of their drafts, and an account of the Admin UI, if the person has one",
  },
  {
    where: "providers",
    what: "mails and texts that were handed over, and what the providers keep of them",
  },
  { where: "browsers", what: "what pages of the person show until they are closed" },
  { where: "NATS", what: "ids of events and deliveries until they are acknowledged; no content" },
  { where: "logs", what: "ids and trace ids for as long as you keep logs; no address, no content" },
  {
    where: "Postgres",
    what: "the deleted rows in its files until vacuum, in its WAL and in replicas for as long as you keep those",
  },
  {
    where: "backups",
    what: "everything, in those made before: erase again after a restore",
  },
];
