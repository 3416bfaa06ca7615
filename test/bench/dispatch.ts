import { join } from "node:path";
import { type AsideMessage, type Backlog, type BenchUsers, createBacklog } from "./backlog.ts";
import type { BenchOptions } from "./bench-options.ts";
import { createBenchTenants, seedRecipients } from "./bench-tenants.ts";
import { cpuMicros, cpuTimes } from "./cpu-time.ts";
import type { YardstickDone, YardstickWarm } from "./dispatch-yardstick.ts";
import {
  compared,
  type Measured,
  mediansOf,
  printLine,
  printRound,
  ROUND_COLUMNS,
} from "./figures.ts";
import { startNode } from "./node-process.ts";
import { type BenchServers, startServers } from "./servers.ts";
import { startService } from "./start-service.ts";

/**
 * Events a second from a full stream to deliveries on their way and pushes published, on three channels,
 * beside a bare consumer of the same messages that makes one batched insert a batch.
 */
const ROUNDS = 5;
const EVENTS = 20_000;
const QUICK_EVENTS = 500;
const TENANTS = 20;
const CHANNELS = ["EMAIL", "SMS", "PUSH"];
/** The part of the events during which both sides warm up. */
const WARM_UP = 0.25;
/** Nobody calls it: what is released is settled without senders. */
const NO_VENDOR = "http://127.0.0.1:9";

export async function run(options: BenchOptions) {
  const events = options.quick ? QUICK_EVENTS : EVENTS;
  const rounds = options.rounds ?? (options.quick ? 1 : ROUNDS);
  await using resources = new AsyncDisposableStack();
  const servers = resources.use(await startServers(options));
  const count = options.quick ? 2 : TENANTS;
  const tenants = await createBenchTenants(servers, { count, vendorUrl: NO_VENDOR });
  const named = options.recipients && (await nameUsers(servers, count, options.recipients));
  const backlog = resources.use(await createBacklog(servers, tenants));

  await using _senders = backlog.settleReleased();
  // Nothing is lost here, however long what was accepted waits to be published.
  const never = { REPUBLISH_AFTER_MS: "1000", REPUBLISH_EVERY_MS: "3600000" };
  await using _dispatcher = await startService("dispatcher", servers, never);

  printLine(ROUND_COLUMNS);
  const belfry: Measured[] = [];
  const yardstick: Measured[] = [];
  const directory: Measured[] = [];
  const measureNamed = async (): Promise<Measured | undefined> => {
    if (!named) return undefined;
    const theirs = await backlog.accept(events, CHANNELS, named);
    const measured = await measureDispatcher(backlog, theirs, events);
    await backlog.clear();
    directory.push(measured);
    return measured;
  };
  for (let at = 1; at <= rounds; at += 1) {
    // Who comes second meets what the first has left to be vacuumed: each is second in turn.
    const before = at % 2 === 0 ? await measureNamed() : undefined;
    const messages = await backlog.accept(events, CHANNELS);
    const bare = await measureYardstick(servers, await backlog.copy(messages), events);
    const own = await measureDispatcher(backlog, messages, events);
    await backlog.clear();
    yardstick.push(bare);
    belfry.push(own);
    const theirs = before ?? (await measureNamed());
    const table = { bare, dispatcher: own, ...(theirs && { "… named": theirs }) };
    printRound(at, "dispatcher", table);
  }
  return {
    bench: "dispatch" as const,
    events,
    tenants: tenants.length,
    ...compared(belfry, yardstick),
    // Of the tenants with recipients, if there are any.
    ...(options.recipients && {
      named: { recipients: options.recipients, ...mediansOf(directory) },
    }),
  };
}

export type DispatchResult = Awaited<ReturnType<typeof run>>;

/** Tenants beside the others, whose users have addresses, quiet hours and preferences. */
async function nameUsers(
  servers: BenchServers,
  count: number,
  recipients: number,
): Promise<BenchUsers> {
  const tenants = await createBenchTenants(servers, { count, vendorUrl: NO_VENDOR });
  const ids = tenants.map(({ id }) => id);
  return {
    tenants,
    usersPerTenant: await seedRecipients(servers, ids, recipients),
    named: true,
  };
}

async function measureYardstick(
  servers: BenchServers,
  stream: string,
  events: number,
): Promise<Measured> {
  await using yardstick = startNode(join(import.meta.dirname, "dispatch-yardstick.ts"), {
    DATABASE_URL: servers.databaseUrl,
    NATS_URL: servers.natsUrl,
    STREAM: stream,
    EVENTS: String(events),
    WARM_UP: String(events * WARM_UP),
  });
  const done = yardstick.message<YardstickDone>("done");
  const warm = await yardstick.message<YardstickWarm>("warm");
  const before = await cpuTimes();
  const { perSecond } = await done;
  return { perSecond, cpu: cpuMicros(before, await cpuTimes(), events - warm.events) };
}

async function measureDispatcher(
  backlog: Backlog,
  messages: readonly AsideMessage[],
  events: number,
): Promise<Measured> {
  const { pool } = backlog;
  const now = async () => {
    const { rows } = await pool.query<{ at: Date; left: number }>(
      "select clock_timestamp() as at, count(*)::integer as left from undispatched_events",
    );
    return rows[0]!;
  };
  const start = await now();
  await backlog.publish(messages);
  await backlog.untilLeft(events * (1 - WARM_UP));
  const warm = await now();
  const before = await cpuTimes();
  await backlog.untilLeft(0);
  await backlog.untilNone("settled_at is null");
  const after = await cpuTimes();
  const { rows } = await pool.query<{ at: Date }>(
    "select greatest((select max(dispatched_at) from events), (select max(settled_at) from deliveries)) as at",
  );
  const end = rows[0]!.at.getTime();
  // A few events are gone, or most of them, before anybody looks: they are measured from their publishing on.
  const isInTime = warm.left > events / 4 && end > warm.at.getTime();
  const { at, left } = isInTime ? warm : start;
  return {
    perSecond: left / ((end - at.getTime()) / 1000),
    cpu: cpuMicros(before, after, left),
  };
}
