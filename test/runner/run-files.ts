import { appendFileSync } from "node:fs";
import { join, relative } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { inspect } from "node:util";

/**
 * `node test/runner/run-files.ts '<TestLane as JSON>'`: runs test files as `node --test` does, but in
 * the given order. `node --test` sorts by name, so that one long file might run alone at the end.
 */
export interface TestLane {
  files: string[];
  /** The number of files that run at the same time. */
  concurrency: number;
  timeoutMs: number;
  /** Failures are also appended to this file, which is printed at the end of the run. */
  failures: string;
  /** Runs only tests whose name contains this text. At least one must exist. */
  name: string | undefined;
}

const lane: TestLane = JSON.parse(process.argv[2]!);
const { files, concurrency, timeoutMs, failures, name: part } = lane;
// biome-ignore lint/style/noProcessEnv: set by the run that starts this
const { BUNDLED_LIBRARIES } = process.env;
const PRELOADED = [join(import.meta.dirname, "whole-output.ts"), BUNDLED_LIBRARIES];
const MAX_LINES = 30;
/** The end of each file's standard error. */
const errors = new Map<string, string>();

let found = 0;

run({
  files,
  concurrency,
  timeout: timeoutMs,
  ...(part === undefined
    ? {}
    : { testNamePatterns: [new RegExp(part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"))] }),
  // A handle that a failed test left open must not hang the run.
  forceExit: true,
  execArgv: PRELOADED.flatMap((module) => (module === undefined ? [] : ["--import", module])),
})
  .on("test:stderr", ({ file, message }) => {
    errors.set(file, ((errors.get(file) ?? "") + message).slice(-4000));
  })
  .on("test:pass", ({ name }) => {
    if (part !== undefined && name.includes(part)) found++;
  })
  .on("test:fail", ({ name, file = "", details: { error } }) => {
    process.exitCode = 1;
    found++;
    // A suite fails with its test: report the test only.
    if ((error as { failureType?: string }).failureType === "subtestsFailed") return;
    const told = inspect(error.cause ?? error);
    // A file that could not be loaded tells the reason on standard error.
    const more = name.endsWith(file) ? `\n${errors.get(file) ?? ""}` : "";
    const tail = `${told}${more}`.split("\n").slice(0, MAX_LINES).join("\n  ");
    appendFileSync(failures, `\nRED: ${relative(process.cwd(), file)}: ${name}\n  ${tail}\n`);
  })
  .on("end", () => {
    if (part === undefined || found > 0) return;
    process.exitCode = 1;
    appendFileSync(failures, `no test's name has "${part}"\n`);
  })
  .compose(new spec())
  .pipe(process.stdout);
