import { decodeQueueMessage } from "@belfry/contracts/queue-message";
import type { Pool } from "@belfry/database/connection";
import { storeDeadMessage } from "@belfry/database/dead-messages";
import { failDispatch } from "@belfry/database/fail-dispatch";
import type { SetAside } from "@belfry/service/outcome";
import { DISPATCH_FAILED } from "./event-handler.ts";

/**
 * Keeps a message that will not be handled, for people to see. An event that came alone and too often
 * (it may have ended the process each time) ends as failed; of several, the sweeper publishes each that
 * is still open alone, so that the guilty one is found.
 */
export function createSetAside(pool: Pool, stream: string): SetAside {
  return async (message, reason) => {
    await storeDeadMessage(pool, {
      stream,
      subject: message.subject,
      data: message.data,
      deliveries: message.deliveryCount,
      reason,
    });
    const [only, ...others] = decodeQueueMessage(message.data)?.items ?? [];
    if (only !== undefined && others.length === 0) {
      await failDispatch(pool, only.id, DISPATCH_FAILED).catch((err) => {
        // Not an id at all: there is no such event.
        if ((err as { code?: string }).code !== "22P02") throw err;
      });
    }
  };
}
