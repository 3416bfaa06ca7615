import type pg from "pg";
import { uuidv7 } from "uuidv7";

interface Message {
  streamSequence: number;
}

/**
 * Records tries of NATS messages, which may end the process: each is stored before it begins and deleted when it ends,
 * whatever its result. So the stored tries are running, or their process died.
 */
export function messageTries(pool: pg.Pool, stream: string) {
  return {
    /** Returns how many earlier tries of the message have never ended. */
    async begin({ streamSequence }: Message): Promise<number> {
      const { rows } = await pool.query<{ unfinished: number }>(
        `insert into message_tries as t (stream, sequence, begun, begun_at)
         values ($1, $2, 1, clock_timestamp())
         on conflict (stream, sequence) do update set begun = t.begun + 1, begun_at = excluded.begun_at
         returning begun - 1 as unfinished`,
        [stream, streamSequence],
      );
      return rows[0]?.unfinished ?? 0;
    },

    async end({ streamSequence }: Message): Promise<void> {
      await pool.query("delete from message_tries where stream = $1 and sequence = $2", [
        stream,
        streamSequence,
      ]);
    },
  };
}

interface DeadMessage {
  stream: string;
  subject: string;
  data: Uint8Array;
  deliveries: number;
  reason: string;
}

/** Stores a NATS message that will never be handled, for people to see; returns its id. */
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
