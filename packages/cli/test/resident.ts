import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Ended, ResidentCommand } from "./run-belfry.ts";

/**
 * The process behind `runBelfry`: runs `main.ts` anew for each command that it is sent, as if it had
 * been started for that, and answers what was written and the exit code once nothing would keep a
 * process alive.
 */

const MAIN = pathToFileURL(join(import.meta.dirname, "../src/main.ts")).href;
const FIRST_FOLDER = process.cwd();
const PIECE_BYTES = 64 * 1024;

let commands = 0;

// Made when they are first asked for: open before the first command, not by it.
process.stdout.write("");
process.stderr.write("");

process.on("message", async (command: ResidentCommand) => {
  process.send?.(await run(command));
});

async function run({ args, env, input = "", cwd }: ResidentCommand): Promise<Ended> {
  const openBefore = openThings();
  process.chdir(cwd ?? FIRST_FOLDER);
  process.env = { ...env };
  process.argv = [process.execPath, MAIN, ...args];
  process.exitCode = undefined;
  const stdin = Readable.from(piecesOf(Buffer.from(input)));
  Object.defineProperty(process, "stdin", { configurable: true, value: stdin });
  const written = { out: "", err: "" };
  process.stdout.write = keeping((text) => (written.out += text));
  process.stderr.write = keeping((text) => (written.err += text));

  const exit = Promise.withResolvers<Ended>();
  process.exit = (code) => {
    exit.resolve({ code: Number(code ?? process.exitCode ?? 0), ...written });
    throw new Error("what follows an exit is not run");
  };
  const toItsEnd = async (): Promise<Ended> => {
    commands += 1;
    await import(`${MAIN}?${commands}`);
    while (openThings() > openBefore) await sleep(1);
    return { code: Number(process.exitCode ?? 0), ...written };
  };
  const ended = await Promise.race([exit.promise, toItsEnd()]);
  // Each run of the program listens anew.
  process.stdout.removeAllListeners("error");
  return ended;
}

/** Splits the input into pieces, as a pipe does. */
function piecesOf(input: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < input.length; at += PIECE_BYTES) {
    pieces.push(input.subarray(at, at + PIECE_BYTES));
  }
  return pieces;
}

function keeping(keep: (text: string) => void): typeof process.stdout.write {
  return (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    keep(Buffer.from(chunk as Uint8Array).toString());
    const done = rest.at(-1);
    if (typeof done === "function") process.nextTick(done);
    return true;
  };
}

/** Counts resources that keep a process alive: connections, timers, files that are being read. */
function openThings(): number {
  return process.getActiveResourcesInfo().length;
}
