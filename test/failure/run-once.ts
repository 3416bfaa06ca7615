import { parseArgs } from "node:util";
import type { Cleanup } from "@belfry/testing/cleanup";

export interface OnceOptions {
  seed: number;
  events: number;
  perSecond: number;
  /** A commit, for a run that compares versions. */
  from?: string;
}

/**
 * One run by the command line, `--events <number>`, `--per-second <number>`, `--seed <number>`, `--from <commit>`:
 * prints its lines and its breaches, and ends with 1 when there is one.
 */
export async function runOnce(
  usual: { events: number; perSecond: number },
  run: (t: Cleanup, options: OnceOptions) => Promise<{ figures: string[]; breaches: string[] }>,
): Promise<never> {
  const { values } = parseArgs({
    options: {
      events: { type: "string", default: String(usual.events) },
      "per-second": { type: "string", default: String(usual.perSecond) },
      seed: { type: "string" },
      from: { type: "string" },
    },
  });
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const main = async () => {
    await using resources = new AsyncDisposableStack();
    say(`seed ${seed}`);
    const { figures, breaches } = await run(
      { after: (fn: () => Promise<void>) => resources.defer(fn) },
      {
        seed,
        events: Number(values.events),
        perSecond: Number(values["per-second"]),
        ...(values.from !== undefined && { from: values.from }),
      },
    );
    for (const line of [...figures, ...breaches]) say(line);
    return breaches.length === 0;
  };
  process.exit((await main()) ? 0 : 1);
}
