import { webhookActs } from "@belfry/administration/test/webhook-world";
import { putWebhook } from "@belfry/administration/webhooks/webhooks";
import { createDatabase } from "@belfry/database/connection";
import type { Cleanup } from "@belfry/testing/cleanup";
import {
  createKillWorld,
  type KillRunOptions,
  type Kills,
  killFigure,
  startReplicas,
  underKills,
  type Victim,
} from "../kills.ts";
import { seededRandom } from "../random.ts";
import { acceptResting } from "../resting-load.ts";
import { atRest } from "../streams.ts";
import { type AnyWorld, EVENT_TYPE, type World } from "../world.ts";
import { type Receiver, startReceiver } from "./webhook-receiver.ts";
import { judgeWebhooks, type WebhookVerdict, watchMoves } from "./webhook-verdict.ts";

interface WebhookRun {
  verdict: WebhookVerdict;
  kills: Kills;
  events: number;
}

const BATCH = 50;
/** As short as it can be: a whole call, and its record. */
const LEASES = { LEASE_MS: "20000", DELIVERY_ACK_WAIT_MS: "20000" };

/**
 * Events of a tenant with an endpoint that wants everything, by mail and in the app, through two dispatchers, two
 * senders of mail and two of webhooks, with one kill after the other as long as they come; then all comes to rest,
 * and what moved is held against what was told.
 */
export async function runWebhooks(t: Cleanup, options: KillRunOptions): Promise<WebhookRun> {
  const { seed, events, perSecond, killEveryMs, drainMs } = options;
  const random = seededRandom(seed);
  const world = await createKillWorld(t);
  const receiver = await startReceiver(t, random);
  await putEndpoint(world, receiver);
  await watchMoves(world.pool);

  const heard = { mail: [] as (() => void)[], post: [] as (() => void)[] };
  const tell = (who: keyof typeof heard) => {
    for (const hear of heard[who].splice(0)) hear();
  };
  world.vendors.watch = () => tell("mail");
  receiver.heard = () => tell("post");
  const next = (who: keyof typeof heard) => () =>
    new Promise<void>((resolve) => heard[who].push(resolve));
  const env = { ALLOW_PRIVATE_WEBHOOK_ADDRESSES: "true", ...LEASES };
  const victims: Victim[] = [
    { service: "dispatcher" },
    { service: "email-sender", nextCall: next("mail") },
    { service: "webhook-sender", nextCall: next("post"), env },
  ];
  await startReplicas(world, victims);

  const killing = { victims, random, everyMs: killEveryMs };
  const { kills, load } = await underKills(world, killing, (until) =>
    acceptResting(world, { count: events, perSecond, batchSize: BATCH, until }, eventOf),
  );
  await atRest(world, drainMs, () => tryAllNow(world));
  const verdict = await judgeWebhooks(world.pool, world.tenants[0]!.id, receiver);
  return { verdict, kills, events: load.length };
}

const eventOf = (number: number) => ({
  ...{ key: `key-webhooks-${number}`, eventType: EVENT_TYPE, userId: `user-${number % 50}` },
  ...{ reference: number % 2 === 0 ? `order-${number}` : null, traceId: "webhooks" },
});

export async function putEndpoint(world: AnyWorld, receiver: Receiver): Promise<void> {
  const deps = { keys: world.keys, allowPrivateAddresses: true };
  const run = webhookActs(createDatabase(world.pool), deps, world.tenants[0]!.id);
  const made = await run(putWebhook, { url: receiver.url });
  receiver.secret = made.secret!;
}

/**
 * Whatever waits for another try gets it now: a message whose first try was answered 500 and whose second met a
 * connection that was just closed would keep everybody waiting for five minutes.
 */
const tryAllNow = ({ pool }: World) =>
  pool.query(
    `update deliveries set due_at = now()
     where channel = 'WEBHOOK' and status = 'waiting' and released_at is null and due_at > now()`,
  );

/** A report for people, one fact per line. */
export function webhookFigures({ verdict, kills, events }: WebhookRun): string[] {
  return [
    `${events} events, ${verdict.moves} moves, ${verdict.messages} messages`,
    killFigure(kills),
    `doubled: ${verdict.doubled}`,
  ];
}
