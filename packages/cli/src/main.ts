import { errorText } from "./command-error.ts";
import { createProgram } from "./program.ts";

// A reader such as `head` may leave before the end.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

// `pnpm belfry -- tenant list` hands over the dashes as well.
const [, , ...given] = process.argv;
const args = given[0] === "--" ? given.slice(1) : given;

try {
  const program = await createProgram(args);
  await program.parseAsync(args, { from: "user" });
} catch (error) {
  process.stderr.write(`${errorText(error)}\n`);
  process.exitCode = 1;
}
