import { parseArgs } from "node:util";
import { digestFigures, runDigests } from "./run-digests.ts";

/**
 * `pnpm failure:digests`: 100,000 events for 50 users over fixed and sliding windows, with kill -9 of each part.
 * `--events <number>`, `--per-second <number>`, `--seed <number>`. Ends with 1 when an event is not in exactly one
 * message, a count is wrong, or a message came before its time or twice for no documented cause.
 */

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "100000" },
    "per-second": { type: "string", default: "600" },
    seed: { type: "string" },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const say = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<boolean> {
  await using resources = new AsyncDisposableStack();
  const t = { after: (fn: () => Promise<void>) => resources.defer(fn) };
  say(`seed ${seed}`);
  const run = await runDigests(t, {
    seed,
    events: Number(values.events),
    perSecond: Number(values["per-second"]),
    windowSeconds: 10,
    killEveryMs: 2_000,
    drainMs: 600_000,
  });
  for (const line of [...digestFigures(run), ...run.verdict.breaches]) say(line);
  return run.verdict.breaches.length === 0;
}

const holds = await main();
process.exit(holds ? 0 : 1);
