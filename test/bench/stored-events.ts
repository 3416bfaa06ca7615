import type pg from "pg";

/** The stored events are evenly spread over so many days before now. */
export const STORED_DAYS = 30;

interface StoredEvents {
  tenantIds: readonly string[];
  /** All of them, from 1 on. */
  events: number;
  /** The number of users that they are for. */
  users: number;
}

/** SQL expressions of event `n`: its id, its tenant and its time; `idOf` returns the id of its delivery 1 to 3. */
export function storedEvent({ tenantIds, events }: StoredEvents) {
  const daysMs = `${STORED_DAYS} * 86400000::bigint`;
  const at = `extract(epoch from now()) * 1000 - ${daysMs} + (n::bigint * ${daysMs} / ${events})`;
  const idOf = (digit: number) =>
    `(lpad(to_hex((${at})::bigint), 12, '0') || '7000${(digit + 8).toString(16)}' || lpad(to_hex(n), 15, '0'))::uuid`;
  const tenantList = tenantIds.map((id) => `'${id}'`).join(",");
  return {
    idOf,
    eventId: idOf(0),
    tenantId: `(array[${tenantList}])[1 + n % ${tenantIds.length}]`,
    time: `to_timestamp((${at}) / 1000)`,
  };
}

/**
 * Inserts the events from `from` to `to`, each on three channels with an attempt for each vendor and a notification.
 * The session must have no triggers (`session_replication_role`), so that nobody is told of what was never sent.
 */
export async function storeEvents(
  client: pg.ClientBase,
  stored: StoredEvents,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const { idOf, eventId, tenantId, time } = storedEvent(stored);
  const user = `n % ${stored.users}`;
  const insert = (rows: string) => client.query(`${rows} from generate_series(${from}, ${to}) n`);
  await insert(
    `insert into events (id, tenant_id, event_type, user_id, reference, recipient_email, recipient_phone, channels,
                         trace_id, variables, accepted_at, dispatched_at)
     select ${eventId}, ${tenantId}, 'order.confirmed', 'stored-' || ${user}, 'order-' || n,
            'u' || ${user} || '@example.com', '+49171' || lpad((${user})::text, 8, '0'), 7,
            md5('trace' || n), '{"name":"Ann","order":"A-1001","total":"49.90 EUR","delivery":"on Thursday"}',
            ${time}, ${time}`,
  );
  for (const [at, channel] of ["EMAIL", "SMS", "PUSH"].entries()) {
    const status = channel === "PUSH" ? "delivered" : "accepted";
    await insert(
      `insert into deliveries (id, event_id, tenant_id, channel, status, message_id, attempts, created_at, settled_at)
       select ${idOf(at + 1)}, ${eventId}, ${tenantId}, '${channel}', '${status}', 'message-' || n,
              ${channel === "PUSH" ? 0 : 1}, ${time}, ${time}`,
    );
    if (channel === "PUSH") continue;
    await insert(
      `insert into attempts (delivery_id, number, provider_kind, started_at, ended_at, class, reason, vendor_status)
       select ${idOf(at + 1)}, 1, 'vendor', ${time}, ${time}, 'accepted', 'The vendor accepted the message', '202'`,
    );
  }
  await insert(
    `insert into notifications (id, tenant_id, user_id, event_type, title, body, channel_name, channel_offset, created_at)
     select ${eventId}, ${tenantId}, 'stored-' || ${user}, 'order.confirmed', 'Order A-1001 confirmed',
            'Thank you, Ann. It arrives on Thursday, total 49.90 EUR.', 'personal', n, ${time}`,
  );
}
