import type { ReceiptReader } from "./receipt.ts";
import { sendgridReceipts } from "./sendgrid-receipt.ts";
import { twilioReceipts } from "./twilio-receipt.ts";
import { vonageReceipts } from "./vonage-receipt.ts";

/** The kinds of providers that tell what became of a message: the one place that names them. */
export const RECEIPT_READERS: readonly ReceiptReader[] = [
  sendgridReceipts,
  vonageReceipts,
  twilioReceipts,
];

export function receiptReader(kind: string): ReceiptReader | undefined {
  return RECEIPT_READERS.find((reader) => reader.kind === kind);
}
