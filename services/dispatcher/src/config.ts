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
      "Keys that encrypt stored secrets, as for the other services; they decrypt the key of search, so only SEARCH_TERMS needs them",
    default: "",
    secret: true,
    parse: (text: string) => (text === "" ? undefined : parseSecretKeys(text)),
  }),
  SEARCH_TERMS: Type.Boolean({
    description:
      "Whether a background job indexes events for the search of the Admin UI by address, user, trace and message; costs Postgres about 0.1 ms per event",
    default: false,
  }),
  DISPATCH_BATCH: Type.Integer({
    description: "Number of messages taken from a lane at a time",
    minimum: 1,
    maximum: 500,
    default: 100,
  }),
  DISPATCH_CONCURRENCY: Type.Integer({
    description: "Number of batches of a lane that are processed at a time",
    minimum: 1,
    maximum: 8,
    default: 2,
  }),
  IN_FLIGHT_PER_TENANT: Type.Integer({
    description:
      "Maximum number of one tenant's deliveries on one channel that are released to senders at a time",
    minimum: 1,
    maximum: 10_000,
    default: 100,
  }),
  RELEASE_EVERY_MS: Type.Integer({
    description: "Milliseconds between checks for due deliveries",
    minimum: 10,
    maximum: 60 * SECOND_MS,
    default: 500,
  }),
  WAKE_EVERY_MS: Type.Integer({
    description: "Milliseconds between checks for due scheduled events",
    minimum: 10,
    maximum: 60 * SECOND_MS,
    default: 500,
  }),
  EVENT_ACK_WAIT_MS: Type.Integer({
    description: "Milliseconds after which NATS redelivers an event whose dispatcher has died",
    minimum: SECOND_MS,
    maximum: HOUR_MS,
    default: EVENT_ACK_WAIT_MS,
  }),
  RELEASE_AGAIN_AFTER_MS: Type.Integer({
    description:
      "Milliseconds after which a released delivery without progress is released again; must be longer than the senders' ack wait. If the stream shows that it was lost, 15 s",
    minimum: SECOND_MS,
    maximum: HOUR_MS,
    default: 4 * DELIVERY_ACK_WAIT_MS,
  }),
  REPUBLISH_AFTER_MS: Type.Integer({
    description:
      "Milliseconds after which an event that was neither dispatched nor refused is published again",
    minimum: SECOND_MS,
    maximum: HOUR_MS,
    default: 150 * SECOND_MS,
  }),
  REPUBLISH_EVERY_MS: Type.Integer({
    description: "Milliseconds between checks for such events",
    minimum: 100,
    maximum: HOUR_MS,
    default: 5 * SECOND_MS,
  }),
  EXPRESS_PER_MINUTE: Type.Integer({
    description:
      "As for ingest-api: events that are published again go to the bulk lane if their tenant had more events than this in a minute",
    minimum: 1,
    default: EXPRESS_PER_MINUTE,
  }),
  BROADCAST_DAY_PERCENT: Type.Integer({
    description:
      "The part of a tenant's daily cap that broadcasts may use; beyond it they pause until the next day, so that other events are still sent",
    minimum: 1,
    maximum: 100,
    default: 90,
  }),
  EXPIRE_EVERY_MS: Type.Integer({
    description: "Milliseconds between rounds that delete expired rows",
    minimum: SECOND_MS,
    maximum: 24 * HOUR_MS,
    default: 60 * SECOND_MS,
  }),
  EVENT_RETENTION_DAYS: Type.Integer({
    description:
      "Days for which events, deliveries, attempts, receipts and the outbox are kept, for tenants without a setting of their own",
    minimum: 2,
    maximum: 3650,
    default: DEFAULT_EVENT_RETENTION_DAYS,
  }),
  NOTIFICATION_RETENTION_DAYS: Type.Integer({
    description:
      "Days for which in-app history is kept, for tenants without a setting of their own",
    minimum: 1,
    maximum: 3650,
    default: DEFAULT_NOTIFICATION_RETENTION_DAYS,
  }),
});
export type DispatcherConfig = Static<typeof DispatcherConfig>;
