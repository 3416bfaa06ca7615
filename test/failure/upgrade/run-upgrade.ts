import { migrateToLatest } from "@belfry/database/migrate";
import type { Cleanup } from "@belfry/testing/cleanup";
import { ownNatsServer } from "@belfry/testing/nats-server";
import { ownPostgresServer } from "@belfry/testing/postgres-server";
import type { TestProcess } from "@belfry/testing/processes";
import { storeEvents } from "../../bench/stored-events.ts";
import { openBrowsers } from "../browsers.ts";
import type { Fault } from "../faults.ts";
import { seededRandom } from "../random.ts";
import { runFault } from "../run-fault.ts";
import type { OnceOptions } from "../run-once.ts";
import { REPLICAS, TREE } from "../services.ts";
import { LONG } from "../settings.ts";
import { breaches, doubleCauses, faultTable, seconds } from "../table.ts";
import { putEndpoint } from "../webhooks/run-webhooks.ts";
import { startReceiver } from "../webhooks/webhook-receiver.ts";
import { judgeWebhooks, watchMoves } from "../webhooks/webhook-verdict.ts";
import { type AnyWorld, createWorldOn } from "../world.ts";
import { putChat } from "./chat.ts";
import { type LockWait, watchLocks } from "./lock-waits.ts";
import { startNewsletter } from "./newsletter.ts";
import { checkOut } from "./version-before.ts";

const ALL_REPLICAS = {
  ...REPLICAS,
  "dispatcher 2": "dispatcher",
  "email-sender 2": "email-sender",
  "webhook-sender": "webhook-sender",
};
const ENV = {
  ALLOW_PRIVATE_WEBHOOK_ADDRESSES: "true",
  // The chart's value: a probe makes the balancer leave out the replica before.
  SHUTDOWN_DELAY_MS: "10000",
};
/** Started with this version, and stopped while all goes back. */
const CHAT_SENDER = "chat-sender";
const USERS = 49_999;
const READERS = 9_000;
const MOST_WAIT_MS = 1_000;
/** Later than any machine is slow. */
const PATIENCE_MS = 600_000;

/**
 * Migrates a filled database of the version before and rolls all services to this version and back, under load, with a
 * broadcast under way; then compares all that was accepted with all that arrived.
 */
