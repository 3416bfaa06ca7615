import type { Browser } from "../browsers.ts";
import type { Fault } from "../faults.ts";
import { type FaultResult, runFault } from "../run-fault.ts";
import { breaches } from "../table.ts";
import { startReads } from "./reads.ts";
import { SERVICES, type ServiceName, type StopWorld } from "./stop-world.ts";

/** One way to stop replicas. */
export interface Stop {
  name: string;
  /** Resolves when all has ended and runs again; to the time in ms that the slowest took. */
  run(world: StopWorld): Promise<number>;
  /** Whether callers cannot know whether the vendor has a message, so that some are sent twice. */
  mayDouble?: boolean;
}

export interface StopResult extends FaultResult {
  stoppedAfterMs: number;
  /** Requests of callers and pages. */
  requests: number;
  /** The requests without an answer. */
  unanswered: string[];
  /** The requests that were answered 500 or more. */
  refused: string[];
  /** Messages to the webhook, and how many of them came again or never. */
  webhooks: { messages: number; doubled: number; lost: number };
  /** The errors that the services have logged so far. */
  errors: string[];
  reconnections: number;
  unrecovered: number;
}

/** SIGTERM to one of the replicas of each of these services at once. */
async function endOne({ services }: StopWorld, names: readonly ServiceName[]): Promise<number> {
  const times = names.map(async (name) => {
    const at = performance.now();
    await services.stop(name);
    return performance.now() - at;
  });
  return Math.max(...(await Promise.all(times)));
}

/** The same, and a restart when all have ended. */
async function stopOne(world: StopWorld, names: readonly ServiceName[]): Promise<number> {
  const slowest = await endOne(world, names);
  await Promise.all(names.map((name) => world.services.restart(name)));
  return slowest;
}

const ALL_AT_ONCE = "one replica of every service at once";

/** The other replicas go on alone. */
export const endAll: Stop = { name: ALL_AT_ONCE, run: (world) => endOne(world, SERVICES) };

type Sender = "email-sender" | "sms-sender" | "webhook-sender";

/** SIGTERM to a sender that has calls without an answer; the vendor answers again when the sender has ended. */
const stopHanging = (name: Sender): Stop => ({
  ...{ name: `${name}, its vendor hangs`, mayDouble: true },
  async run(world) {
    const { vendors, receiver } = world;
    const called = Promise.withResolvers<void>();
    if (name === "webhook-sender") {
      receiver.hangs = true;
      receiver.heard = called.resolve;
    } else {
      vendors.mood = "hangs";
      vendors.watch = () => called.resolve();
    }
    await called.promise;
    try {
      return await stopOne(world, [name]);
    } finally {
      receiver.hangs = false;
      vendors.mood = "accepts";
    }
  },
});

/** A second signal ends a sender at once; another one sends its deliveries when their leases have ended. */
const stopTwice: Stop = {
  ...{ name: "email-sender, SIGTERM twice", mayDouble: true },
  async run({ services }) {
    const process = services.process("email-sender");
    const at = performance.now();
    process.signal("SIGTERM");
    await process.waitUntilReady(false);
    const code = await process.stop();
    const tookMs = performance.now() - at;
    if (code !== 1) throw new Error(`it ended with ${code}`);
    await services.restart("email-sender");
    return tookMs;
  },
};

/** The services one after the other, and what can come between. */
export const STOPS: readonly Stop[] = [
  ...SERVICES.map((name) => ({ name, run: (world: StopWorld) => stopOne(world, [name]) })),
  { name: ALL_AT_ONCE, run: (world) => stopOne(world, SERVICES) },
  stopHanging("email-sender"),
  stopHanging("sms-sender"),
  stopHanging("webhook-sender"),
  stopTwice,
];

const READS_PER_SECOND = 10;

/** Runs the stop under load, and holds what arrived against what was answered. */
export async function runStop(
  world: StopWorld,
  browsers: Browser[],
  stop: Stop,
  options: { label: string; seed: number },
): Promise<StopResult> {
  const sum = (of: "reconnects" | "unrecovered") =>
    browsers.reduce((total, browser) => total + browser[of], 0);
  const before = { reconnects: sum("reconnects"), unrecovered: sum("unrecovered") };
  let stoppedAfterMs = 0;
  const fault: Fault<StopWorld> = {
    name: stop.name,
    async run() {
      stoppedAfterMs = await stop.run(world);
    },
  };
  const reads = startReads(world.reads, READS_PER_SECOND);
  let result: FaultResult;
  try {
    result = await runFault(world, browsers, fault, options);
  } finally {
    await reads.stop();
  }
  const { count, failures } = await reads.stop();
  const tries = result.entries.flatMap((entry) => entry.tries);
  const all: readonly { status: number | null; what?: string }[] = [...failures, ...tries];
  const told = (some: typeof all) =>
    some.map(({ status, what = "trigger" }) => `${status ?? "no answer"} ${what}`);
  return Object.assign(result, {
    stoppedAfterMs,
    requests: count + tries.length,
    errors: [...new Set(world.services.errors())],
    unanswered: told(all.filter(({ status }) => status === null)),
    refused: told(all.filter(({ status }) => status !== null && status >= 500)),
    webhooks: await webhooksOf(world),
    reconnections: sum("reconnects") - before.reconnects,
    unrecovered: sum("unrecovered") - before.unrecovered,
  });
}

/** Compares the stored messages with what the endpoint has received since the last call. */
async function webhooksOf({ pool, receiver }: StopWorld): Promise<StopResult["webhooks"]> {
  const { rows } = await pool.query<{ id: string }>("select id from webhook_messages");
  const arrived = [...receiver.arrived.values()];
  const messages = rows.length;
  const lost = rows.filter(({ id }) => !receiver.arrived.has(id)).length;
  const doubled = arrived.reduce((total, { times }) => total + times - 1, 0);
  receiver.arrived.clear();
  await pool.query("truncate webhook_messages");
  return { messages, doubled, lost };
}

/**
 * Returns what breaks the promise of a graceful end; empty when it holds. On a machine that may be too slow for the time
 * limits of the services, an answer of 500 breaks nothing.
 */
export function stopBreaches(
  result: StopResult,
  { mayDouble = false }: Stop,
  { mayBeSlow }: { mayBeSlow: boolean },
): string[] {
  const { unanswered, refused, webhooks, verdict, unrecovered } = result;
  const doubled = [...verdict.doubled.values()].reduce((total, count) => total + count, 0);
  const list = breaches(result);
  const say = (count: number, what: string) => {
    if (count > 0) list.push(`${count} ${what}`);
  };
  const failed = mayBeSlow ? unanswered : [...unanswered, ...refused];
  say(failed.length, `failed requests: ${[...new Set(failed)].slice(0, 5).join(", ")}`);
  if (failed.length > 0) list.push(...result.errors);
  say(webhooks.lost, "webhook messages lost");
  say(unrecovered, "reconnections of browsers without recovery");
  if (!mayDouble) say(doubled + webhooks.doubled, "sent twice");
  if (webhooks.messages === 0) list.push("no webhook message was sent");
  return list;
}
