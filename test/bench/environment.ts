import { execFile } from "node:child_process";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findNatsServer } from "@belfry/local/servers/nats-server";
import { packagedBinaries } from "@belfry/local/servers/postgres-server";

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
