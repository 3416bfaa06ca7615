import { MAX_WEBHOOK_BYTES, type Receipt, WEBHOOK_PATH } from "@belfry/contracts/receipt";
import type { ReceiptsOrigin, StoredReceipts } from "@belfry/database/functions/store-receipts";
import type { ReceiptReader } from "@belfry/providers/receipt";
import { receiptReader } from "@belfry/providers/receipt-readers";
import type { FastifyInstance } from "fastify";
import { type SignedWebhookDeps, signedWebhook } from "./signed-webhook.ts";
import { UnverifiedBodies } from "./unverified-bodies.ts";

export interface WebhookDeps extends SignedWebhookDeps {
  storeReceipts(origin: ReceiptsOrigin, receipts: readonly Receipt[]): Promise<StoredReceipts>;
  /** Default: with the bounds that a service of its own has. */
  bodies?: UnverifiedBodies;
}

/**
 * `POST /webhooks/{provider}/{tenant}`: receipts. 200 once they are stored; repeated ones and those of unknown
 * deliveries too, since the vendor must not send them for ever.
 */
export function webhookRoute(app: FastifyInstance, deps: WebhookDeps): void {
  signedWebhook<{ receipts: Receipt[] }, ReceiptReader>(app, deps, {
    path: WEBHOOK_PATH,
    use: "receipts",
    maxBytes: MAX_WEBHOOK_BYTES,
    bodies: deps.bodies ?? new UnverifiedBodies(),
    reader: receiptReader,
    async receive({ receipts }, origin, reply) {
      const { fresh, moved } = await deps.storeReceipts(origin, receipts);
      reply.send({});
      return { receipts: receipts.length, fresh, moved };
    },
  });
}
