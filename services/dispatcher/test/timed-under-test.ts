import type { TestContext } from "node:test";
import type { ProviderChannel } from "@belfry/contracts/channels";
import type { DigestSettings, ThrottleSettings } from "@belfry/contracts/delivery";
import { createPool, type Pool } from "@belfry/database/connection";
import { claimDeliveries } from "@belfry/database/functions/claim-deliveries";
import { releaseDeliveries } from "@belfry/database/functions/release-deliveries";
import { createKeyedSerialQueue } from "@belfry/service/keyed-serial-queue";
import type { DispatchDeps } from "../src/dispatch-batch.ts";
import { createEventHandler } from "../src/event-handler.ts";
import { createRoutingCache } from "../src/routing-cache.ts";
import { dispatcherUnderTest, type EventSetup, eventsMessage } from "./dispatcher-under-test.ts";

export interface TimedTemplate {
  digest?: DigestSettings;
  throttle?: ThrottleSettings;
  afterUnreadSeconds?: number;
  sensitive?: boolean;
  expiresAfterSeconds?: number;
}

export const TENANT = "acme";
const MANY = 10_000;

/** Two dispatchers on one database, with pools and caches of their own, and hands that release and claim. */
export async function timedUnderTest(t: TestContext) {
  const under = await dispatcherUnderTest(t, MANY);
  const { pool } = under;
  const otherPool = createPool({ url: under.url, applicationName: "other-dispatcher" });
  t.after(() => otherPool.end());
  const other: DispatchDeps & { concurrency: number } = {
    ...under.deps,
    pool: otherPool,
    routing: createRoutingCache(otherPool),
    userQueue: createKeyedSerialQueue(),
  };
  const handlers = [createEventHandler(under.deps), createEventHandler(other)] as const;
  await under.tenant({ id: TENANT });

  const signal = new AbortController().signal;
  const dispatchOn = (which: 0 | 1, ids: readonly string[]) =>
    handlers[which]([eventsMessage(ids)], { log: under.log, signal });
  return {
    ...under,
    otherPool,
    dispatchOn,

    /** A dispatcher within a transaction that the test ends. */
    async transaction() {
      const client = await otherPool.connect();
      await client.query("begin");
      const handler = createEventHandler({ ...other, pool: client as unknown as Pool });
      return {
        query: (text: string, values: unknown[]) => client.query(text, values),
        dispatch: (ids: readonly string[]) =>
          handler([eventsMessage(ids)], { log: under.log, signal }),
        async end(how: "commit" | "rollback") {
          await client.query(how);
          client.release();
        },
      };
    },

    /** Templates of an event type, the one of EMAIL timed. */
    async timed(
      eventType: string,
      { digest, throttle, ...more }: TimedTemplate,
      channels?: ("EMAIL" | "SMS" | "PUSH")[],
    ) {
      const { sensitive = false, expiresAfterSeconds, afterUnreadSeconds = null } = more;
      await under.templates(TENANT, eventType, channels ?? ["EMAIL"], {
        sensitive,
        ...(expiresAfterSeconds !== undefined && { expiresAfterSeconds }),
      });
      await pool.sql`update templates
        set digest = ${json(digest)}, throttle = ${json(throttle)}, after_unread_seconds = ${afterUnreadSeconds}
        where event_type = ${eventType} and channel = 'EMAIL'`;
    },

    /** Accepts one event and dispatches it; what became of it on EMAIL. */
    async dispatch(setup: EventSetup) {
      const [id = ""] = await under.events(TENANT, setup);
      await dispatchOn(0, [id]);
      const rows = await pool.sql`select d.*, i.digest_id from (values (${id}::uuid)) e (id)
        left join digest_items i on i.event_id = e.id
        left join deliveries d on d.channel = 'EMAIL' and d.event_id in (e.id, i.digest_id)`;
      return { id, delivery: rows[0], ...(await under.outcome(id)) };
    },

    /** Makes at most `most` waiting deliveries due now, as an operator does. */
    async makeDue(most: number): Promise<void> {
      await pool.sql`update deliveries set due_at = now() - interval '1 second' where id in (
        select id from deliveries where status = 'queued' and released_at is null
        order by random() limit ${most} for update skip locked)`;
    },
    release: (channel: ProviderChannel = "EMAIL") =>
      releaseDeliveries(pool, { channel, inFlightPerTenant: MANY, after: "", most: MANY }),
    claim: (ids: readonly string[], channel: ProviderChannel = "EMAIL") =>
      claimDeliveries(
        otherPool,
        ids.map((id) => ({
          ...{ id, tenantId: TENANT },
          provider: { id: "00000000-0000-4000-8000-000000000001", kind: "sandbox" },
        })),
        { channel, leaseMs: 600_000, maxRetries: 7 },
      ),
    async items(where = "true") {
      const { rows } = await pool.query<{ digest_id: string; event_id: string; state: string }>(
        `select digest_id, event_id, state from digest_items where ${where} order by event_id`,
      );
      return rows;
    },
  };
}

const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
