import type { InboundText } from "@belfry/contracts/inbound";
import type { WebhookReader } from "./receipt.ts";
import { twilioInbound } from "./twilio-inbound.ts";
import { vonageInbound } from "./vonage-inbound.ts";

/** How a kind of provider hands over what people answer; `message` is undefined for one that holds no text. */
export interface InboundReader extends WebhookReader<{ message: InboundText | undefined }> {
  /** What is answered where all is well: a vendor may take it for a text to send. */
  answer: { type: string; body: string };
}

/** The kinds of providers that bring answers: the one place that names them. */
export const INBOUND_READERS: readonly InboundReader[] = [vonageInbound, twilioInbound];

export function inboundReader(kind: string): InboundReader | undefined {
  return INBOUND_READERS.find((reader) => reader.kind === kind);
}
