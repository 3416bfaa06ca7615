import { triggerMessage } from "./trigger.ts";

/** What the documentation shows; a test holds each to its schema. */

const ID = "0198c0de-0000-7000-8000-000000000001";

export const TRIGGER_EXAMPLES = {
  order: {
    eventType: "order.confirmed",
    eventId: "order-1001",
    payload: {
      userId: "user-1",
      recipientEmail: "ann@example.com",
      recipientPhone: "+12025550123",
    },
    variables: { name: "Ann", orderId: "A-1001" },
  },
  builtIn: {
    eventType: "global.info",
    channels: ["PUSH"],
    payload: { userId: "user-1" },
    variables: { title: "Maintenance tonight", message: "We are back at 02:00 UTC." },
  },
};

export const TRIGGER_ANSWER = { success: true, message: triggerMessage("order.confirmed", "Acme") };

export const TOKEN_REQUEST = { userId: "user-1" };
export const TOKEN_ANSWER = {
  token: "eyJhbGciOiJIUzI1NiIsImtpZCI6ImsxIn0.eyJzdWIiOiJ1c2VyLTEifQ.c2lnbmF0dXJl",
  channels: ["global_system#user-1", "personal#user-1", "orders#user-1"],
};

export const HISTORY_ANSWER = {
  success: true,
  data: [
    {
      id: ID,
      type: "order.confirmed",
      title: "Order A-1001",
      body: "Thank you, Ann",
      status: "UNREAD",
      created_at: "2026-11-20T09:30:00.000Z",
    },
  ],
};

export const MARK_READ_ANSWER = { success: true };

export const EVENT_ANSWER = {
  id: ID,
  eventId: "order-1001",
  tenantId: "acme",
  eventType: "order.confirmed",
  status: "dispatched",
  userId: "user-1",
  recipientEmail: "ann@example.com",
  recipientPhone: null,
  requestedChannels: null,
  traceId: "checkout-7f3a",
  acceptedAt: "2026-11-20T09:30:00.000Z",
  dispatchedAt: "2026-11-20T09:30:00.020Z",
  refusedAt: null,
  channels: {
    SMS: { status: "skipped", reason: "no recipientPhone", missing: [] },
    EMAIL: {
      status: "accepted",
      reason: null,
      missing: ["couponCode"],
      delivery: {
        id: "0198c0de-0000-7000-8000-000000000002",
        provider: "sendgrid",
        messageId: "vendor-message-1",
        dueAt: null,
        settledAt: "2026-11-20T09:30:00.400Z",
        attempts: [
          {
            number: 1,
            provider: "sendgrid",
            startedAt: "2026-11-20T09:30:00.100Z",
            endedAt: "2026-11-20T09:30:00.400Z",
            class: "accepted",
            reason: null,
            vendorStatus: "202",
            messageId: "vendor-message-1",
            nextAt: null,
          },
        ],
      },
    },
    PUSH: {
      status: "published",
      reason: null,
      missing: [],
      notification: {
        id: ID,
        realtimeChannel: "orders#user-1",
        read: false,
        readAt: null,
      },
    },
  },
  timeline: [
    { at: "2026-11-20T09:30:00.000Z", channel: null, what: "accepted" },
    { at: "2026-11-20T09:30:00.020Z", channel: null, what: "dispatched" },
    { at: "2026-11-20T09:30:00.020Z", channel: "SMS", what: "skipped: no recipientPhone" },
    {
      at: "2026-11-20T09:30:00.400Z",
      channel: "EMAIL",
      what: "attempt 1 by sendgrid: accepted (202)",
    },
  ],
};
