import { parseArgs } from "node:util";
import { runWebhooks, webhookFigures } from "./run-webhooks.ts";

/**
 * `pnpm failure:webhooks`: 20,000 mails and notifications of a tenant whose endpoint wants everything, with kill -9 of
 * each part. `--events <number>`, `--per-second <number>`, `--seed <number>`. Ends with 1 when a move has not exactly
 * one message, or a message did not arrive under its id.
 */

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "20000" },
    "per-second": { type: "string", default: "200" },
    seed: { type: "string" },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const say = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<boolean> {
  await using resources = new AsyncDisposableStack();
  const t = { after: (fn: () => Promise<void>) => resources.defer(fn) };
  say(`seed ${seed}`);
  const run = await runWebhooks(t, {
    seed,
    events: Number(values.events),
    perSecond: Number(values["per-second"]),
    killEveryMs: 2_000,
    drainMs: 900_000,
  });
  for (const line of [...webhookFigures(run), ...run.verdict.breaches]) say(line);
  return run.verdict.breaches.length === 0;
}

const holds = await main();
process.exit(holds ? 0 : 1);
