import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { between } from "../docs/markdown.ts";
import { openBrowsers } from "./browsers.ts";
import { FAULTS } from "./faults.ts";
import { type FaultResult, judgeNow, runFault } from "./run-fault.ts";
import { LONG, SHORT } from "./settings.ts";
import { breaches, doubleCauses, faultTable, lateBreaches, seconds } from "./table.ts";
import { createWorld } from "./world.ts";

/**
 * `pnpm failure`: every fault, one at a time, under load, against the services as they are delivered;
 * writes the table of docs/delivery-contract.md. `--only <regular expression>`, `--short` (short waits), `--seed <number>`.
 * Ends with 1 when anything was lost, or sent though refused, or doubled for no documented cause.
 */

const DOCUMENT = new URL("../../docs/delivery-contract.md", import.meta.url);

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
  const entries = results.flatMap((result) => result.entries);
  const late = lateBreaches(await judgeNow(world, browsers, entries, 0), results);
  holds &&= late.length === 0;
  const unrecovered = browsers.reduce((total, browser) => total + browser.unrecovered, 0);
  const table = faultTable(results);
  const causes = doubleCauses(results);
  for (const lines of [[""], [table], [""], causes, late]) for (const line of lines) say(line);
  say(`reconnections of browsers without recovery: ${unrecovered}`);
  if (values.only === undefined && !values.short && holds) await writeDocument(table, causes);
  return holds;
}

async function writeDocument(table: string, causes: string[]): Promise<void> {
  const lines = [
    `One fault at a time, under a steady ${LONG.perSecond} events a second on all channels from two tenants (and a third far over its limit), every service a process of its own with its standard settings; a caller retries a 500 or a broken connection under the same \`X-Idempotency-Key\`. Lost: answered 200, and not at the vendor or in the browser. Doubled: at the vendor more than once, where the vendor may have sent both. Times count from the end of the fault: to the first new event that arrived everywhere, and to the last arrival of an event that was triggered before.`,
    "",
    table,
    "",
    "Where the doubles come from:",
    "",
    ...causes.map((cause) => `- ${cause}`),
    "",
    "In every row: nothing that was answered 4xx or 429 was sent, every request was answered within 5 s, no publication came twice to a browser, and everything came back without a hand.",
    "",
    `Seed: ${seed}.`,
  ];
  const page = await readFile(DOCUMENT, "utf8");
  await writeFile(DOCUMENT, between(page, "failures", lines.join("\n")));
}

const holds = await main();
process.exit(holds ? 0 : 1);
