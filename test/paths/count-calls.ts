import { renameSync, writeFileSync } from "node:fs";
import { type Calls, countCalls } from "./called-files.ts";

/**
 * Loaded before a service: SIGUSR2 begins to count, and the file `$CALLED_FILES.<pid>` then says "counting";
 * the next SIGUSR2 writes the counts of calls into it, as JSON.
 */
// biome-ignore lint/style/noProcessEnv: set by the test
const file = `${process.env.CALLED_FILES}.${process.pid}`;
let end: (() => Calls) | undefined;

process.on("SIGUSR2", () => {
  if (end === undefined) {
    end = countCalls();
    write("counting");
  } else {
    const calls = end();
    end = undefined;
    write(JSON.stringify(calls));
  }
});

/** Renames a finished file, so that the test never reads a part of it. */
function write(text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
