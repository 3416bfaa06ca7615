import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { eventsStream } from "@belfry/contracts/streams";
import { createPool } from "@belfry/database/connection";
import { freePort } from "@belfry/testing/free-port";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import type { BenchTenant } from "./bench-tenants.ts";
import { startNode, until } from "./node-process.ts";
import type { BenchServers } from "./servers.ts";
import { startService } from "./start-service.ts";
import type { TriggerLoad, TriggerResult } from "./trigger-load.ts";

/** ingest-api publishes here, where no dispatcher listens. */
const ASIDE = "aside";
const IN_EARNEST = "belfry";
const YARDSTICK = "yardstick";
const USERS_PER_TENANT = 1000;
const POLL_MS = 100;
const DISPATCHED_WITHIN_MS = 300_000;
const SETTLE_EVERY_MS = 100;
/** As a settlement leaves a delivery, but for the time: it is that of the release, which is measured. */
const SETTLE = `update deliveries set status = 'accepted', due_at = null, settled_at = released_at,
  released_at = null where channel in ('EMAIL', 'SMS') and released_at is not null`;

/** A message of ids as ingest-api has published it. */
export interface AsideMessage {
  subject: string;
  data: Uint8Array;
}

/** Whom events are for. */
export interface BenchUsers {
  tenants: BenchTenant[];
  usersPerTenant: number;
  /** See TriggerLoad. */
  named: boolean;
}

/** Makes work for the dispatcher, the way it is made in earnest: through ingest-api. */
export async function createBacklog(servers: BenchServers, tenants: BenchTenant[]) {
  await using resources = new AsyncDisposableStack();
  const everybody = { tenants, usersPerTenant: USERS_PER_TENANT, named: false };
  const port = await freePort();
  const ingest = { INGEST_API_PORT: String(port), NATS_PREFIX: ASIDE };
  resources.use(await startService("ingest-api", servers, ingest));
  const pool = createPool({ url: servers.databaseUrl, applicationName: "bench" });
  resources.defer(() => pool.end());
  const nc = await connect({ servers: servers.natsUrl, noAsyncTraces: true });
  resources.defer(() => nc.close());
  const manager = await jetstreamManager(nc, { checkAPI: false });
  const client = jetstream(nc);
  const kept = resources.move();

  const count = async (rows: string) => {
    const result = await pool.query<{ count: number }>(`select count(*)::integer from ${rows}`);
    return result.rows[0]?.count ?? 0;
  };
  const untilAtMost = async (most: number, rows: string) => {
    const isSo = async () => (await count(rows)) <= most;
    if (!(await until(isSo, DISPATCHED_WITHIN_MS, POLL_MS))) throw new Error(`still ${rows}`);
  };
  return {
    pool,
    /** Accepts events, for a thousand users of each tenant if for nobody else; the messages of their ids are kept from the dispatcher. */
    async accept(events: number, channels: readonly string[], users: BenchUsers = everybody) {
      const stream = eventsStream(ASIDE).name;
      await manager.streams.purge(stream);
      const load: TriggerLoad = {
        url: `http://127.0.0.1:${port}/api/v1/events/trigger`,
        ...users,
        channels: [...channels],
        pace: { count: events },
      };
      await using generator = startNode(join(import.meta.dirname, "trigger-load.ts"), {}, [
        JSON.stringify(load),
      ]);
      await generator.message<TriggerResult>("triggered");
      const messages: AsideMessage[] = [];
      const { state } = await manager.streams.info(stream);
      for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
        const message = await manager.streams.getMessage(stream, { seq });
        if (message !== null) messages.push(message);
      }
      return messages;
    },
    /** Hands them to the dispatcher, which has to be there. */
    async publish(messages: readonly AsideMessage[]) {
      const publishes = messages.map(({ subject, data }) =>
        client.publish(subject.replace(ASIDE, IN_EARNEST), data),
      );
      await Promise.all(publishes);
    },
    /** Puts them into a stream for a bare consumer; returns its name. */
    async copy(messages: readonly AsideMessage[]) {
      await manager.streams.delete(YARDSTICK).catch(() => undefined);
      const subjects = [YARDSTICK];
      await manager.streams.add({ name: YARDSTICK, subjects, retention: "workqueue" });
      for (const { data } of messages) await client.publish(YARDSTICK, data);
      return YARDSTICK;
    },
    /** Settles what is released, again and again until disposed of: senders that take no time. */
    settleReleased() {
      const stop = new AbortController();
      const loop = async () => {
        const client = await pool.connect();
        // Its statistics are those of an empty table.
        await client.query("set enable_seqscan = off");
        while (!stop.signal.aborted) {
          await client.query(SETTLE);
          await sleep(SETTLE_EVERY_MS);
        }
        client.release(true);
      };
      const looping = loop();
      return {
        async [Symbol.asyncDispose]() {
          stop.abort();
          await looping;
        },
      };
    },
    /** Waits until at most so many events are undispatched. */
    untilLeft: (events: number) => untilAtMost(events, "undispatched_events"),
    /** Waits until no delivery is in this state. */
    untilNone: (state: string) => untilAtMost(0, `deliveries where ${state}`),
    /** Back to empty tables. */
    async clear() {
      await pool.query(
        `truncate events, undispatched_events, dedup_keys, deliveries, attempts, notifications,
           realtime_channels, webhook_messages`,
      );
      // Whatever is still to be written does not disturb what is measured next.
      await pool.query("checkpoint");
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

export type Backlog = Awaited<ReturnType<typeof createBacklog>>;
