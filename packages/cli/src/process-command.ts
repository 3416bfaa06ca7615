import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/**
 * The command of a live process; undefined when there is none. A process that has ended and waits for
 * its parent (a zombie) has no command any more.
 */
export async function commandOf(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") {
    try {
      const text = await readFile(`/proc/${pid}/cmdline`, "utf8");
      return text === "" ? undefined : text.replaceAll("\0", " ").trim();
    } catch {
      return undefined;
    }
  }
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", "command=", "-p", String(pid)]);
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}
