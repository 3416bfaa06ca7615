import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { openBrowsers } from "./browsers.ts";
import { FAULTS } from "./faults.ts";
import { type FaultResult, runFault } from "./run-fault.ts";
import { LONG, SHORT } from "./settings.ts";
import { breaches, doubleCauses, markdownTable, seconds } from "./table.ts";
import { createWorld } from "./world.ts";

/**
 * `pnpm failure`: every fault, one at a time, under load, against the services as they are delivered;
 * writes docs/failure-table.md. `--only <regular expression>`, `--short` (short waits), `--seed <number>`.
 * Ends with 1 when anything was lost, or sent though refused, or doubled for no documented cause.
 */

const DOCUMENT = new URL("../../docs/failure-table.md", import.meta.url);

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    short: { type: "boolean", default: false },
    seed: { type: "string" },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const faults = FAULTS.filter(({ name }) => new RegExp(values.only ?? "").test(name));
const say = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<boolean> {
  await using resources = new AsyncDisposableStack();
  const t = { after: (fn: () => Promise<void>) => resources.defer(fn) };
  say(`seed ${seed}, ${faults.length} faults`);
  const world = await createWorld(t, values.short ? SHORT : LONG);
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
  const unrecovered = browsers.reduce((total, browser) => total + browser.unrecovered, 0);
  const table = markdownTable(results);
  const causes = doubleCauses(results);
  say(`\n${table}\n\n${causes.join("\n")}\nreconnections without recovery: ${unrecovered}`);
  if (values.only === undefined && !values.short && holds) await writeDocument(table, causes);
  return holds;
}

async function writeDocument(table: string, causes: string[]): Promise<void> {
  const lines = [
    "<!-- Written by `pnpm failure`; run it again rather than edit this. -->",
    "",
    table,
    "",
    ...causes.map((cause) => `- ${cause}`),
    "",
    `Load: ${LONG.perSecond} events a second on all channels from two tenants, and a third that is over its limit. Seed: ${seed}.`,
    "",
  ];
  await writeFile(DOCUMENT, lines.join("\n"));
}

const holds = await main();
process.exit(holds ? 0 : 1);
