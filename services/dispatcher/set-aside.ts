import { UUID } from "@belfry/contracts/identifiers";
import { decodeQueueMessage } from "@belfry/contracts/queue-message";
import type { Pool } from "@belfry/database/connection";
import { storeDeadMessage } from "@belfry/database/dead-messages";
import { stillUndispatched } from "@belfry/database/functions/dispatch-events";
import type { SetAside } from "@belfry/service/message-batch";
import type { Publisher } from "@belfry/service/publish";
import { failDispatch } from "./fail-dispatch.ts";

/**
 * Keeps a message that will not be handled, for people to see. An event that came alone (it ended the
 * process each time) ends as failed; of several each that is still open is published again alone, so
 * that the guilty one is found.
 */
export function createSetAside(pool: Pool, stream: string, publisher: Publisher): SetAside {
  return async (message, reason) => {
    const items = decodeQueueMessage(message.data)?.items ?? [];
    const [only, ...others] = items;
    if (only !== undefined && others.length === 0) {
      await failDispatch(pool, only.id).catch((err) => {
        // Not an id at all: there is no such event.
        if ((err as { code?: string }).code !== "22P02") throw err;
      });
    } else {
      const ids = items.map(({ id }) => id.toLowerCase()).filter((id) => UUID.test(id));
      const open = new Set(await stillUndispatched(pool, ids));
      for (const item of items) {
        if (!open.has(item.id.toLowerCase())) continue;
        await publisher.publishIds(message.subject, [item], { expectStream: stream });
      }
    }
    await storeDeadMessage(pool, {
      stream,
      subject: message.subject,
      data: message.data,
      deliveries: message.deliveryCount,
      reason,
    });
  };
}
