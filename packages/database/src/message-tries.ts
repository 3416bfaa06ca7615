import type pg from "pg";

interface Message {
  streamSequence: number;
}

/**
 * Tries of NATS messages that may have ended a process: each is noted before it begins and struck out
 * when it ends, whatever came of it. So what is left are tries that nobody lived to end.
 */
export function messageTries(pool: pg.Pool, stream: string) {
  return {
    /** Resolves to how many tries of the message began before this one and never ended. */
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
