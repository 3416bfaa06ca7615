import type pg from "pg";
import { uuidv7 } from "uuidv7";

export interface DeadMessage {
  stream: string;
  subject: string;
  data: Uint8Array;
  deliveries: number;
  reason: string;
}

/** Keeps a NATS message that will never be handled, for people to see; returns its id. */
export async function storeDeadMessage(pool: pg.Pool, message: DeadMessage): Promise<string> {
  const id = uuidv7();
  await pool.query(
    `insert into dead_messages (id, stream, subject, data, deliveries, reason)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      id,
      message.stream,
      message.subject,
      Buffer.from(message.data),
      message.deliveries,
      message.reason,
    ],
  );
  return id;
}
