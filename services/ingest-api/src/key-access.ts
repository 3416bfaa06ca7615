import { ATTACHMENTS_PATH } from "@belfry/contracts/attachments";
import {
  BROADCAST_PATH,
  BROADCASTS_PATH,
  CANCEL_BROADCAST_PATH,
  PAUSE_BROADCAST_PATH,
  RESUME_BROADCAST_PATH,
} from "@belfry/contracts/broadcasts";
import { CANCEL_PATH } from "@belfry/contracts/cancel";
import { DEVICE_PATH, DEVICES_PATH } from "@belfry/contracts/devices";
import { EVENT_PATH } from "@belfry/contracts/event-report";
import type { KeyNeed } from "@belfry/contracts/key-roles";
import {
  ARCHIVE_ALL_PATH,
  HISTORY_PATH,
  INBOX_TABS_PATH,
  MARK_ALL_READ_PATH,
  MARK_READ_PATH,
  NOTIFICATION_PATH,
  UNREAD_COUNT_PATH,
} from "@belfry/contracts/notification";
import { PREFERENCES_PATH } from "@belfry/contracts/preferences";
import { REALTIME_TOKEN_PATH } from "@belfry/contracts/realtime-token";
import { SCHEDULED_PATH } from "@belfry/contracts/scheduled";
import { TOPIC_MEMBERS_PATH, TOPIC_PATH, TOPICS_PATH } from "@belfry/contracts/topics";
import { TRIGGER_PATH } from "@belfry/contracts/trigger";
import { TRIGGER_BATCH_PATH } from "@belfry/contracts/trigger-batch";
import { ERASURE_PATH, USER_PATH, USERS_BATCH_PATH } from "@belfry/contracts/users";
import {
  WEBHOOK_ATTEMPTS_PATH,
  WEBHOOK_MESSAGE_PATH,
  WEBHOOK_MESSAGES_PATH,
  WEBHOOK_PATH,
  WEBHOOK_REPLAY_PATH,
  WEBHOOK_RESEND_PATH,
  WEBHOOK_SECRET_PATH,
  WEBHOOK_TEST_PATH,
  WEBHOOKS_PATH,
} from "@belfry/contracts/webhook-endpoints";

/** The access that a key needs, by route. A keyed route that is not listed cannot be registered. */
export const KEY_ACCESS = {
  [`POST ${TRIGGER_PATH}`]: "trigger",
  [`POST ${TRIGGER_BATCH_PATH}`]: "trigger",
  [`POST ${ATTACHMENTS_PATH}`]: "trigger",
  [`POST ${CANCEL_PATH}`]: "trigger",
  [`PATCH ${EVENT_PATH}`]: "trigger",
  [`GET ${EVENT_PATH}`]: "read",
  [`GET ${SCHEDULED_PATH}`]: "read",

  [`POST ${BROADCASTS_PATH}`]: "trigger",
  [`GET ${BROADCASTS_PATH}`]: "read",
  [`GET ${BROADCAST_PATH}`]: "read",
  [`POST ${PAUSE_BROADCAST_PATH}`]: "trigger",
  [`POST ${RESUME_BROADCAST_PATH}`]: "trigger",
  [`POST ${CANCEL_BROADCAST_PATH}`]: "trigger",

  // "backend", because a realtime token can act for its user.
  [`POST ${REALTIME_TOKEN_PATH}`]: "backend",
  [`GET ${HISTORY_PATH}`]: "read",
  [`GET ${UNREAD_COUNT_PATH}`]: "read",
  [`GET ${INBOX_TABS_PATH}`]: "read",
  [`PUT ${MARK_READ_PATH}`]: "backend",
  [`PUT ${MARK_ALL_READ_PATH}`]: "backend",
  [`PUT ${ARCHIVE_ALL_PATH}`]: "backend",
  [`PATCH ${NOTIFICATION_PATH}`]: "backend",
  [`DELETE ${NOTIFICATION_PATH}`]: "backend",

  [`GET ${USER_PATH}`]: "read",
  [`PUT ${USER_PATH}`]: "users",
  [`DELETE ${USER_PATH}`]: "users",
  [`POST ${USERS_BATCH_PATH}`]: "users",
  [`GET ${ERASURE_PATH}`]: "read",
  [`GET ${PREFERENCES_PATH}`]: "read",
  [`PATCH ${PREFERENCES_PATH}`]: "users",

  [`GET ${DEVICES_PATH}`]: "read",
  [`PUT ${DEVICE_PATH}`]: "backend",
  [`DELETE ${DEVICE_PATH}`]: "backend",

  [`GET ${TOPICS_PATH}`]: "read",
  [`GET ${TOPIC_MEMBERS_PATH}`]: "read",
  [`PATCH ${TOPIC_MEMBERS_PATH}`]: "users",
  [`DELETE ${TOPIC_PATH}`]: "users",

  [`GET ${WEBHOOKS_PATH}`]: "read",
  [`POST ${WEBHOOKS_PATH}`]: "endpoints",
  [`GET ${WEBHOOK_PATH}`]: "read",
  [`PATCH ${WEBHOOK_PATH}`]: "endpoints",
  [`DELETE ${WEBHOOK_PATH}`]: "endpoints",
  [`POST ${WEBHOOK_SECRET_PATH}`]: "endpoints",
  [`GET ${WEBHOOK_ATTEMPTS_PATH}`]: "read",
  [`POST ${WEBHOOK_TEST_PATH}`]: "endpoints",
  [`POST ${WEBHOOK_REPLAY_PATH}`]: "endpoints",
  [`GET ${WEBHOOK_MESSAGES_PATH}`]: "read",
  [`GET ${WEBHOOK_MESSAGE_PATH}`]: "read",
  [`POST ${WEBHOOK_RESEND_PATH}`]: "endpoints",
} as const satisfies Record<string, KeyNeed>;
