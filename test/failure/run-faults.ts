import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { Cleanup } from "@belfry/testing/cleanup";
import { between } from "../docs/markdown.ts";
import { openBrowsers } from "./browsers.ts";
import type { Fault } from "./faults.ts";
import { type FaultResult, judgeNow, runFault } from "./run-fault.ts";
import { type FailureSettings, LONG, SHORT } from "./settings.ts";
import { breaches, doubleCauses, faultTable, lateBreaches, seconds } from "./table.ts";
import type { AnyWorld } from "./world.ts";

const DOCUMENT = new URL("../../docs/delivery-contract.md", import.meta.url);

/**
 * Runs every fault, one at a time, under load, against the services as they are delivered, and writes the table of
 * docs/delivery-contract.md between the marks `mark`. `--only <regular expression>`, `--short` (short waits),
 * `--seed <number>`. Ends with 1 when anything was lost, or sent though refused, or doubled for no documented cause.
 */
export async function runFaults<W extends AnyWorld>(run: {
  faults: readonly Fault<W>[];
  createWorld: (t: Cleanup, settings: FailureSettings) => Promise<W>;
  mark: string;
  /** The paragraph above the table. */
  introduction: string;
}): Promise<never> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      short: { type: "boolean", default: false },
      seed: { type: "string" },
    },
  });
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
  const faults = run.faults.filter(({ name }) => new RegExp(values.only ?? "").test(name));
  const say = (line: string) => process.stdout.write(`${line}\n`);

  const main = async () => {
    await using resources = new AsyncDisposableStack();
    const t = { after: (fn: () => Promise<void>) => resources.defer(fn) };
    say(`seed ${seed}, ${faults.length} faults`);
    const world = await run.createWorld(t, values.short ? SHORT : LONG);
    const browsers = await openBrowsers(t, world);
    const results: FaultResult[] = [];
    let holds = true;
    for (const [at, fault] of faults.entries()) {
      const result = await runFault(world, browsers, fault, { label: `f${at}`, seed: seed + at });
      results.push(result);
      const broken = breaches(result);
      holds &&= broken.length === 0;
      const state = broken.length === 0 ? "holds" : broken.join("; ");
      say(`${fault.name}: ${state} (${seconds(result.tookMs)})`);
    }
    const entries = results.flatMap((result) => result.entries);
    const late = lateBreaches(await judgeNow(world, browsers, entries, 0), results);
    holds &&= late.length === 0;
    const unrecovered = browsers.reduce((total, browser) => total + browser.unrecovered, 0);
    const table = faultTable(results);
    const causes = doubleCauses(results);
    for (const lines of [[""], [table], [""], causes, late]) for (const line of lines) say(line);
    say(`reconnections of browsers without recovery: ${unrecovered}`);
    if (values.only !== undefined || values.short || !holds) return holds;
    const text = [
      run.introduction,
      "",
      table,
      "",
      ...(causes.length === 0 ? [] : ["Where the doubles come from:", ""]),
      ...causes.map((cause) => `- ${cause}`),
      ...(causes.length === 0 ? [] : [""]),
      "In every row: nothing that was answered 4xx or 429 was sent, every request was answered within 5 s, no publication came twice to a browser, and everything came back without a hand.",
      "",
      `Seed: ${seed}.`,
    ];
    const page = await readFile(DOCUMENT, "utf8");
    await writeFile(DOCUMENT, between(page, run.mark, text.join("\n")));
    return holds;
  };
  process.exit((await main()) ? 0 : 1);
}
