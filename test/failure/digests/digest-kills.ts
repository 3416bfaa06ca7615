import { setTimeout as sleep } from "node:timers/promises";
import { whileConnectionsDie } from "../dying-connections.ts";
import type { World } from "../world.ts";

/** What was done to it, and how often. */
export type Kills = Record<
  "dispatcher" | "sender in a call" | "nats-server" | "Postgres' connections",
  number
>;

interface KillOptions {
  random: () => number;
  /** Resolves with the next request to the vendor. */
  nextCall(): Promise<void>;
  /** Of one kill to the next, at most. */
  everyMs: number;
  signal: AbortSignal;
  /** Once each has had its turn. */
  onRound?(): void;
}

const SECOND = { dispatcher: "dispatcher 2", "email-sender": "email-sender 2" } as const;
/** Calls take 150 ms: before the answer, and between the answer and what is written of it. */
const CALL_MS = 200;
const CUT_MS = 1_500;

/** A second dispatcher and a second sender. */
export async function startSeconds({ services }: World): Promise<void> {
  await Promise.all(
    (["dispatcher", "email-sender"] as const).map((name) => services.startMore(SECOND[name], name)),
  );
}

/**
 * Until the signal, in turn: kill -9 of either dispatcher, of either sender while the vendor has a call, of
 * nats-server, and connections to Postgres that die under one write in ten. Each is healed before the next.
 */
export async function killInTurn(world: World, options: KillOptions): Promise<Kills> {
  const { nats, pool, settings } = world;
  const { random, nextCall, everyMs, signal, onRound } = options;
  const kills: Kills = {
    dispatcher: 0,
    "sender in a call": 0,
    "nats-server": 0,
    "Postgres' connections": 0,
  };
  const turns: (() => Promise<void>)[] = [
    async () => {
      await killOne(world, "dispatcher", random);
      kills.dispatcher += 1;
    },
    async () => {
      await Promise.race([nextCall(), aborted(signal)]);
      if (signal.aborted) return;
      await sleep(random() * CALL_MS);
      await killOne(world, "email-sender", random);
      kills["sender in a call"] += 1;
    },
    async () => {
      await nats.kill();
      await sleep(settings.restartMs);
      await nats.start();
      kills["nats-server"] += 1;
    },
    async () => {
      await whileConnectionsDie(pool, () => sleep(CUT_MS));
      kills["Postgres' connections"] += 1;
    },
  ];
  for (let turn = 0; !signal.aborted; turn += 1) {
    await turns[turn % turns.length]!();
    if ((turn + 1) % turns.length === 0) onRound?.();
    await Promise.race([sleep(random() * everyMs), aborted(signal)]);
  }
  return kills;
}

async function killOne(
  { services, settings }: World,
  service: "dispatcher" | "email-sender",
  random: () => number,
): Promise<void> {
  const isFirst = random() < 0.5;
  await services.kill(isFirst ? service : SECOND[service]);
  await sleep(settings.restartMs);
  if (isFirst) await services.restart(service);
  else await services.startMore(SECOND[service], service);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
}
