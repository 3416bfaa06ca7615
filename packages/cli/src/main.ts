import { errorText } from "./command-error.ts";
import { createProgram } from "./program.ts";

// A reader such as `head` may close the pipe before all output is written.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

// `pnpm belfry -- tenant list` passes the dashes to the program, too.
const [, , ...given] = process.argv;
const args = given[0] === "--" ? given.slice(1) : given;

try {
  const program = await createProgram(args);
  await program.parseAsync(args, { from: "user" });
} catch (error) {
  process.stderr.write(`${errorText(error)}\n`);
  process.exitCode = 1;
}
