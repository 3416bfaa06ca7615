/**
 * `pnpm bench <name>|all`: real processes on loopback. Each benchmark prints its rounds, and as its last
 * line one JSON object; the figures are kept in `test/bench/results.json` and the table of docs/performance.md
 * is written anew. `pnpm bench table` writes the table alone.
 */
import { resolve } from "node:path";
import { type BenchOptions, readBenchOptions } from "./bench-options.ts";
import {
  type BenchName,
  keepResult,
  type Results,
  readEnvironment,
  readResults,
} from "./results.ts";
import { writeTable } from "./write-table.ts";

const RESULTS = resolve(import.meta.dirname, "results.json");
const BENCHES: {
  [Name in BenchName]: () => Promise<{
    run(options: BenchOptions): Promise<NonNullable<Results[Name]>["result"]>;
  }>;
} = {
  ingest: () => import("./ingest.ts"),
  dispatch: () => import("./dispatch.ts"),
  email: () => import("./email.ts"),
  realtime: () => import("./realtime.ts"),
  "end-to-end": () => import("./end-to-end.ts"),
  broadcast: () => import("./broadcast-neighbours.ts"),
};

const [name = "", ...args] = process.argv.slice(2);
const names = name === "all" ? (Object.keys(BENCHES) as BenchName[]) : [name as BenchName];
if (name === "table") {
  await writeTable(await readResults(RESULTS));
} else if (names.every((one) => one in BENCHES)) {
  const options = readBenchOptions(args, RESULTS);
  for (const one of names) await runBench(one, options);
} else {
  process.stderr.write(`usage: pnpm bench ${Object.keys(BENCHES).join("|")}|all|table\n`);
  process.exitCode = 1;
}

async function runBench(one: BenchName, options: BenchOptions): Promise<void> {
  const environment = await readEnvironment();
  process.stdout.write(`\n${one} (${environment.commit}, ${environment.at})\n`);
  const result = await (await BENCHES[one]()).run(options);
  process.stdout.write(`${JSON.stringify(result)}\n`);
  const { resultsFile } = options;
  if (resultsFile === undefined) return;
  await keepResult(resultsFile, one, { environment, result } as Results[typeof one]);
  if (resultsFile === RESULTS) await writeTable(await readResults(RESULTS));
}
