import { Buffer } from "node:buffer";
import { open } from "node:fs/promises";
import { fileText } from "@belfry/administration/file-text";
import { CommandError } from "./command-error.ts";

/** In bytes. More than any accepted file may have, but little enough to stop at a file that was named by mistake. */
const MAX_BYTES = 2 * 1024 * 1024;

/** The flag that reads a stream such as standard input. A stream can be read only once. */
const takenBy = new WeakMap<AsyncIterable<unknown>, string>();

/** Reads a file, or standard input if the path is `-`, up to 2 MiB. Errors name the flag. */
export async function readBytes(flag: string, path: string): Promise<Uint8Array> {
  return path === "-" ? await readStandardInput(flag) : await readFileBytes(flag, path);
}

/** Like `readBytes`, but returns the text, without a byte order mark and with \n as line end. */
export async function readInput(flag: string, path: string): Promise<string> {
  const bytes = await readBytes(flag, path);
  try {
    return fileText(bytes);
  } catch {
    throw new CommandError(`${flag}: ${name(path)} is not UTF-8 text`);
  }
}

/** Like `readInput`, but drops the line end that editors and `echo` add. */
export async function readSecretInput(flag: string, path: string): Promise<string> {
  return (await readInput(flag, path)).replace(/\n$/, "");
}

/** Like `readInput`, but parses a JSON object. */
export async function readJsonInput(flag: string, path: string): Promise<Record<string, unknown>> {
  const text = await readInput(flag, path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which may hold a secret.
    throw new CommandError(`${flag}: ${name(path)} is not JSON`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new CommandError(`${flag}: ${name(path)} must hold a JSON object`);
  }
  return value as Record<string, unknown>;
}

/**
 * Reads a file, or standard input if the path is `-`, without a limit of size. Opens the file at the first read. Errors
 * name the flag.
 */
export async function* inputBytes(flag: string, path: string): AsyncGenerator<Uint8Array> {
  if (path === "-") {
    takeStandardInput(flag);
    yield* process.stdin;
    return;
  }
  try {
    await using file = await open(path, "r");
    yield* file.createReadStream({ autoClose: false });
  } catch (cause) {
    throw unreadable(flag, path, cause);
  }
}

async function readFileBytes(flag: string, path: string): Promise<Uint8Array> {
  try {
    await using file = await open(path, "r");
    return await collect(flag, path, file.createReadStream({ autoClose: false }));
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw unreadable(flag, path, cause);
  }
}

function unreadable(flag: string, path: string, cause: unknown): CommandError {
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  return new CommandError(`${flag}: cannot read ${path}: ${REASONS[code] ?? code}`, { cause });
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EISDIR: "it is a folder",
};

async function readStandardInput(flag: string): Promise<Uint8Array> {
  takeStandardInput(flag);
  return await collect(flag, "-", process.stdin);
}

function takeStandardInput(flag: string): void {
  const other = takenBy.get(process.stdin);
  if (other !== undefined) {
    throw new CommandError(`${flag}: standard input (-) is taken by ${other}`);
  }
  takenBy.set(process.stdin, flag);
}

async function collect(flag: string, path: string, stream: AsyncIterable<Uint8Array>) {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new CommandError(`${flag}: ${name(path)} is larger than 2 MiB`);
  }
  return Buffer.concat(chunks);
}

function name(path: string): string {
  return path === "-" ? "standard input" : path;
}
