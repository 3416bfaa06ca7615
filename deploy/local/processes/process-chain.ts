import { commandOf, parentOf } from "./process-table.ts";

const POLL_MS = 1000;
const PACKAGE_MANAGER = /^(\S*\/)?(pnpm|npm|npx|corepack|node \S*(pnpm|npm|npx|corepack)\S*)( |$)/;
const SHELL = /^(\S*\/)?(sh|bash|dash|zsh)( |$)/;

/** Looks a process up; replaced in tests. */
export interface ProcessLookup {
  parentOf(pid: number): Promise<number | undefined>;
  commandOf(pid: number): Promise<string | undefined>;
}

/**
 * Who started us for `npx pnpm start`: from our parent up to the highest package manager with nothing
 * but shells between. Empty when no package manager is above. The shell or program that somebody typed
 * the command in is no part of it: it may go away.
 */
export async function startChain(pid: number, lookup: ProcessLookup = { parentOf, commandOf }) {
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

/** Calls back once when any process of the chain has ended: the one below it has a new parent then. */
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
