import { run } from "node:test";
import { spec } from "node:test/reporters";

/**
 * `node test/run-files.ts <concurrency> <timeout in ms> <files>`: what `node --test` does, in the order
 * given. That sorts by name, and the longest files would be left for the end, one beside nothing.
 */
const [concurrency, timeoutMs, ...files] = process.argv.slice(2);

run({
  files,
  concurrency: Number(concurrency),
  timeout: Number(timeoutMs),
  // A handle that a failed test left open must not hang the run.
  forceExit: true,
})
  .on("test:fail", () => {
    process.exitCode = 1;
  })
  .compose(new spec())
  .pipe(process.stdout);
