import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const HAS_PROC = process.platform === "linux";
const POLL_MS = 1000;
const PACKAGE_MANAGER = /^(\S*\/)?(pnpm|npm|npx|corepack|node \S*(pnpm|npm|npx|corepack)\S*)( |$)/;
const SHELL = /^(\S*\/)?(sh|bash|dash|zsh)( |$)/;

/** Looks up processes; tests replace it. */
export interface ProcessLookup {
  parentOf(pid: number): Promise<number | undefined>;
  commandOf(pid: number): Promise<string | undefined>;
}

/**
 * Returns the process ids that started us for `npx pnpm start`: from our parent up to the highest package manager, with
 * only shells in between. The list is empty if no package manager is among them. It does not contain the shell in which
 * somebody typed the command, because that shell may end earlier.
 */
export async function parentChain(pid: number, lookup: ProcessLookup = { parentOf, commandOf }) {
  const above: number[] = [];
  let length = 0;
  let at = await lookup.parentOf(pid);
  while (at !== undefined && at > 1) {
    const command = (await lookup.commandOf(at)) ?? "";
    const isManager = PACKAGE_MANAGER.test(command);
    if (!isManager && !SHELL.test(command)) break;
    above.push(at);
    if (isManager) length = above.length;
    at = await lookup.parentOf(at);
  }
  return above.slice(0, length);
}

/** Calls `onBroken` once when any process of the chain has ended. Its child then has a new parent. */
export function watchChain(
  pid: number,
  chain: readonly number[],
  onBroken: () => void,
): Disposable {
  const pairs = chain.map((parent, index) => ({ child: chain[index - 1] ?? pid, parent }));
  let busy = false;
  const timer = setInterval(async () => {
    if (busy) return;
    busy = true;
    for (const { child, parent } of pairs) {
      if ((await parentOf(child)) === parent) continue;
      clearInterval(timer);
      onBroken();
      return;
    }
    busy = false;
  }, POLL_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Returns the parent's process id, or undefined if the process has ended. */
export async function parentOf(pid: number): Promise<number | undefined> {
  if (!HAS_PROC) return numberFrom(await ps(pid, "ppid="));
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  // The command's name, in brackets, may contain any character, so the fields are read after the last bracket.
  return numberFrom(stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

/** Returns the command line with spaces between the words, or undefined if the process has ended or is a zombie. */
export async function commandOf(pid: number): Promise<string | undefined> {
  if (!HAS_PROC) return (await ps(pid, "args="))?.trim() || undefined;
  const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => undefined);
  return line?.replaceAll("\0", " ").trim() || undefined;
}

async function ps(pid: number, column: string): Promise<string | undefined> {
  const found = await run("ps", ["-o", column, "-p", String(pid)]).catch(() => undefined);
  return found?.stdout;
}

function numberFrom(text: string | undefined): number | undefined {
  const value = Number(text?.trim());
  return Number.isInteger(value) && value > 0 ? value : undefined;
}
