import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, statfs } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { SMALL_HEAP } from "@belfry/local/supervise";
import { PORTS_FOLDER } from "@belfry/testing/free-port";
import { groupFiles } from "./runner/group-files.ts";
import { type ImportGraph, ROOT, readImportGraph } from "./runner/import-graph.ts";
import { isAlive, keepServers, stopKeptServers } from "./runner/kept-servers.ts";
import { neededTools } from "./runner/needed-tools.ts";
import type { TestLane } from "./runner/run-files.ts";
import { type RunOptions, readOptions } from "./runner/run-options.ts";
import {
  allTests,
  changedFiles,
  changedTests,
  namedTests,
  needServers,
  quickTests,
  WAITING,
} from "./runner/select-tests.ts";
import { provideTemplate, startServers } from "./runner/test-servers.ts";
import { auditTenants } from "./tenant-audit.ts";

/**
 * `node test/run.ts`: format, lint and import rules, types, then every test against a Postgres and a nats-server of
 * this run's own, and whether every statement they sent names its tenant. CONTRIBUTING.md lists the options.
 */

const RUNNER = join(import.meta.dirname, "runner");
const RUN_FILES = join(RUNNER, "run-files.ts");
const WHOLE_OUTPUT = join(RUNNER, "whole-output.ts");
const BUNDLE_LIBRARIES = join(RUNNER, "bundle-libraries.ts");
const COMPILE_MODULES = join(RUNNER, "compile-modules.ts");
/** The V8 flags of tests, of services and of a local stack's services: V8 reuses compiled code only under equal flags. */
const FLAGS = [["--stack-trace-limit=10"], [], SMALL_HEAP];
const DIRECTORY_PREFIX = "belfry-test-run-";
const TEST_TIMEOUT_MS = 300_000;
/** A test waits half of its time for other processes. More tests at once would only evict each other's CPU caches. */
const CONCURRENCY = 2 * availableParallelism();
/** From this number of files on, bundling and compiling for all saves more time than it takes. */
const MANY_FILES = 40;
const SHARED_MEMORY = "/dev/shm";
const PLENTY = 8 * 2 ** 30;

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => interrupted.abort(signal));
}

async function main(options: RunOptions): Promise<number> {
  if (options.stopServers) {
    const wereKept = await stopKeptServers();
    process.stderr.write(wereKept ? "the kept servers are stopped\n" : "no servers are kept\n");
    return 0;
  }
  const graph = await readImportGraph();
  const tests = selectTests(options, graph);
  if (options.list) {
    process.stdout.write(tests.map((file) => `${file}\n`).join(""));
    return 0;
  }
  const { files, quick, changed, name } = options;
  const isWhole = files.length === 0 && !quick && changed === undefined && name === undefined;
  const isMany = name === undefined && tests.length >= MANY_FILES;
  // biome-ignore lint/style/noProcessEnv: the PATH, and what the caller leaves out
  const leftOut = files.length > 0 || quick ? {} : await neededTools(process.env);

  await using cleanup = new AsyncDisposableStack();
  await removeLeftovers();
  const directory = await mkdtemp(join(await folder(), `${DIRECTORY_PREFIX}${process.pid}-`));
  cleanup.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 3 }));
  // Root starts Postgres as another user, who must be able to read the folder.
  await chmod(directory, 0o755);
  const temporary = join(directory, "tmp");
  await mkdir(join(temporary, PORTS_FOLDER), { recursive: true });
  const kept = options.keepServers ? await keepServers() : undefined;
  const preload = join(directory, "libraries", "preload.mjs");
  const quickStart = {
    // Hundreds of processes load the same modules; finding and compiling them is half of a start.
    NODE_COMPILE_CACHE: join(kept?.folder ?? directory, "compiled"),
    ...(isMany ? { BUNDLED_LIBRARIES: preload } : {}),
  };
  const servers = async () => {
    if (!needServers(graph, tests)) return {};
    const { databaseUrl, natsUrl } = kept ?? (await startServers(cleanup, directory));
    await provideTemplate(databaseUrl, graph);
    return { TEST_DATABASE_URL: databaseUrl, TEST_NATS_URL: natsUrl };
  };
  const [code, urls] = await Promise.all([
    isWhole || quick ? check() : 0,
    timed("servers", servers),
    isMany ? timed("compiling", () => compile(quickStart)) : undefined,
  ]);
  interrupted.signal.throwIfAborted();
  if (code !== 0) return code;

  const statements = join(directory, "statements");
  await mkdir(statements);
  const env = {
    ...urls,
    NODE_ENV: "test",
    TMPDIR: temporary,
    ...quickStart,
    ...(isWhole ? { RECORDED_STATEMENTS: statements } : {}),
    ...leftOut,
  };
  if (files.length > 0 && name === undefined) return await runAsGiven(options, env);
  const passed = await runInLanes(tests, name, directory, env);
  interrupted.signal.throwIfAborted();
  // The audit reports exceptions that no statement needs, so it requires the statements of all tests.
  return passed && (!isWhole || (await auditTenants(statements))) ? 0 : 1;
}

function selectTests({ files, quick, changed, name }: RunOptions, graph: ImportGraph): string[] {
  const tests = () => {
    if (files.length > 0) return files;
    if (changed !== undefined) return changedTests(graph, changedFiles(changed));
    return quick ? quickTests(graph) : allTests(graph);
  };
  if (name === undefined) return tests();
  const named = new Set(namedTests(graph, name));
  return tests().filter((file) => files.length > 0 || named.has(file));
}

