import {
  DEFAULT_EVENT_RETENTION_DAYS,
  DEFAULT_NOTIFICATION_RETENTION_DAYS,
} from "@belfry/contracts/retention";
import {
  DELIVERY_ACK_WAIT_MS,
  EVENT_ACK_WAIT_MS,
  EXPRESS_PER_MINUTE,
} from "@belfry/contracts/streams";
import { parseSecretKeys } from "@belfry/database/secrets";
import { commonConfig } from "@belfry/service/config";
import { type Static, Type } from "@sinclair/typebox";

const SECOND_MS = 1000;
const HOUR_MS = 60 * 60 * SECOND_MS;

/** The environment variables of the dispatcher. */
export const DispatcherConfig = Type.Object({
  ...commonConfig,
  SECRETS_KEYS: Type.String({
    description:
      "Keys for secrets at rest, as of the other services: they hold the key of search; needed with SEARCH_TERMS alone",
    default: "",
    secret: true,
    parse: (text: string) => (text === "" ? undefined : parseSecretKeys(text)),
  }),
  SEARCH_TERMS: Type.Boolean({
    description:
      "Write, behind the dispatching, what the Admin UI finds events by: addresses, users, traces, messages; costs Postgres a tenth of a millisecond an event",
    default: false,
  }),
  DISPATCH_BATCH: Type.Integer({
    description: "Messages taken from a lane at a time",
    minimum: 1,
    maximum: 500,
    default: 100,
  }),
  DISPATCH_CONCURRENCY: Type.Integer({
    description: "Batches of a lane handled at a time",
    minimum: 1,
    maximum: 8,
    default: 2,
  }),
  IN_FLIGHT_PER_TENANT: Type.Integer({
    description: "Deliveries of a tenant on one channel that may be on their way to a sender",
    minimum: 1,
    maximum: 10_000,
    default: 100,
  }),
  RELEASE_EVERY_MS: Type.Integer({
    description: "Rest between two looks for due deliveries, in milliseconds",
    minimum: 10,
    maximum: 60 * SECOND_MS,
    default: 500,
  }),
  WAKE_EVERY_MS: Type.Integer({
    description: "Rest between two looks for scheduled events that are due, in milliseconds",
    minimum: 10,
    maximum: 60 * SECOND_MS,
    default: 500,
  }),
  EVENT_ACK_WAIT_MS: Type.Integer({
    description: "An event in the hands of a dispatcher that died comes again after this, in ms",
    minimum: SECOND_MS,
    maximum: HOUR_MS,
    default: EVENT_ACK_WAIT_MS,
  }),
  RELEASE_AGAIN_AFTER_MS: Type.Integer({
    description:
      "A delivery that was released and has not moved is released again after this at the latest, in ms: longer than the senders' ack wait. Where the stream shows that it was lost, after 15 s",
    minimum: SECOND_MS,
    maximum: HOUR_MS,
    default: 4 * DELIVERY_ACK_WAIT_MS,
  }),
  REPUBLISH_AFTER_MS: Type.Integer({
    description: "An event neither dispatched nor refused is published again after this, in ms",
    minimum: SECOND_MS,
    maximum: HOUR_MS,
    default: 150 * SECOND_MS,
  }),
  REPUBLISH_EVERY_MS: Type.Integer({
    description: "Rest between two looks for such events, in milliseconds",
    minimum: 100,
    maximum: HOUR_MS,
    default: 5 * SECOND_MS,
  }),
  EXPRESS_PER_MINUTE: Type.Integer({
    description:
      "As of ingest-api: events that are published again go to the bulk lane where their tenant had more in a minute",
    minimum: 1,
    default: EXPRESS_PER_MINUTE,
  }),
  BROADCAST_DAY_PERCENT: Type.Integer({
    description:
      "How much of a tenant's daily cap broadcasts may use: beyond it they pause until the next day, so that single events still pass",
    minimum: 1,
    maximum: 100,
    default: 90,
  }),
  EXPIRE_EVERY_MS: Type.Integer({
    description: "Rest between two rounds of deleting what has had its time, in milliseconds",
    minimum: SECOND_MS,
    maximum: 24 * HOUR_MS,
    default: 60 * SECOND_MS,
  }),
  EVENT_RETENTION_DAYS: Type.Integer({
    description:
      "Events, deliveries, attempts, receipts and the outbox of tenants without days of their own, in days",
    minimum: 2,
    maximum: 3650,
    default: DEFAULT_EVENT_RETENTION_DAYS,
  }),
  NOTIFICATION_RETENTION_DAYS: Type.Integer({
    description: "In-app history of tenants without days of their own, in days",
    minimum: 1,
    maximum: 3650,
    default: DEFAULT_NOTIFICATION_RETENTION_DAYS,
  }),
});
export type DispatcherConfig = Static<typeof DispatcherConfig>;
