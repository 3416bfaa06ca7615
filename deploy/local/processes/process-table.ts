import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const HAS_PROC = process.platform === "linux";

/** The parent's id; undefined when the process is gone. */
export async function parentOf(pid: number): Promise<number | undefined> {
  if (!HAS_PROC) return numberFrom(await ps(pid, "ppid="));
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  // The command's name, in brackets, may hold anything.
  return numberFrom(stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

/** The command line, blanks between the words; undefined when the process is gone or a zombie. */
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
