import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { between, markdownTable } from "../../docs/markdown.ts";
import { openBrowsers } from "../browsers.ts";
import { LONG } from "../settings.ts";
import { seconds } from "../table.ts";
import { runStop, STOPS, type StopResult, stopBreaches } from "./run-stop.ts";
import { createStopWorld } from "./stop-world.ts";

const DOCUMENT = new URL("../../../docs/operations/deploy.md", import.meta.url);
/** The chart sets these. */
const SHUTDOWN_DELAY_MS = 10_000;
const PROBE = { periodMs: 3_000, failureThreshold: 2 };

/**
 * Stops the services in turn under load, and writes the table of docs/operations/deploy.md. `--only <regular expression>`,
 * `--per-second <number>`, `--seed <number>`, `--slow` (the machine has other work: an answer of 500 breaks nothing). Returns
 * whether no request failed, and nothing was lost or sent twice.
 */
export async function runStops(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      "per-second": { type: "string", default: "100" },
      seed: { type: "string" },
      slow: { type: "boolean", default: false },
    },
  });
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
  const say = (line: string) => process.stdout.write(`${line}\n`);

  await using resources = new AsyncDisposableStack();
  const t = { after: (fn: () => void | Promise<void>) => resources.defer(async () => fn()) };
  say(`seed ${seed}`);
  const env = { SHUTDOWN_DELAY_MS: String(SHUTDOWN_DELAY_MS) };
  const perSecond = Number(values["per-second"]);
  const world = await createStopWorld(t, { ...LONG, perSecond, env }, PROBE);
  const browsers = await openBrowsers(t, world);
  // Opens connections and compiles code before the first request that counts.
  await runStop(
    world,
    browsers,
    { name: "none", run: () => sleep(5_000, 0) },
    { label: "w", seed },
  );
  const results: StopResult[] = [];
  let holds = true;
  const only = new RegExp(values.only ?? "");
  for (const [at, stop] of STOPS.filter(({ name }) => only.test(name)).entries()) {
    const result = await runStop(world, browsers, stop, { label: `t${at}`, seed: seed + at });
    results.push(result);
    const broken = stopBreaches(result, stop, { mayBeSlow: values.slow });
    holds &&= broken.length === 0;
    const state = broken.length === 0 ? "holds" : broken.join("\n  ");
    say(`${stop.name}: ${state} (${seconds(result.stoppedAfterMs)})`);
  }
  const table = stopTable(results);
  say(table);
  if (values.only === undefined && holds) {
    const page = await readFile(DOCUMENT, "utf8");
    const text = `${introductionOf(perSecond)}\n\n${table}\n\nSeed: ${seed}.`;
    await writeFile(DOCUMENT, between(page, "stops", text));
  }
  return holds;
}

function introductionOf(perSecond: number): string {
  return [
    `Two replicas of each service, under ${perSecond} triggers a second on three channels, a webhook, reads of the inbox and of a page of the Admin UI, and browsers.`,
    `A TCP proxy leads new connections to replicas that are ready (one probe in ${PROBE.periodMs / 1000} s, ${PROBE.failureThreshold} failures); open connections stay with their replica.`,
    `"Ended after" counts from SIGTERM and contains the ${SHUTDOWN_DELAY_MS / 1000} s of \`SHUTDOWN_DELAY_MS\`.`,
    "If a vendor hangs, a call that has no answer is made again, as after any call without an answer. A second SIGTERM ends a process at once, and another sender sends its deliveries again when their leases have ended.",
  ].join(" ");
}

const COLUMNS = [
  "SIGTERM to",
  "requests",
  "no answer",
  "answers 500",
  "lost",
  "sent twice",
  "browsers that reconnected",
  "pushes lost",
  "ended after",
];

function stopTable(results: readonly StopResult[]): string {
  const rows = results.map(({ fault, verdict, webhooks, ...result }) => {
    const pushes = verdict.lost.filter((what) => what.endsWith("PUSH")).length;
    const doubled = [...verdict.doubled.values()].reduce((total, count) => total + count, 0);
    return [
      fault.name,
      String(result.requests),
      String(result.unanswered.length),
      String(result.refused.length),
      String(verdict.lost.length - pushes + webhooks.lost),
      String(doubled + verdict.unexplained.length + webhooks.doubled),
      String(result.reconnections),
      String(pushes),
      seconds(result.stoppedAfterMs),
    ];
  });
  return markdownTable(COLUMNS, rows);
}
