import type { InboundText } from "@belfry/contracts/inbound";
import type { ProviderContent } from "./provider.ts";
import type { ReceiptRequest } from "./receipt.ts";
import { twilioInbound } from "./twilio-inbound.ts";
import { vonageInbound } from "./vonage-inbound.ts";

export interface InboundRequest extends ReceiptRequest {
  /** The address as the vendor was told it, to which it posted. */
  url: string;
}

/** As of receipts; `message` is undefined for one that holds no text. */
export type InboundRead =
  | { ok: true; message: InboundText | undefined }
  | { ok: false; fault: "forged" | "unsigned" | "unreadable" };

/** How a kind of provider hands over what people answer. */
export interface InboundReader {
  kind: string;
  content: ProviderContent;
  /** The key that it signs with, of a provider's settings; undefined: none is set. */
  keyOf(settings: Readonly<Record<string, unknown>>): string | undefined;
  /** It signs the address too, which therefore has to be known: `PUBLIC_URL`. */
  signsAddress: boolean;
  /** What is answered where all is well: a vendor may take it for a text to send. */
  answer: { type: string; body: string };
  /** Verifies, then reads. Never throws for what the request holds. */
  read(request: InboundRequest, keys: readonly string[], now: Date): Promise<InboundRead>;
}

/** The kinds of providers that bring answers: the one place that names them. */
export const INBOUND_READERS: readonly InboundReader[] = [vonageInbound, twilioInbound];

export function inboundReader(kind: string): InboundReader | undefined {
  return INBOUND_READERS.find((reader) => reader.kind === kind);
}
