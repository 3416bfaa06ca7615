import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { cpus, release, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { findNatsServer } from "@belfry/local/servers/nats-server";
import { packagedBinaries } from "@belfry/local/servers/postgres-server";
import type { BroadcastResult } from "./broadcast-neighbours.ts";
import type { DispatchResult } from "./dispatch.ts";
import type { EmailResult } from "./email.ts";
import type { EndToEndResult } from "./end-to-end.ts";
import type { IngestResult } from "./ingest.ts";
import type { RealtimeResult } from "./realtime.ts";

/** What a benchmark found, and on what. */
export interface Kept<Result> {
  environment: Environment;
  result: Result;
}

/** `test/bench/results.json`: the newest run of each benchmark. */
export interface Results {
  ingest?: Kept<IngestResult>;
  dispatch?: Kept<DispatchResult>;
  email?: Kept<EmailResult>;
  realtime?: Kept<RealtimeResult>;
  "end-to-end"?: Kept<EndToEndResult>;
  broadcast?: Kept<BroadcastResult>;
}
export type BenchName = keyof Results;

/** Empty where there is no file yet. */
export async function readResults(file: string): Promise<Results> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  return JSON.parse(text) as Results;
}

/** Puts a benchmark's run in the place of its last one. */
export async function keepResult<Name extends BenchName>(
  file: string,
  name: Name,
  kept: Results[Name],
): Promise<void> {
  const results = { ...(await readResults(file)), [name]: kept };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
}

const run = promisify(execFile);
const GIB = 1024 ** 3;

/** What a figure was measured on. */
export async function readEnvironment() {
  const processors = cpus();
  return {
    /** UTC, ISO 8601. */
    at: new Date().toISOString(),
    commit: await commit(),
    cpu: (processors[0]?.model ?? "unknown").replace(/\s+/g, " ").trim(),
    cores: processors.length,
    memoryGib: Math.round(totalmem() / GIB),
    kernel: release(),
    node: process.versions.node,
    postgres: await versionOf(join(packagedBinaries(), "bin", "postgres")),
    natsServer: await versionOf(await findNatsServer({ mayInstall: true, log: () => undefined })),
  };
}

export type Environment = Awaited<ReturnType<typeof readEnvironment>>;

async function versionOf(program: string): Promise<string> {
  const { stdout } = await run(program, ["--version"]);
  return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim();
}

/** With a `+` when services or packages differ from the commit. */
async function commit(): Promise<string> {
  const git = async (...args: string[]) =>
    (await run("git", args, { cwd: import.meta.dirname })).stdout.trim();
  try {
    const changed = await git("status", "--porcelain", "--", ":/services", ":/packages");
    return `${await git("rev-parse", "--short=10", "HEAD")}${changed === "" ? "" : "+"}`;
  } catch {
    return "unknown";
  }
}
