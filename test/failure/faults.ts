import { setTimeout as sleep } from "node:timers/promises";
import { whileConnectionsDie } from "./dying-connections.ts";
import { whileFrozen } from "./freeze.ts";
import { REPLICAS, type ReplicaName } from "./services.ts";
import { withEverythingTwice, withFullStreams } from "./streams.ts";
import type { VendorMood } from "./vendors.ts";
import type { World } from "./world.ts";

/** One thing that goes wrong under load, and its end. What comes after that comes by itself. */
export interface Fault<W = World> {
  name: string;
  /** No caller is answered 500 because of it. */
  unnoticed?: boolean;
  /** One of the few of the short form. */
  short?: boolean;
  /** Causes doubles: each of them has to have its documented cause. */
  run(world: W): Promise<void>;
}

const MINUTE_MS = 60_000;

const killed = (name: ReplicaName, more: Partial<Fault> = {}): Fault => ({
  name: `kill -9 ${name === "ingest-api" ? "one of two ingest-api" : name}, restart`,
  async run({ services, settings }) {
    await services.kill(name);
    await sleep(settings.restartMs);
    await services.restart(name);
  },
  ...more,
});

const mood = (mood: VendorMood, name: string, more: Partial<Fault> = {}): Fault => ({
  name,
  async run({ vendors, settings }) {
    vendors.mood = mood;
    await sleep(mood === "hangs" ? settings.hangMs : settings.faultMs);
    vendors.mood = "accepts";
  },
  ...more,
});

/** In the order of the table; each leaves everything as it was. */
export const FAULTS: readonly Fault[] = [
  { name: "none", run: ({ settings }) => sleep(settings.faultMs) },
  killed("ingest-api"),
  killed("dispatcher"),
  killed("email-sender", { short: true }),
  killed("sms-sender"),
  killed("realtime-gateway"),
  {
    name: "kill -9 nats-server, restart",
    async run({ nats, settings }) {
      await nats.kill();
      await sleep(settings.restartMs);
      await nats.start();
    },
  },
  {
    name: "kill -9 Postgres, restart",
    short: true,
    async run({ postgres, settings }) {
      await postgres.kill();
      await sleep(settings.restartMs);
      await postgres.start();
    },
  },
  {
    name: "nats-server stopped for a while",
    async run({ nats, settings }) {
      await nats.stop();
      await sleep(settings.awayMs);
      await nats.start();
    },
  },
  {
    name: "Postgres stopped for a while",
    async run({ postgres, settings }) {
      await postgres.stop();
      await sleep(settings.awayMs);
      await postgres.start();
    },
  },
  {
    name: "connections to Postgres die under one write in ten, with a backlog to send",
    async run({ services, pool, settings }) {
      const senders = ["email-sender", "sms-sender"] as const;
      await Promise.all(["dispatcher" as const, ...senders].map((name) => services.stop(name)));
      await sleep(settings.faultMs);
      // Dispatched together they share messages, and of these most waits: few calls at a time.
      await services.restart("dispatcher");
      const few = { CONCURRENCY: "4" };
      await Promise.all(senders.map((name) => services.restart(name, few)));
      await whileConnectionsDie(pool, () => sleep(settings.faultMs));
      for (const name of senders) await services.roll(name);
    },
  },
  {
    name: "nats-server frozen",
    run: ({ nats, settings }) =>
      whileFrozen("nats-server", nats.storeDir, () => sleep(settings.frozenMs)),
  },
  {
    name: "Postgres frozen",
    run: ({ postgres, settings }) =>
      whileFrozen("postgres", `port=${new URL(postgres.url).port}`, () => sleep(settings.frozenMs)),
  },
  {
    name: "the NATS store lost whole, with work in it",
    short: true,
    async run({ nats, services, settings }) {
      // Their ids rest in the streams, first those of deliveries, then those of events.
      await services.stop("email-sender");
      await sleep(settings.restartMs);
      await services.stop("dispatcher");
      await sleep(settings.restartMs);
      await nats.kill();
      await nats.start({ empty: true });
      await Promise.all([services.restart("email-sender"), services.restart("dispatcher")]);
    },
  },
  {
    name: "one of two email-senders frozen past its ack wait",
    short: true,
    async run({ services, settings }) {
      const other = await services.startMore("email-sender 2", "email-sender");
      const frozen = services.process("email-sender");
      frozen.signal("SIGSTOP");
      await sleep(settings.freezeMs);
      frozen.signal("SIGCONT");
      await other.stop();
    },
  },
  mood("cut", "the vendors cut connections in mid-answer"),
  mood("throttled", "the vendors answer 429"),
  mood("broken", "the vendors answer 500", { short: true }),
  mood("hangs", "the vendors hang"),
  {
    name: "the JetStream quota is full",
    run: (world) => withFullStreams(world, () => sleep(world.settings.faultMs)),
  },
  {
    name: "every message delivered twice",
    short: true,
    run: (world) => withEverythingTwice(world, () => sleep(world.settings.faultMs)),
  },
  {
    name: "clocks 10 min ahead (one ingest-api, email-sender) and behind (dispatcher)",
    async run({ services, settings }) {
      const shifted = (shiftMs: number) => ({
        NODE_OPTIONS: `--import=${new URL("shift-clock.ts", import.meta.url).href}`,
        CLOCK_SHIFT_MS: String(shiftMs),
      });
      await services.roll("ingest-api", shifted(10 * MINUTE_MS));
      await services.roll("email-sender", shifted(10 * MINUTE_MS));
      await services.roll("dispatcher", shifted(-10 * MINUTE_MS));
      await sleep(settings.faultMs);
      for (const name of ["ingest-api", "email-sender", "dispatcher"] as const) {
        await services.roll(name);
      }
    },
  },
  {
    name: "every service rolled (a new one up first, then SIGTERM)",
    async run({ services }) {
      for (const name of Object.keys(REPLICAS) as ReplicaName[]) await services.roll(name);
    },
  },
];
