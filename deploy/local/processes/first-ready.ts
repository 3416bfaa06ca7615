import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { HomeFolder } from "../home-folder.ts";
import type { Supervised } from "./supervise.ts";

/**
 * Waits for the first run of a service. Rejects, with the end of its log, when it ends before it is
 * ready or takes too long; settles silently when the stack is stopping.
 */
export async function firstReady(
  service: Supervised,
  options: {
    home: HomeFolder;
    timeoutMs: number;
    say: (line: string) => void;
    stopping: AbortSignal;
  },
): Promise<void> {
  const done = new AbortController();
  const stopped = new Promise<"stopped">((resolve) => {
    options.stopping.addEventListener("abort", () => resolve("stopped"), { once: true });
    if (options.stopping.aborted) resolve("stopped");
  });
  const late = sleep(options.timeoutMs, "late" as const, { signal: done.signal }).catch(
    () => "stopped" as const,
  );
  const outcome = await Promise.race([service.first.ready, late, stopped]);
  done.abort();
  if (outcome === "stopped") return;
  if (outcome === true) return options.say(`${service.name} is ready`);
  const why =
    outcome === "late"
      ? `was not ready within ${options.timeoutMs / 1000} s`
      : `ended while starting (${await service.first.ended})`;
  const log = join(options.home.logs, `${service.name}.log`);
  throw new Error(`${service.name} ${why}; the end of ${log}:\n${await lastLines(log)}`);
}

async function lastLines(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-12).join("\n");
}
