import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const MAIN = join(import.meta.dirname, "main.ts");

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** For tests: the command line in a process of its own, to its end, with this environment and no other. */
export async function runBelfry(
  args: string[],
  { env, input = "", cwd }: { env: Record<string, string>; input?: string; cwd?: string },
): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd,
    // biome-ignore lint/style/noProcessEnv: the run's; half of a start is compiling
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
  });
  const closed = once(child, "close");
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, out, err };
}
