import type { DeliveryStatus } from "@belfry/contracts/delivery";
import type { MessageStatus } from "@belfry/contracts/webhook-endpoints";

/** How a message to an endpoint stands, in words, by the state of its delivery. */
export const MESSAGE_STATES: Readonly<Record<MessageStatus, { tone: string; text: string }>> = {
  queued: { tone: "busy", text: "on its way" },
  sending: { tone: "busy", text: "being sent" },
  waiting: { tone: "busy", text: "to be tried again" },
  accepted: { tone: "good", text: "arrived" },
  failed: { tone: "bad", text: "given up" },
  skipped: { tone: "quiet", text: "not sent" },
};

export function messageState(status: DeliveryStatus): { tone: string; text: string } {
  return isMessageStatus(status) ? MESSAGE_STATES[status] : { tone: "quiet", text: status };
}

export function isMessageStatus(status: string): status is MessageStatus {
  return Object.hasOwn(MESSAGE_STATES, status);
}
