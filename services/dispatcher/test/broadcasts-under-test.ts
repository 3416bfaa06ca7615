import {
  cancelBroadcast,
  pauseBroadcast,
  resumeBroadcast,
  showBroadcast,
} from "@belfry/administration/broadcasts/broadcasts";
import { createBroadcast } from "@belfry/administration/broadcasts/create-broadcast";
import { actsIn } from "@belfry/administration/test/acts";
import type { BroadcastRequest } from "@belfry/contracts/broadcasts";
import type { ProviderChannel } from "@belfry/contracts/channels";
import { claimDeliveries } from "@belfry/database/functions/claim-deliveries";
import { releaseDeliveries } from "@belfry/database/functions/release-deliveries";
import type { Publisher } from "@belfry/service/publish";
import type { Cleanup } from "@belfry/testing/cleanup";
import { createBroadcastLoop } from "../src/broadcast-loop.ts";
import { createEventHandler } from "../src/event-handler.ts";
import { createRestLook } from "../src/wake-loop.ts";
import { dispatcherUnderTest, eventsMessage, type TenantSetup } from "./dispatcher-under-test.ts";

export const NEWS = "product.news";

export interface BroadcastsSetup extends TenantSetup {
  /** Rate of each provider; null: none. */
  maxPerSecond?: number | null;
  dayShare?: number;
}

/** A tenant with a template and a topic, and one dispatcher that dispatches what its broadcast loop publishes. */
export async function broadcastsUnderTest(t: Cleanup, setup: BroadcastsSetup = {}) {
  const under = await dispatcherUnderTest(t, 10_000);
  const { pool, db } = under;
  const tenantId = await under.tenant({ id: "acme", ...setup });
  await under.templates(tenantId, NEWS, ["EMAIL", "PUSH"]);
  if (setup.maxPerSecond !== null) {
    await pool.sql`update providers set max_per_second = ${setup.maxPerSecond ?? 200}`;
  }
  // They have taken what they may lately: a broadcast need not begin slowly.
  await pool.query(
    `insert into provider_broadcasts (provider_id, taken, looked_at)
     select id, coalesce(max_per_second, 20), now() + interval '1 hour' from providers`,
  );
  const published: string[] = [];
  const handler = createEventHandler(under.deps);
  const signal = new AbortController().signal;
  const dispatch = (ids: readonly string[]) =>
    handler([eventsMessage(ids)], { log: under.log, signal });
  let dispatches = true;
  const publisher: Publisher = {
    async publishIds(_, items) {
      const ids = items.map(({ id }) => id);
      published.push(...ids);
      if (dispatches) await dispatch(ids);
      return { streamSequence: 1, duplicate: false };
    },
  };
  let moment: Date | undefined;
  const loopWith = (lookAtRest = createRestLook(pool)) =>
    createBroadcastLoop({
      ...{ pool, publisher, prefix: "test", log: under.log, lookAtRest },
      canPublish: () => true,
      dayShare: setup.dayShare ?? 0.9,
      // The database's clock, unless a test sets a moment.
      now: () => moment as Date,
    });
  const run = actsIn(db, tenantId);
  return {
    ...under,
    tenantId,
    published,
    dispatch,
    loopWith,
    moveOn: loopWith(),
    /** Switches whether published events are dispatched at once or stay undispatched. */
    setDispatching: (on: boolean) => {
      dispatches = on;
    },
    setMoment: (now: Date | undefined) => {
      moment = now;
    },

    /** Members of a topic, each with an address. */
    async members(count: number, topic = "news", prefix = "user"): Promise<string[]> {
      await pool.sql`with people as (
          select ${prefix} || '-' || lpad(n::text, 7, '0') as id from generate_series(1, ${count}::integer) n
        ), named as (
          insert into recipients (tenant_id, user_id, email, updated_at)
          select ${tenantId}, p.id, p.id || '@example.com', now() from people p on conflict do nothing
        ), joined as (
          insert into topic_members (tenant_id, topic, user_id) select ${tenantId}, ${topic}, p.id from people p
          on conflict do nothing returning 1
        )
        insert into topics (tenant_id, key, members) select ${tenantId}, ${topic}, count(*) from joined
        on conflict (tenant_id, key) do update set members = topics.members + excluded.members`;
      await pool.query("update tenants set uses_recipients = true");
      const rows = await pool.sql`select user_id from topic_members where topic = ${topic}
        order by user_id`;
      return rows.map((row) => row.user_id);
    },

    broadcast: (request: Partial<BroadcastRequest> = {}) =>
      run(createBroadcast, {
        ...(request.userIds === undefined && { topics: ["news"] }),
        eventType: NEWS,
        variables: { title: "News", name: "Ada" },
        ...request,
      }),
    show: (broadcastId: string) => run(showBroadcast, { broadcastId }),
    pause: (broadcastId: string) => run(pauseBroadcast, { broadcastId }),
    resume: (broadcastId: string) => run(resumeBroadcast, { broadcastId }),
    cancel: (broadcastId: string) => run(cancelBroadcast, { broadcastId }),

    /** The users of all events, in order: each as often as it has events. */
    async usersOfEvents(): Promise<string[]> {
      const rows = await pool.sql`select user_id from events where broadcast_id is not null
        order by user_id`;
      return rows.map((row) => row.user_id);
    },

    /** Lets what is due on a channel leave. */
    release: (channel: ProviderChannel = "EMAIL") =>
      releaseDeliveries(pool, { channel, inFlightPerTenant: 1000, after: "", most: 2000 }),

    claim: async (ids: readonly string[], channel: ProviderChannel = "EMAIL") => {
      const [provider] = await pool.sql`select id, kind from providers where channel = ${channel}`;
      return await claimDeliveries(
        pool,
        ids.map((id) => ({ id, tenantId, provider: { ...provider, maxPerSecond: null } })),
        { channel, leaseMs: 60_000, maxRetries: 3 },
      );
    },

    /** Ends what is on its way, as senders do. */
    async accept(ids: readonly string[]): Promise<void> {
      await pool.sql`update deliveries
        set status = 'accepted', settled_at = now(), released_at = null, due_at = null,
        claimed_until = null, attempts = greatest(attempts, 1) where id = any (${ids})`;
    },

    /** Moves on all broadcasts, while senders take what is released, until none moves any more. */
    async moveAll(loops = [loopWith()]): Promise<void> {
      for (let expanded = -1; ; ) {
        // None waits for the time of the next look.
        await pool.query(
          "update broadcasts set next_at = now() where state = 'running' and not is_expanded",
        );
        await Promise.all(loops.map((moveOn) => moveOn()));
        const { released } = await this.release();
        await this.accept(released.map(({ id }) => id));
        const rows = await pool.sql`select sum(expanded)::int as expanded from broadcasts`;
        if (rows[0].expanded === expanded && released.length === 0) return;
        expanded = rows[0].expanded;
      }
    },

    /** Makes every chunk due to be counted. */
    async countNow(): Promise<void> {
      await pool.query("update broadcast_chunks set count_at = now() where count_at is not null");
    },
  };
}
