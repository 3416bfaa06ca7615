import { deliveriesStream, eventsStream } from "@belfry/contracts/streams";
import { eventually } from "@belfry/testing/eventually";
import { type ConsumerInfo, jetstreamManager } from "@nats-io/jetstream";
import { connect, headers, type NatsConnection } from "@nats-io/transport-node";
import type { AnyWorld, World } from "./world.ts";

/** While `work` runs both streams have no room for a single message. */
export async function withFullStreams(world: World, work: () => Promise<void>): Promise<void> {
  const streams = [eventsStream(world.prefix), deliveriesStream(world.prefix)];
  const resize = (maxBytes: (standard: number) => number) =>
    connected(world, async (nc) => {
      const manager = await jetstreamManager(nc, { checkAPI: false });
      for (const { name, maxBytes: standard } of streams) {
        await manager.streams.update(name, { max_bytes: maxBytes(standard) });
      }
    });
  await resize(() => 1);
  try {
    await work();
  } finally {
    await resize((standard) => standard);
  }
}

/** In hand for so many of its waits, and not delivered again: nobody has it. */
const LONG_WAITS = 3;

/**
 * How many messages of ids somebody is still to get or has in hand. Not how many are stored: of a server that
 * was killed some stay that were acknowledged, and nobody gets them again. Nor what such a server takes to be in
 * somebody's hand for ever, as it has lost the message itself.
 */
export function messagesLeft(world: AnyWorld): Promise<number> {
  const count = async (nc: NatsConnection) => {
    const manager = await jetstreamManager(nc, { checkAPI: false });
    let left = 0;
    for (const { name } of [eventsStream(world.prefix), deliveriesStream(world.prefix)]) {
      for await (const consumer of manager.consumers.list(name)) {
        left += consumer.num_pending + (isLost(consumer) ? 0 : consumer.num_ack_pending);
      }
    }
    return left;
  };
  // A cluster that elects its leader does not answer for a moment.
  return eventually(() => connected(world, count));
}

/** nats-server 2.9 after kill -9: a message is due again, but neither stored any more nor ever delivered. */
function isLost({ config, delivered }: ConsumerInfo): boolean {
  const ackWaitMs = (config.ack_wait ?? 0) / 1e6;
  const { last_active: deliveredAt } = delivered;
  return (
    deliveredAt !== undefined &&
    Date.now() - new Date(deliveredAt).getTime() > LONG_WAITS * ackWaitMs
  );
}

const COPY = "Belfry-Copy";

/** While `work` runs every message of ids and every realtime publication is published a second time. */
export async function withEverythingTwice(world: World, work: () => Promise<void>): Promise<void> {
  let copies = 0;
  await connected(world, async (nc) => {
    for (const subject of ["events.*", "deliveries.>", "realtime.>"]) {
      nc.subscribe(`${world.prefix}.${subject}`, {
        callback: (error, message) => {
          if (error !== null || message.headers?.has(COPY)) return;
          const marked = headers();
          marked.set(COPY, "1");
          nc.publish(message.subject, message.data, { headers: marked });
          copies += 1;
        },
      });
    }
    await nc.flush();
    await work();
    await eventually(() => copies > 0);
    await nc.flush();
  });
}

async function connected<T>(world: AnyWorld, work: (nc: NatsConnection) => Promise<T>): Promise<T> {
  const nc = await connect({ servers: world.nats.url.split(",") });
  try {
    return await work(nc);
  } finally {
    await nc.close();
  }
}

/** Waits until nothing of any event is left to be done; `nudge` is called before each look. */
export async function atRest(world: World, timeoutMs: number, nudge?: () => Promise<unknown>) {
  await eventually(
    async () => {
      await nudge?.();
      const { rows } = await world.pool.query<{ left: Record<string, number> }>(
        `select json_build_object(
           'scheduled', (select count(*) from scheduled_events),
           'undispatched', (select count(*) from undispatched_events),
           'deliveries', (select count(*) from deliveries where status in ('queued', 'sending', 'waiting'))) as left`,
      );
      const left = Object.entries(rows[0]!.left).filter(([, count]) => count > 0);
      if (left.length > 0) throw new Error(`not at rest: ${left.join("; ")}`);
      const messages = await messagesLeft(world);
      if (messages > 0) throw new Error(`${messages} messages are left`);
    },
    { timeoutMs, everyMs: 200 },
  );
}
