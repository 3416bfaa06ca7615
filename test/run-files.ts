import { appendFileSync } from "node:fs";
import { join, relative } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { inspect } from "node:util";

/**
 * `node test/run-files.ts <concurrency> <timeout in ms> <file for failures> <files>`: what `node --test`
 * does, in the order given. That sorts by name, and the longest files would be left for the end, one
 * beside nothing. What fails is in the file for failures once more, for the end of the run.
 */
const [concurrency, timeoutMs, failures = "", ...files] = process.argv.slice(2);
// biome-ignore lint/style/noProcessEnv: set by the run that starts this
const { BUNDLED_LIBRARIES = "" } = process.env;
const MAX_LINES = 30;
/** Of each file, the end of what it wrote to standard error. */
const errors = new Map<string, string>();

run({
  files,
  concurrency: Number(concurrency),
  timeout: Number(timeoutMs),
  // A handle that a failed test left open must not hang the run.
  forceExit: true,
  execArgv: [join(import.meta.dirname, "whole-output.ts"), BUNDLED_LIBRARIES].flatMap((module) => [
    "--import",
    module,
  ]),
})
  .on("test:stderr", ({ file, message }) => {
    errors.set(file, ((errors.get(file) ?? "") + message).slice(-4000));
  })
  .on("test:fail", ({ name, file = "", details: { error } }) => {
    process.exitCode = 1;
    // What is around a test fails with it.
    if ((error as { failureType?: string }).failureType === "subtestsFailed") return;
    const told = inspect(error.cause ?? error);
    // A file that did not even begin says why there.
    const more = name.endsWith(file) ? `\n${errors.get(file) ?? ""}` : "";
    const tail = `${told}${more}`.split("\n").slice(0, MAX_LINES).join("\n  ");
    appendFileSync(failures, `\nRED: ${relative(process.cwd(), file)}: ${name}\n  ${tail}\n`);
  })
  .compose(new spec())
  .pipe(process.stdout);
