import { setTimeout as sleep } from "node:timers/promises";
import type { Cleanup } from "@belfry/testing/cleanup";
import { whileConnectionsDie } from "./dying-connections.ts";
import type { OnceOptions } from "./run-once.ts";
import { REPLICAS } from "./services.ts";
import { SHORT } from "./settings.ts";
import { createWorld, type World } from "./world.ts";

/** A service with two replicas, of which either may be killed. */
export interface Victim {
  service: "dispatcher" | "email-sender" | "webhook-sender" | "device-sender";
  /** Resolves with its next call; without it it is killed at any moment. */
  nextCall?: () => Promise<void>;
  env?: Record<string, string>;
}

/** What was killed or cut, and how often. */
export type Kills = Record<string, number>;

export interface KillRunOptions extends OnceOptions {
  /** From a kill to the next, at most. */
  killEveryMs: number;
  drainMs: number;
}

interface KillOptions {
  victims: readonly Victim[];
  random: () => number;
  /** Of one kill to the next, at most. */
  everyMs: number;
  signal: AbortSignal;
  /** Once each has had its turn. */
  onRound?(): void;
}

/** Calls take 150 ms: before the answer, and between the answer and what is written of it. */
const CALL_MS = 200;
const CUT_MS = 1_500;

function replicasOf({ service }: Victim): [string, string] {
  return [service, `${service} 2`];
}

const STAYS = ["dispatcher", "email-sender"];

/** A world with one dispatcher and one sender of mail: what kills do is seen at the vendor. */
export async function createKillWorld(t: Cleanup): Promise<World> {
  const world = await createWorld(t, SHORT);
  for (const name of Object.keys(REPLICAS)) {
    if (!STAYS.includes(name)) await world.services.stop(name);
  }
  return world;
}

/** For people. */
export function killFigure(kills: Kills): string {
  const killed = Object.entries(kills).map(([what, times]) => `${what} ${times} times`);
  return `killed or cut: ${killed.join(", ")}`;
}

/** Two replicas of each; those that the world has started stay. */
export async function startReplicas({ services }: World, victims: readonly Victim[]) {
  const missing = victims.flatMap((victim) =>
    replicasOf(victim)
      .filter((name) => !STAYS.includes(name))
      .map((name) => services.startMore(name, victim.service, victim.env)),
  );
  await Promise.all(missing);
}

/** The load while the victims are killed in turn; it is told of the end of the first round. */
export async function underKills<Load>(
  world: World,
  options: Pick<KillOptions, "victims" | "random" | "everyMs">,
  begin: (firstRound: Promise<void>) => Promise<Load>,
): Promise<{ kills: Kills; load: Load }> {
  const done = new AbortController();
  const round = Promise.withResolvers<void>();
  const killing = killInTurn(world, { ...options, signal: done.signal, onRound: round.resolve });
  // Without a round there is no end to the load: what ends the killing ends all.
  const early = killing.then((): never => {
    throw new Error("the killing ended before its time");
  });
  const load = await Promise.race([begin(round.promise), early]);
  done.abort();
  return { kills: await killing, load };
}

/**
 * Until the signal, in turn: kill -9 of either replica of each victim, while it makes a call where it makes some, of
 * nats-server, and connections to Postgres that die under one write in ten. Each is healed before the next.
 */
async function killInTurn(world: World, options: KillOptions): Promise<Kills> {
  const { nats, pool, settings } = world;
  const { victims, random, everyMs, signal, onRound } = options;
  const kills: Kills = {};
  const turns = new Map<string, () => Promise<boolean>>();
  for (const victim of victims) {
    const { service, nextCall } = victim;
    turns.set(nextCall === undefined ? service : `${service} in a call`, async () => {
      if (nextCall !== undefined) {
        await Promise.race([nextCall(), aborted(signal)]);
        if (signal.aborted) return false;
        await sleep(random() * CALL_MS);
      }
      await killOne(world, victim, random);
      return true;
    });
  }
  turns.set("nats-server", async () => {
    await nats.kill();
    await sleep(settings.restartMs);
    await nats.start();
    return true;
  });
  turns.set("Postgres' connections", async () => {
    await whileConnectionsDie(pool, () => sleep(CUT_MS));
    return true;
  });
  while (!signal.aborted) {
    for (const [what, turn] of turns) {
      if (signal.aborted) break;
      if (await turn()) kills[what] = (kills[what] ?? 0) + 1;
      await Promise.race([sleep(random() * everyMs), aborted(signal)]);
    }
    if (!signal.aborted) onRound?.();
  }
  return kills;
}

async function killOne({ services, settings }: World, victim: Victim, random: () => number) {
  const [one, other] = replicasOf(victim);
  const name = random() < 0.5 ? one : other;
  await services.kill(name);
  await sleep(settings.restartMs);
  await services.startMore(name, victim.service, victim.env);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
}
