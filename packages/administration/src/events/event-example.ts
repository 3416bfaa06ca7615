import type { EventReport } from "@belfry/contracts/event-report";

export const EXAMPLE_ID = "0198c0de-0000-7000-8000-000000000001";

/** Example output of `event show` for the documentation. */
export const EVENT_EXAMPLE: EventReport = {
  id: EXAMPLE_ID,
  eventId: "order-1001",
  tenantId: "acme",
  eventType: "order.confirmed",
  status: "dispatched",
  userId: "user-1",
  recipientEmail: "ann@example.com",
  recipientPhone: null,
  recipientChat: null,
  requestedChannels: null,
  locale: "de-AT",
  traceId: "checkout-7f3a",
  acceptedAt: "2026-11-20T09:30:00.000Z",
  dispatchedAt: "2026-11-20T09:30:00.020Z",
  refusedAt: null,
  sendAt: null,
  cancelKey: null,
  broadcastId: null,
  cancelledAt: null,
  cancelPending: false,
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
        id: EXAMPLE_ID,
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
