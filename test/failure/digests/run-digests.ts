import { setTimeout as sleep } from "node:timers/promises";
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
import { atRest } from "../streams.ts";
import { acceptLoad, putDigestTemplates, windowsOf } from "./digest-load.ts";
import { keepMails } from "./digest-mails.ts";
import { type DigestVerdict, judgeDigests } from "./digest-verdict.ts";

interface DigestRunOptions extends KillRunOptions {
  windowSeconds: number;
}

interface DigestRun {
  verdict: DigestVerdict;
  kills: Kills;
  acceptedInMs: number;
  /** How late the messages of a few events were afterwards, with nothing else to do, in milliseconds, in order. */
  idleLateMs: number[];
}

const IDLE_EVENTS = 100;
/** The time within which a late duplicate would arrive. */
const AFTERMATH_MS = 1_000;

/**
 * Events of 50 users over fixed and sliding windows, through two dispatchers and two senders, with one kill after
 * the other as long as they come; then all comes to rest and is held against what was accepted.
 */
export async function runDigests(t: Cleanup, options: DigestRunOptions): Promise<DigestRun> {
  const { seed, events, perSecond, windowSeconds, killEveryMs, drainMs } = options;
  const world = await createKillWorld(t);
  const windows = windowsOf(windowSeconds);
  await putDigestTemplates(world, windows);
  let heard: (() => void)[] = [];
  const mails = keepMails(world.vendors, () => {
    for (const hear of heard) hear();
    heard = [];
  });

  const victims: Victim[] = [
    { service: "dispatcher" },
    { service: "email-sender", nextCall: () => new Promise((resolve) => heard.push(resolve)) },
  ];
  await startReplicas(world, victims);
  const killing = { victims, random: seededRandom(seed), everyMs: killEveryMs };
  const { kills, load } = await underKills(world, killing, async (until) => {
    const load = await acceptLoad(world, windows, {
      ...{ count: events, perSecond, label: "kills", until },
    });
    // The last windows end under kills, too.
    await sleep(windowSeconds * 1000);
    return load;
  });
  await atRest(world, drainMs);

  const { lateMs } = await judgeDigests(world.pool, load.ids, mails);

  const few = { count: IDLE_EVENTS, perSecond: IDLE_EVENTS, label: "idle" };
  const idle = await acceptLoad(world, windows, few);
  await atRest(world, drainMs);
  await sleep(AFTERMATH_MS);
  const verdict = await judgeDigests(world.pool, [...load.ids, ...idle.ids], mails);
  const ofIdle = [...verdict.lateMs].filter(([id]) => !lateMs.has(id)).map(([, late]) => late);
  const idleLateMs = ofIdle.sort((one, other) => one - other);
  return { verdict, kills, acceptedInMs: load.tookMs, idleLateMs };
}

/** A report for people, one fact per line. */
export function digestFigures({ verdict, kills, acceptedInMs, idleLateMs }: DigestRun): string[] {
  const late = [...verdict.lateMs.values()].sort((one, other) => one - other);
  const spread = (of: readonly number[]) =>
    `${of.at(of.length >> 1)?.toFixed(0)} ms in the middle, ${of.at(-1)?.toFixed(0)} ms at most`;
  return [
    `${verdict.events} events, accepted in ${(acceptedInMs / 1000).toFixed(0)} s, in ${verdict.messages} messages`,
    killFigure(kills),
    `doubled: ${verdict.doubled}, each with an attempt of which nobody knew the end`,
    `after the window's end: ${spread(late)}; with nothing else to do: ${spread(idleLateMs)}`,
  ];
}
