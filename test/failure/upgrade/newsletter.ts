import { eventually } from "@belfry/testing/eventually";
import { type AnyWorld, EVENT_TYPE, type LoadTenant } from "../world.ts";

const USERS_OF_BATCH = 1_000;
const READER = /reader-\d+(?=@example\.com)/;

/** Starts a broadcast by email to so many readers, and counts the mails that reach the vendor. */
export async function startNewsletter(world: AnyWorld, tenant: LoadTenant, readers: number) {
  const { pool, services, vendors, settings } = world;
  const mails = new Map<string, number>();
  vendors.watch = (_, body) => {
    const reader = READER.exec(body)?.[0];
    if (reader !== undefined) mails.set(reader, (mails.get(reader) ?? 0) + 1);
  };
  const call = async (path: string, body: object) => {
    const response = await fetch(`${services.apiUrls[0]}/api/v1/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": tenant.apiKey },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer as { data: { id: string } };
  };
  const userIds = Array.from({ length: readers }, (_, at) => `reader-${at}`);
  for (let at = 0; at < readers; at += USERS_OF_BATCH) {
    const users = userIds.slice(at, at + USERS_OF_BATCH);
    const named = users.map((userId) => ({ userId, email: `${userId}@example.com` }));
    await call("users/batch", { users: named });
  }
  const variables = { key: "key-newsletter-0" };
  const content = { userIds, eventType: EVENT_TYPE, channels: ["EMAIL"], variables };
  const { data } = await call("broadcasts", content);

  return {
    /** How many readers have their mail. */
    reached: () => mails.size,
    /** Waits for the end of the broadcast; returns what breaks the contract. */
    async judge(): Promise<string[]> {
      const isDone = async () => {
        const { rows } = await pool.query<{ state: string }>(
          "select state from broadcasts where id = $1",
          [data.id],
        );
        return rows[0]?.state === "done";
      };
      await eventually(isDone, { timeoutMs: settings.drainMs, everyMs: 500 });
      const { rows } = await pool.query<{ reader: string; tries: number }>(
        `select e.user_id as reader, count(a.number)::integer as tries
         from events e join deliveries d on d.event_id = e.id
         left join attempts a on a.delivery_id = d.id and a.class in ('accepted', 'ambiguous')
         where e.broadcast_id = $1 group by e.user_id`,
        [data.id],
      );
      const tries = new Map(rows.map((row) => [row.reader, row.tries]));
      return userIds.flatMap((reader) => {
        const copies = mails.get(reader) ?? 0;
        if (copies > 0 && copies <= (tries.get(reader) ?? 0)) return [];
        return [`${reader}: ${copies} mails of the broadcast, ${tries.get(reader) ?? 0} tries`];
      });
    },
  };
}
