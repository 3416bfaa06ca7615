import type { Pool } from "@belfry/database/connection";
import type { Receiver } from "./webhook-receiver.ts";

export interface WebhookVerdict {
  /** Reported moves and notifications. */
  moves: number;
  messages: number;
  /** Duplicate messages. */
  doubled: number;
  /** Violations of the contract as sentences; empty if there are none. */
  breaches: string[];
}

/**
 * A witness beside what is judged: every row that a delivery or a notification becomes, in the transaction that makes
 * it so. To be made before the first event.
 */
export async function watchMoves(pool: Pool): Promise<void> {
  await pool.query(`
    create table witnessed (subject uuid not null, type text not null, at timestamptz not null default clock_timestamp());
    create function witness_move() returns trigger language plpgsql as $$
    begin
      if new.channel <> 'WEBHOOK' and new.status not in ('queued', 'sending', 'waiting', 'discarded')
        and (tg_op = 'INSERT' or old.status <> new.status)
      then insert into witnessed values (new.id, 'delivery.' || new.status); end if;
      return null;
    end $$;
    create trigger witness after insert or update on deliveries for each row execute function witness_move();
    create function witness_notification() returns trigger language plpgsql as $$
    begin
      insert into witnessed values (new.id, 'notification.created');
      return null;
    end $$;
    create trigger witness after insert on notifications for each row execute function witness_notification();
    create function witness_outcome() returns trigger language plpgsql as $$
    begin
      insert into witnessed select new.id, 'delivery.skipped' from jsonb_object_keys(new.outcome -> 'skipped');
      return null;
    end $$;
    create trigger witness after update of outcome on events
      for each row when (old.dispatched_at is null and new.outcome ? 'skipped') execute function witness_outcome();`);
}

/** Compares the moves with the stored messages and with those that the endpoint received. Call it at rest. */
export async function judgeWebhooks(
  pool: Pool,
  tenantId: string,
  receiver: Receiver,
): Promise<WebhookVerdict> {
  const breaches: string[] = [];
  const say = (what: string, found: readonly unknown[]) => {
    if (found.length === 0) return;
    breaches.push(`${found.length} ${what}: ${found.slice(0, 5).map(String).join(", ")}`);
  };
  const { rows: uneven } = await pool.query<{ subject: string; type: string; n: number }>(
    `with told as (
       select coalesce(payload::json -> 'data' ->> 'deliveryId', payload::json -> 'data' ->> 'id')::uuid as subject, type
       from webhook_messages where tenant_id = $1 and resend_of is null
     )
     select subject, type, sum(n)::integer as n
     from (
       select subject, type, 1 as n from witnessed where subject in (
         select id from deliveries where tenant_id = $1 union all select id from events where tenant_id = $1)
       union all
       select subject, type, -1 from told
     ) all_of_them
     group by subject, type having sum(n) <> 0`,
    [tenantId],
  );
  say(
    "moves and messages that do not go one by one (missing, or too many where below 0)",
    uneven.map(({ subject, type, n }) => `${type} ${subject} ${n}`),
  );
  const { rows: unsent } = await pool.query<{ id: string; status: string }>(
    "select event_id as id, status from deliveries where channel = 'WEBHOOK' and status <> 'accepted'",
  );
  say(
    "messages that did not end as accepted",
    unsent.map(({ id, status }) => `${id} ${status}`),
  );
  const { rows: messages } = await pool.query<{ id: string; type: string; subject: string }>(
    `select id, type, coalesce(payload::json -> 'data' ->> 'deliveryId', payload::json -> 'data' ->> 'id') as subject
     from webhook_messages where tenant_id = $1`,
    [tenantId],
  );
  const known = new Map(messages.map((message) => [message.id, message]));
  say(
    "messages that never arrived",
    messages.filter(({ id }) => !receiver.arrived.has(id)).map(({ id }) => id),
  );
  say(
    "arrivals of no message, or of another one",
    [...receiver.arrived]
      .filter(([id, { told }]) => {
        const message = known.get(id);
        const subject = told.data.deliveryId ?? told.data.id;
        return message?.type !== told.type || message.subject !== subject;
      })
      .map(([id]) => id),
  );
  say("requests that do not verify", receiver.forged);
  const { rows } = await pool.query<{ moves: number }>(
    "select count(*)::integer as moves from witnessed",
  );
  const arrivals = [...receiver.arrived.values()];
  return {
    moves: rows[0]!.moves,
    messages: messages.length,
    doubled: arrivals.reduce((sum, { times }) => sum + times - 1, 0),
    breaches,
  };
}