/** Runs the files of the command line by `node --test` with the given Node options, or under a debugger. */
async function runAsGiven(
  { files, nodeOptions, inspect }: RunOptions,
  env: Record<string, string>,
): Promise<number> {
  const preload = ["--import", WHOLE_OUTPUT];
  if (inspect !== undefined) {
    const args = [...preload, ...nodeOptions, `--inspect-brk=127.0.0.1:${inspect}`, ...files];
    return await run(process.execPath, args, env);
  }
  const bounds = [`--test-concurrency=${CONCURRENCY}`, `--test-timeout=${TEST_TIMEOUT_MS}`];
  const args = [...preload, "--test", "--test-force-exit", ...bounds, ...nodeOptions, ...files];
  return await run(process.execPath, args, env);
}

/** Runs the tests and prints all failures once more at the end. Returns whether all tests passed. */
async function runInLanes(
  tests: string[],
  name: string | undefined,
  directory: string,
  env: Record<string, string>,
): Promise<boolean> {
  const failures = join(directory, "failures");
  const lane = async (files: string[], concurrency: number) => {
    const lane: TestLane = { files, concurrency, timeoutMs: TEST_TIMEOUT_MS, failures, name };
    return await run(process.execPath, [RUN_FILES, JSON.stringify(lane)], env);
  };
  const groups = join(directory, "groups");
  await mkdir(groups);
  const waiting = WAITING.filter((file) => tests.includes(file));
  const others = tests.filter((file) => !WAITING.includes(file));
  const codes = await Promise.all([
    waiting.length > 0 ? lane(waiting, 1) : 0,
    // A group file loads its test files in a first test, which a name filter would skip.
    lane(name === undefined ? await groupFiles(others, groups) : others, CONCURRENCY),
  ]);
  process.stderr.write(await readFile(failures, "utf8").catch(() => ""));
  return codes.every((code) => code === 0);
}

/** Checks format, lint, types and unused code; returns the exit code. */
async function check(): Promise<number> {
  const checks = [
    ["format, lint, imports", "node_modules/.bin/biome", ["check", "."]],
    ["types", "node_modules/.bin/tsc", ["--noEmit"]],
    ["unused code", "node_modules/.bin/knip", ["--no-config-hints", "--no-progress"]],
  ] as const;
  for (const [what, command, args] of checks) {
    const code = await timed(what, () => run(resolve(ROOT, command), [...args], {}));
    if (code !== 0) return code;
  }
  return 0;
}

/** Bundles the libraries and compiles the modules that the processes of a run load. */
async function compile(env: Record<string, string>): Promise<void> {
  const { BUNDLED_LIBRARIES = "" } = env;
  const resolving = "--experimental-import-meta-resolve";
  await mkdir(dirname(BUNDLED_LIBRARIES));
  await run(process.execPath, [resolving, BUNDLE_LIBRARIES, dirname(BUNDLED_LIBRARIES)], env);
  const preload = ["--import", BUNDLED_LIBRARIES];
  await Promise.all(
    FLAGS.map((flags) => run(process.execPath, [...flags, ...preload, COMPILE_MODULES], env)),
  );
}

/** Removes the directories of killed runs; a directory's name contains the process id of its run. */
async function removeLeftovers(): Promise<void> {
  for (const place of new Set([tmpdir(), await folder()])) {
    for (const name of await readdir(place)) {
      if (!name.startsWith(DIRECTORY_PREFIX)) continue;
      const pid = Number.parseInt(name.slice(DIRECTORY_PREFIX.length), 10);
      if (!isAlive(pid)) await rm(join(place, name), { recursive: true, force: true });
    }
  }
}

/**
 * Returns the parent of this run's directory: in memory if plenty is free. Each test creates a database, and the disk
 * would take half of that time. Root's Postgres keeps its programs there too.
 */
async function folder(): Promise<string> {
  const mounts = await readFile("/proc/mounts", "utf8").catch(() => "");
  const [, options] = /^\S+ \/dev\/shm tmpfs (\S+)/m.exec(mounts) ?? [];
  if (options === undefined || /\b(noexec|ro)\b/.test(options)) return tmpdir();
  const { bavail, bsize } = await statfs(SHARED_MEMORY);
  return Math.min(bavail * bsize, process.availableMemory()) > PLENTY ? SHARED_MEMORY : tmpdir();
}

async function run(command: string, args: string[], env: Record<string, string>): Promise<number> {
  const child = spawn(command, args, {
    cwd: ROOT,
    stdio: "inherit",
    // biome-ignore lint/style/noProcessEnv: tests run in the environment of their caller
    env: { ...process.env, ...env },
  });
  const stop = () => child.kill("SIGTERM");
  interrupted.signal.addEventListener("abort", stop, { once: true });
  const [code] = await once(child, "exit");
  interrupted.signal.removeEventListener("abort", stop);
  return interrupted.signal.aborted ? 130 : (code ?? 1);
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await work();
  } finally {
    process.stderr.write(`${what}: ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
  }
}

try {
  process.exitCode = await main(readOptions(process.argv.slice(2)));
} catch (error) {
  if (!interrupted.signal.aborted) process.stderr.write(`${(error as Error).stack}\n`);
  process.exitCode = interrupted.signal.aborted ? 130 : 1;
}
