import { WEBHOOK_EXAMPLES } from "@belfry/contracts/webhook-payload";
import { answeredWith } from "@belfry/contracts/webhooks";
import { EXAMPLE_ID } from "@belfry/http-api/document-parts";

/** What the document shows of endpoints and their messages. */
export const WEBHOOK_ID = "0198c0de-0000-7000-8000-00000000e001";
export const MESSAGE_ID = "0198c0de-0000-7000-8000-00000000a001";
export const SECRET = `whsec_${Buffer.alloc(32, "belfry").toString("base64")}`;

export const WEBHOOK = {
  id: WEBHOOK_ID,
  url: "https://example.com/webhooks/belfry",
  types: ["delivery.bounced" as const, "delivery.failed" as const],
  description: "Order system",
  active: true,
  disabledAt: null,
  disabledReason: null,
  failingSince: null,
  pausedUntil: null,
  createdAt: "2026-11-20T09:30:00.000Z",
  updatedAt: "2026-11-20T09:30:00.000Z",
};

export const MESSAGE = {
  id: MESSAGE_ID,
  headerId: MESSAGE_ID,
  type: "delivery.bounced" as const,
  eventId: EXAMPLE_ID,
  status: "waiting" as const,
  reason: answeredWith(503),
  createdAt: "2026-11-20T09:30:01.000Z",
  nextAt: "2026-11-20T09:30:07.000Z",
};

export const ATTEMPT = {
  messageId: MESSAGE_ID,
  headerId: MESSAGE_ID,
  type: "delivery.bounced" as const,
  eventId: EXAMPLE_ID,
  number: 1,
  at: "2026-11-20T09:30:01.100Z",
  durationMs: 84,
  status: 503,
  outcome: "failed" as const,
  reason: answeredWith(503),
  answer: "<h1>Service Unavailable</h1>",
  nextAt: "2026-11-20T09:30:07.000Z",
  messageStatus: "waiting" as const,
};

export const PAYLOAD = JSON.stringify(WEBHOOK_EXAMPLES["delivery.bounced"]);
