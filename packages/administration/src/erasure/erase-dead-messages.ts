import { UUID } from "@belfry/contracts/identifiers";
import { decodeQueueMessage, encodeQueueMessage } from "@belfry/contracts/queue-message";
import type { Database } from "@belfry/database/connection";
import { deleteDeadMessage } from "../dead-letters/dead-message-rows.ts";
import { deadMessagesAfter, idsThere, replaceDeadMessage } from "./user-traces.ts";

const MESSAGES_PER_LOOK = 500;

/**
 * Takes what is gone out of the messages that were set aside: they hold ids, and trace ids that tenants
 * choose. A message that names nothing any more is deleted; returns how many.
 */
export async function eraseDeadMessages(db: Database): Promise<number> {
  let total = 0;
  let after: string | undefined;
  for (;;) {
    const messages = await deadMessagesAfter(db, after, MESSAGES_PER_LOOK);
    for (const { id, data } of messages) {
      const items = decodeQueueMessage(data)?.items;
      // What cannot be read has no ids of ours.
      if (items === undefined) continue;
      const there = await idsThere(
        db,
        items.map((item) => item.id.toLowerCase()).filter((item) => UUID.test(item)),
      );
      const left = items.filter((item) => there.has(item.id.toLowerCase()));
      if (left.length === items.length) continue;
      if (left.length > 0) await replaceDeadMessage(db, id, encodeQueueMessage(left));
      else if (await deleteDeadMessage(db, id)) total += 1;
    }
    after = messages.at(-1)?.id;
    if (messages.length < MESSAGES_PER_LOOK) return total;
  }
}
