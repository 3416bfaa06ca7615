import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { quickStart } from "@belfry/testing/quick-start";

const MAIN = join(import.meta.dirname, "../src/main.ts");
const RESIDENT = join(import.meta.dirname, "resident.ts");

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface Surroundings {
  /** The whole of it. */
  env: Record<string, string>;
  /** Standard input. */
  input?: string;
  cwd?: string;
  /** Kills the process once it resolves, for one of its own. */
  killedAt?: Promise<unknown>;
}

export interface ResidentCommand extends Surroundings {
  args: string[];
}

/** Child processes that have nothing to do. */
const idle: ChildProcess[] = [];

/**
 * For tests: the command line in another process, to its end, with this environment and no other. The
 * process stays for the next command: starting takes five times as long as what most commands do. With
 * `NODE_OPTIONS`, which only a start reads, it is a process of its own.
 */
export async function runBelfry(args: string[], surroundings: Surroundings): Promise<Ended> {
  if (surroundings.env.NODE_OPTIONS !== undefined)
    return await runBelfryProcess(args, surroundings);
  const resident = idle.pop() ?? startResident();
  resident.ref();
  resident.channel?.ref();
  resident.send({ args, ...surroundings } satisfies ResidentCommand);
  const gone = new AbortController();
  const [ended] = await Promise.race([
    once(resident, "message", { signal: gone.signal }),
    once(resident, "exit", { signal: gone.signal }).then(([code, signal]) => {
      throw new Error(`belfry ${args.join(" ")} ended its process: ${code ?? signal}`);
    }),
  ]).finally(() => gone.abort());
  resident.unref();
  resident.channel?.unref();
  idle.push(resident);
  return ended as Ended;
}

/** The same in a process of its own, as it is typed. */
export async function runBelfryProcess(
  args: string[],
  { env, input = "", cwd, killedAt }: Surroundings,
): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd, env: { ...quickStart(), ...env } });
  const closed = once(child, "close");
  child.stdin.end(input);
  void killedAt?.then(() => child.kill("SIGKILL"));
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, out, err };
}

/** It ends with this process, whose end its channel tells. */
function startResident(): ChildProcess {
  return spawn(process.execPath, [RESIDENT], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: quickStart(),
  });
}
