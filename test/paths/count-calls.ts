import { writeFileSync } from "node:fs";
import { countCalls } from "./called-files.ts";

/**
 * Loaded before a service: SIGUSR2 begins to count, and the file `$CALLED_FILES.<pid>` then says "counting";
 * the next SIGUSR2 writes the names of the called files into it, as JSON.
 */
// biome-ignore lint/style/noProcessEnv: set by the test
const file = `${process.env.CALLED_FILES}.${process.pid}`;
let end: (() => string[]) | undefined;

process.on("SIGUSR2", () => {
  if (end === undefined) {
    end = countCalls();
    writeFileSync(file, "counting");
  } else {
    const called = end();
    end = undefined;
    writeFileSync(file, JSON.stringify(called));
  }
});
