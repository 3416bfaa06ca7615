import type { GetText, WebhookHead, WebhookRead, WebhookReader } from "../src/receipt.ts";

export interface WebhookRequest extends WebhookHead {
  body: Buffer;
}

/** Reads a request as ingest-api does: the body only once the headers are good. */
export async function readWebhook<Held>(
  reader: Pick<WebhookReader<Held>, "read">,
  { body, ...head }: WebhookRequest,
  keys: readonly string[],
  now: Date,
  get?: GetText,
): Promise<WebhookRead<Held>> {
  const read = await reader.read(head, keys, now, get);
  return typeof read === "string" ? { ok: false, fault: read } : await read(body);
}
