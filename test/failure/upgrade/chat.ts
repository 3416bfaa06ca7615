import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { createBroadcast } from "@belfry/administration/broadcasts/create-broadcast";
import { programIn, putActiveProvider } from "@belfry/administration/test/acts";
import { putTemplate, setTemplateActive } from "@belfry/administration/test/templates";
import { putUser } from "@belfry/administration/users/users";
import { createDatabase } from "@belfry/database/connection";
import { eventually } from "@belfry/testing/eventually";
import { CHAT_NAMES } from "../load.ts";
import { type AnyWorld, EVENT_TYPE, type LoadTenant } from "../world.ts";
import type { VersionBefore } from "./version-before.ts";

const CHANNEL = "CHAT";
const KIND = "chat-http";
/** Users who get a broadcast. */
const READERS = ["chat-reader-1", "chat-reader-2", "chat-reader-3"];

/** An event of the load, and its message if it has one. */
interface Row {
  key: string;
  /** All replicas were of this version, and knew the template, from its acceptance to its dispatch. */
  mustHave: boolean;
  status: string | null;
  /** The attempts that may have reached the vendor. */
  tries: number;
}

/**
 * Gives the tenants of the load a channel that the version before may not know. Events of the first tenant name an
 * address; readers of a broadcast of the second have one in the directory.
 */
export async function putChat(world: AnyWorld, before: VersionBefore) {
  const { keys, pool, settings, tenants, vendors } = world;
  const db = createDatabase(pool);
  const [naming, listing] = tenants as [LoadTenant, LoadTenant];
  const names = [...Array(CHAT_NAMES).keys(), ...READERS];
  const addresses = names.map((name) => `${name}=${vendors.url}/chat`).join("\n");
  const accounts = { addresses, body: '{"text": {{ text }}}' };
  for (const { id: tenantId } of tenants) {
    const account = { tenantId, channel: CHANNEL, kind: KIND, settings: accounts } as const;
    await putActiveProvider(db, account, { keys, allowPrivateAddresses: true });
  }
  naming.chatKind = KIND;
  const run = programIn(db, listing.id);
  for (const userId of READERS) {
    await run(putUser, { userId, chat: `${KIND}:${userId}` });
  }
  const templateOf = (tenantId: string, eventType = EVENT_TYPE) =>
    ({ tenantId, eventType, channel: CHANNEL }) as const;
  const putTemplates = async () => {
    for (const { id } of tenants) await putTemplate(db, { ...templateOf(id), content: "{{key}}" });
  };
  const alone = templateOf(naming.id, "chat.alone");
  await putTemplate(db, { ...alone, content: "Hello." });
  // Versions before d9602225 dispatch no event whose type has a template of an unknown channel. With them the templates
  // come late, at an unknown moment for each dispatcher, so no event must have a message.
  const isRead = await before.canRoute(pool, alone);
  if (isRead) await putTemplates();

  const times: Date[] = [];
  const noteTime = async () => {
    const { rows } = await pool.query<{ now: Date }>("select clock_timestamp() as now");
    times.push(rows[0]!.now);
  };
  return {
    /** Sends a broadcast, and lets the load run for so long, while all replicas are of this version. */
    async whileAlone(forMs: number) {
      const content = { eventType: EVENT_TYPE, variables: { key: "key-chat-0" } };
      if (isRead) await run(createBroadcast, { ...content, userIds: READERS, channels: [CHANNEL] });
      else await putTemplates();
      const expected = isRead
        ? { tenants: 2, readers: READERS.length }
        : { tenants: 1, readers: 0 };
      const reachAll = async () => {
        const { rows } = await pool.query(
          `select count(distinct tenant_id)::integer as tenants, count(broadcast_id)::integer as readers
           from deliveries where channel = '${CHANNEL}' and status = 'accepted'`,
        );
        assert.deepEqual(rows, [expected]);
      };
      await eventually(reachAll, { timeoutMs: settings.drainMs });
      await noteTime();
      await sleep(forMs);
      await noteTime();
      if (isRead) return;
      for (const { id } of tenants) await setTemplateActive(db, templateOf(id), false);
    },
    /** Compares the messages with what reached the chat. */
    async judge() {
      const { rows } = await pool.query<Row>(
        `select e.variables::json ->> 'key' as key, d.status,
                $3::boolean and e.accepted_at >= $4 and e.dispatched_at < $5 as "mustHave",
                (select count(*)::integer from attempts a
                 where a.delivery_id = d.id and a.class in ('accepted', 'ambiguous')) as tries
         from events e left join deliveries d on d.event_id = e.id and d.channel = '${CHANNEL}'
         where e.tenant_id = $1 and e.user_id = any ($2) and e.event_type = '${EVENT_TYPE}'`,
        [naming.id, naming.users, isRead, ...times],
      );
      const copies = Map.groupBy(
        vendors.requests.filter(({ channel }) => channel === CHANNEL),
        ({ key }) => key,
      );
      const sent = rows.filter(({ status }) => status !== null);
      const breaches = rows.flatMap(({ key, mustHave, status, tries }) => {
        const arrived = copies.get(key)?.length ?? 0;
        if (status === null && !mustHave && arrived === 0) return [];
        if (arrived > 0 && arrived <= tries) return [];
        return [`${key}: ${arrived} messages in the chat, ${tries} tries, ${status ?? "skipped"}`];
      });
      const expected = rows.filter(({ mustHave }) => mustHave).length;
      return {
        breaches,
        figure: `chat: ${sent.length} of ${rows.length} events have a message; ${expected} came while all replicas were of this version`,
      };
    },
  };
}