export async function runUpgrade(t: Cleanup, options: OnceOptions & { from: string }) {
  const { from, events, perSecond, seed } = options;
  const before = await checkOut(t, from);
  const [nats, postgres] = await Promise.all([ownNatsServer(t), ownPostgresServer(t)]);
  const world = await createWorldOn(
    t,
    { ...LONG, perSecond, silenceMs: PATIENCE_MS, drainMs: PATIENCE_MS },
    { nats, postgres, env: ENV },
    { version: before, replicas: ALL_REPLICAS },
  );
  const { pool, services, settings } = world;
  const [told, sender] = world.tenants as [AnyWorld["limited"], AnyWorld["limited"]];
  await fill(world, events);
  const receiver = await startReceiver(t, seededRandom(seed));
  await putEndpoint(world, receiver);
  await watchMoves(pool);
  const browsers = await openBrowsers(t, world);
  const newsletter = await startNewsletter(world, sender, READERS);
  const figures: string[] = [];
  const faults: string[] = [];
  const names = Object.keys(ALL_REPLICAS);
  const order = seededRandom(seed);
  const processes = names.map(services.process);
  const begunAt = Date.now();
  const sinceBegin = (at: number) => seconds(at - begunAt);
  const rollAll = async (tree: URL, version: string) => {
    const startedAt = Date.now();
    const reached = newsletter.reached();
    services.startFrom(tree);
    for (const name of shuffled(names, order)) {
      await services.roll(name);
      processes.push(services.process(name));
    }
    figures.push(
      `to ${version}: from ${sinceBegin(startedAt)} to ${sinceBegin(Date.now())}, ${newsletter.reached() - reached} mails of the broadcast meanwhile`,
    );
  };

  const startNew = async (name: string, service: string) => {
    services.startFrom(TREE);
    processes.push(await services.startMore(name, service));
  };
  let chat: Awaited<ReturnType<typeof putChat>> | undefined;

  const upgrade: Fault<AnyWorld> = {
    name: "rolled to this version and back",
    unnoticed: true,
    async run() {
      const startedAt = Date.now();
      const ran = await migrateToLatest(postgres.url);
      figures.push(
        `${ran.length} migrations and functions: from ${sinceBegin(startedAt)} to ${sinceBegin(Date.now())}`,
      );
      chat = await putChat(world, before);
      await startNew(CHAT_SENDER, CHAT_SENDER);
      await rollAll(TREE, "this version");
      await chat.whileAlone(settings.faultMs);
      const again = await before.migrateToLatest(postgres.url);
      if (again.length > 0) faults.push(`the version before migrated ${again.join(", ")}`);
      await services.stop(CHAT_SENDER);
      await rollAll(before.tree, "the version before");
      // The messages that were made before wait for this version.
      await startNew(CHAT_SENDER, CHAT_SENDER);
      await startNew("dispatcher 3", "dispatcher");
    },
  };
  const locks = watchLocks(pool);
  const result = await runFault(world, browsers, upgrade, { label: "upgrade", seed });
  const waits = await locks.stop();
  const chats = await chat!.judge();
  faults.push(...breaches(result), ...(await newsletter.judge()), ...chats.breaches);
  const webhooks = await judgeWebhooks(pool, told.id, receiver);
  faults.push(...webhooks.breaches, ...longWaits(waits));
  const triggers = result.entries.flatMap(({ tries }) => tries);
  const rate = (1000 * triggers.length) / (triggers.at(-1)!.at - triggers[0]!.at);
  const broken = triggers.filter(({ status }) => status === null);
  faults.push(...loggedErrors(processes, sinceBegin));
  if (broken.length > 0) faults.push(`${broken.length} connections were refused or broke`);
  figures.push(
    ...[
      `${events} stored events, ${triggers.length} triggers, ${rate.toFixed(0)} a second`,
      ...faultTable([result]).split("\n"),
      ...doubleCauses([result]),
    ],
    `broadcast: ${newsletter.reached()} of ${READERS} readers`,
    chats.figure,
    `webhooks: ${webhooks.moves} moves, ${webhooks.messages} messages, ${webhooks.doubled} doubled`,
    `browsers: ${browsers.reduce((sum, { reconnects }) => sum + reconnects, 0)} reconnections, ${browsers.reduce((sum, { unrecovered }) => sum + unrecovered, 0)} without recovery`,
    `waits for locks: ${waits.length}, by samples at most ${seconds(locks.longestGapMs())} apart; the longest: ${waits.slice(0, 3).map(described).join(" | ") || "none"}`,
  );
  return { figures, breaches: faults };
}

/** Returns the errors that the services logged: how often, and when first. */
function loggedErrors(
  processes: readonly TestProcess[],
  sinceBegin: (at: number) => string,
): string[] {
  const lines = processes
    .flatMap((process) => process.logs())
    .filter(({ level }) => level === "error" || level === "fatal");
  const errors = Map.groupBy(
    lines,
    ({ service, msg, err }) => `${service}: ${msg}: ${(err as Error | undefined)?.message}`,
  );
  return [...errors].map(
    ([error, all]) =>
      `${all.length} times logged: ${error} (first after ${sinceBegin(Date.parse(String(all[0]!.time)))})`,
  );
}

function shuffled(names: readonly string[], random: () => number): string[] {
  const places = new Map(names.map((name) => [name, random()]));
  return names.toSorted((one, other) => places.get(one)! - places.get(other)!);
}

async function fill({ pool, tenants }: AnyWorld, events: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("set statement_timeout = 0");
    await client.query("set session_replication_role = replica");
    const stored = { tenantIds: tenants.map(({ id }) => id), events, users: USERS };
    await storeEvents(client, stored, { from: 1, to: events });
    await client.query("vacuum analyze");
  } finally {
    client.release(true);
  }
}

/** A migration waits only for half a second, or without blocking anybody. */
function longWaits(waits: readonly LockWait[]): string[] {
  return waits
    .filter(
      ({ waitedMs, waiter }) => waitedMs > MOST_WAIT_MS && !waiter.startsWith("belfry-migrate"),
    )
    .map((wait) => `waited for a lock: ${described(wait)}`);
}

function described({ waitedMs, waiter, lock, holders }: LockWait): string {
  return `${seconds(waitedMs)} ${waiter} (${lock}, held by ${holders})`;
}
