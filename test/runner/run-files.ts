import { appendFileSync } from "node:fs";
import { join, relative } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { inspect } from "node:util";

/**
 * `node test/runner/run-files.ts '<TestLane as JSON>'`: what `node --test` does, in the order given. That sorts by
 * name, and the longest files would be left for the end, one beside nothing.
 */
export interface TestLane {
  files: string[];
  /** How many files run at a time. */
  concurrency: number;
  timeoutMs: number;
  /** What fails is in this file once more, for the end of the run. */
  failures: string;
  /** Only tests whose name has this part, and of those at least one. */
  name: string | undefined;
}

const lane: TestLane = JSON.parse(process.argv[2]!);
const { files, concurrency, timeoutMs, failures, name: part } = lane;
// biome-ignore lint/style/noProcessEnv: set by the run that starts this
const { BUNDLED_LIBRARIES } = process.env;
const PRELOADED = [join(import.meta.dirname, "whole-output.ts"), BUNDLED_LIBRARIES];
const MAX_LINES = 30;
/** Of each file, the end of what it wrote to standard error. */
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
    // What is around a test fails with it.
    if ((error as { failureType?: string }).failureType === "subtestsFailed") return;
    const told = inspect(error.cause ?? error);
    // A file that did not even begin says why there.
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
