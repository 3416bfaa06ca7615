/** Ends a command: its text goes to standard error, the exit code is 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
