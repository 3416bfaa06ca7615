import { type InboundText, MAX_INBOUND_CHARACTERS } from "@belfry/contracts/inbound";
import type { Receipt } from "@belfry/contracts/sending";
import {
  type InboundReader,
  ONE_EVENT_BYTES,
  type Proof,
  provenBy,
  type ReceiptReader,
  receiptText,
  type WebhookFault,
  type WebhookHead,
} from "./receipt.ts";

/** A vendor's report about a text message of ours. */
interface TextResult {
  /** The message's id at the vendor; null if the request has none. */
  id: string | null;
  status: unknown;
  /** Null for a message that is not ours. */
  deliveryId: string | null;
  reason: string | null;
  /** The vendor's error code. */
  code: string | null;
  occurredAt: Date | null;
  /** The reason to suppress the number, if the message was not delivered. */
  suppress: Receipt["suppress"] | undefined;
}

/** A person's reply. It is no message if it has neither text nor keyword, but only a picture or a location. */
interface Reply extends Pick<InboundText, "keyword"> {
  id: string | null;
  sender: string | null;
  recipient: string | null;
  text: unknown;
}

interface TextVendor<Event extends object>
  extends Pick<ReceiptReader, "kind" | "keyOf" | "signsAddress" | "askedByMessage" | "setUp"> {
  /** Verifies requests to both webhooks. */
  proof: Proof<Event>;
  /** The vendor's statuses, by their meaning. Others say nothing for us. */
  statuses: Readonly<Partial<Record<Receipt["kind"], readonly unknown[]>>>;
  /** Returns undefined for an event that is about something else. */
  result(event: Event, head: WebhookHead): TextResult | undefined;
  reply(event: Event): Reply | undefined;
  answer: InboundReader["answer"];
}

/** Answers to a reply that send nothing to the person. */
export const NO_ANSWER = {
  json: { type: "application/json; charset=utf-8", body: "{}" },
  // XML without a verb.
  xml: { type: "text/xml; charset=utf-8", body: "<Response/>" },
};

/** Returns both webhooks of a vendor of text messages: for reports about ours, and for people's replies. */
export function textWebhooks<Event extends object>(
  vendor: TextVendor<Event>,
): { receipts: ReceiptReader; inbound: InboundReader } {
  const { proof, kind, keyOf, signsAddress, askedByMessage, setUp, answer } = vendor;
  const reader = { kind, content: "text", maxBytes: ONE_EVENT_BYTES, keyOf, signsAddress } as const;
  return {
    receipts: {
      ...reader,
      askedByMessage,
      ...(setUp && { setUp }),
      read: provenBy(proof, (event, head) => {
        const result = vendor.result(event, head);
        return result === undefined ? { receipts: [] } : receiptsOf(result, vendor.statuses);
      }),
    },
    inbound: {
      ...reader,
      answer,
      read: provenBy(proof, (event) => {
        const reply = vendor.reply(event);
        return reply === undefined ? { message: undefined } : messageOf(reply);
      }),
    },
  };
}

function receiptsOf(
  { id, status, code: vendorStatus, suppress = null, ...result }: TextResult,
  statuses: TextVendor<never>["statuses"],
): { receipts: Receipt[] } | WebhookFault {
  if (id === null) return "unreadable";
  const { deliveryId } = result;
  const kinds = Object.keys(statuses) as Receipt["kind"][];
  const kind = kinds.find((one) => statuses[one]?.includes(status));
  if (kind === undefined || deliveryId === null) return { receipts: [] };
  // The vendors' events have no id. They report each status of a message once.
  const vendorEvent = `${id.slice(0, 200)}:${status}`;
  const isBounced = kind === "bounced";
  const receipt = { ...result, deliveryId, vendorEvent, kind, vendorStatus };
  return { receipts: [{ ...receipt, suppress: isBounced ? suppress : null }] };
}

function messageOf({ id: vendorId, sender, recipient, text: given, ...keyword }: Reply) {
  if (vendorId === null || sender === null) return "unreadable";
  const text = receiptText(given, MAX_INBOUND_CHARACTERS) ?? "";
  if (text === "" && keyword.keyword === undefined) return { message: undefined };
  return { message: { vendorId, sender, recipient: recipient ?? "", text, ...keyword } };
}
