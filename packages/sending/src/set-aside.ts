import type { SetAside } from "@belfry/service/message-batch";
import type pg from "pg";
import { uuidv7 } from "uuidv7";

/** Keeps messages that will never be handled in `dead_messages`. */
export function setAsideIn(pool: pg.Pool, stream: string): SetAside {
  return async (message, reason) => {
    await pool.query(
      `insert into dead_messages (id, stream, subject, data, deliveries, reason)
       values ($1, $2, $3, $4, $5, $6)`,
      [uuidv7(), stream, message.subject, Buffer.from(message.data), message.deliveryCount, reason],
    );
  };
}
