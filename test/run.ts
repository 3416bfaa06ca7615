import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, glob, mkdir, mkdtemp, readdir, readFile, rm, statfs } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { startNats } from "@belfry/local/servers/nats-server";
import { startPostgres } from "@belfry/local/servers/postgres-server";
import { SMALL_HEAP } from "@belfry/local/supervise";
import { freePort, PORTS_FOLDER } from "@belfry/testing/free-port";
import { TEMPLATE_DATABASE } from "@belfry/testing/postgres";
import pg from "pg";
import { groupFiles } from "./group-files.ts";
import { neededTools } from "./needed-tools.ts";
import { auditTenants } from "./tenant-audit.ts";

/**
 * `node test/run.ts`: format, lint and import rules, types, then every test against a Postgres and a
 * nats-server of this run's own, and whether every statement they sent names its tenant. `node
 * test/run.ts <test files>`: those tests only.
 */

const ROOT = resolve(import.meta.dirname, "..");
/** The long ones first, so that no processor is idle beside the last of them. */
const TESTS = ["test", "deploy", "packages/templates", "services", "packages"];
/** They wait more than they work: one after the other in a lane of their own, beside all others. */
const WAITING = [
  "test/failure/failure.test.ts",
  "test/stack/local-stack.test.ts",
  "test/failure/digests/digests.test.ts",
  "test/failure/webhooks/webhooks.test.ts",
  "test/failure/due-restart.test.ts",
  "test/admin/in-force.test.ts",
  "test/admin/leaving.test.ts",
  "services/dispatcher/main.test.ts",
  "services/dispatcher/killed-erasure.test.ts",
];
const RUN_FILES = join(import.meta.dirname, "run-files.ts");
const WHOLE_OUTPUT = join(import.meta.dirname, "whole-output.ts");
const BUNDLE_LIBRARIES = join(import.meta.dirname, "bundle-libraries.ts");
const COMPILE_MODULES = join(import.meta.dirname, "compile-modules.ts");
/** V8's flags of tests, of services and of those in a local stack: what is compiled under some is not taken under others. */
const FLAGS = [["--stack-trace-limit=10"], [], SMALL_HEAP];
const DIRECTORY_PREFIX = "belfry-test-run-";
const TEST_TIMEOUT_MS = 300_000;
const SHARED_MEMORY = "/dev/shm";
const PLENTY = 8 * 2 ** 30;

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => interrupted.abort(signal));
}

async function main(files: string[]): Promise<number> {
  const tests = files.length > 0 ? files : await testFiles();
  // biome-ignore lint/style/noProcessEnv: the PATH, and what the caller leaves out
  const leftOut = files.length > 0 ? {} : await neededTools(process.env);

  await using cleanup = new AsyncDisposableStack();
  await removeLeftovers();
  const directory = await mkdtemp(join(await folder(), `${DIRECTORY_PREFIX}${process.pid}-`));
  cleanup.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 3 }));
  // Root's Postgres runs as another user, who has to get there.
  await chmod(directory, 0o755);
  const temporary = join(directory, "tmp");
  await mkdir(join(temporary, PORTS_FOLDER), { recursive: true });
  const statements = join(directory, "statements");
  const libraries = join(directory, "libraries");
  for (const path of [statements, libraries]) await mkdir(path);
  const quick = {
    // Hundreds of processes load the same modules: half of a start is finding and compiling them.
    NODE_COMPILE_CACHE: join(directory, "compiled"),
    ...(files.length === 0 ? { BUNDLED_LIBRARIES: join(libraries, "preload.mjs") } : {}),
  };
  const [code, { databaseUrl, natsUrl }] = await Promise.all([
    files.length === 0 ? check() : 0,
    timed("servers", () => startServers(cleanup, directory)),
    files.length === 0 ? timed("compiling", () => compile(quick)) : undefined,
  ]);
  interrupted.signal.throwIfAborted();
  if (code !== 0) return code;

  // Half of its time a test waits for what others do; more at once only take the processors' caches from each other.
  const concurrency = 2 * availableParallelism();
  const bounds = [`--test-concurrency=${concurrency}`, `--test-timeout=${TEST_TIMEOUT_MS}`];
  const failures = join(directory, "failures");
  const lane = (most: number, some: string[]) =>
    run(
      process.execPath,
      [RUN_FILES, String(most), String(TEST_TIMEOUT_MS), failures, ...some],
      env,
    );
  const env = {
    TEST_DATABASE_URL: databaseUrl,
    TEST_NATS_URL: natsUrl,
    NODE_ENV: "test",
    TMPDIR: temporary,
    ...quick,
    ...(files.length === 0 ? { RECORDED_STATEMENTS: statements } : {}),
    ...leftOut,
  };
  if (files.length > 0) {
    const one = ["--import", WHOLE_OUTPUT, "--test", "--test-force-exit", ...bounds, ...tests];
    return await run(process.execPath, one, env);
  }
  const groups = join(directory, "groups");
  await mkdir(groups);
  const others = await groupFiles(
    tests.filter((file) => !WAITING.includes(file)),
    groups,
  );
  const codes = await Promise.all([lane(1, WAITING), lane(concurrency, others)]);
  process.stderr.write(await readFile(failures, "utf8").catch(() => ""));
  const isSound = await auditTenants(statements);
  return isSound && codes.every((one) => one === 0) ? 0 : 1;
}

/** Format, lint, types and unused code; 0 when all is well. */
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

/** What every process of the run loads, as one file a library, and compiled. */
async function compile(env: Record<string, string>): Promise<void> {
  const { BUNDLED_LIBRARIES = "" } = env;
  const resolving = "--experimental-import-meta-resolve";
  await run(process.execPath, [resolving, BUNDLE_LIBRARIES, dirname(BUNDLED_LIBRARIES)], env);
  const preload = ["--import", BUNDLED_LIBRARIES];
  await Promise.all(
    FLAGS.map((flags) => run(process.execPath, [...flags, ...preload, COMPILE_MODULES], env)),
  );
}

/** What a run that was killed could not remove: its directory carries its process id. */
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
 * Where this run's files are: in memory if there is plenty of it, as each test makes a database of its
 * own and half of what that costs is the disk's. Root's Postgres has its programs there too.
 */
async function folder(): Promise<string> {
  const mounts = await readFile("/proc/mounts", "utf8").catch(() => "");
  const [, options] = /^\S+ \/dev\/shm tmpfs (\S+)/m.exec(mounts) ?? [];
  if (options === undefined || /\b(noexec|ro)\b/.test(options)) return tmpdir();
  const { bavail, bsize } = await statfs(SHARED_MEMORY);
  return Math.min(bavail * bsize, process.availableMemory()) > PLENTY ? SHARED_MEMORY : tmpdir();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function testFiles(): Promise<string[]> {
  const found = new Set<string>();
  const exclude = (path: string) => path.split("/").includes("node_modules");
  for (const folder of TESTS) {
    const ofFolder: string[] = [];
    for await (const file of glob(`${folder}/**/*.test.ts`, { cwd: ROOT, exclude })) {
      ofFolder.push(file);
    }
    for (const file of ofFolder.sort()) found.add(file);
  }
  return [...found];
}

async function startServers(cleanup: AsyncDisposableStack, directory: string) {
  const log = () => undefined;
  const startedPostgres = async () => {
    const port = await freePort();
    const server = await startPostgres({
      dataDir: join(directory, "postgres"),
      port,
      log,
      durable: false,
    });
    cleanup.defer(async () => {
      await server.stop();
      await rm(server.directory, { recursive: true, force: true });
    });
    await createTemplate(server.url);
    return server.url;
  };
  const startedNats = async () => {
    const port = await freePort();
    const server = await startNats({
      storeDir: join(directory, "nats"),
      port,
      log,
      mayInstall: true,
    });
    cleanup.defer(() => server.stop());
    return server.url;
  };
  const [postgres, nats] = await Promise.allSettled([startedPostgres(), startedNats()]);
  if (postgres.status === "rejected") throw postgres.reason;
  if (nats.status === "rejected") throw nats.reason;
  return { databaseUrl: postgres.value, natsUrl: nats.value };
}

async function createTemplate(serverUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${TEMPLATE_DATABASE} TEMPLATE template0`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${TEMPLATE_DATABASE}`;
  const { migrateToLatest } = await import("@belfry/database/migrate");
  await migrateToLatest(url.href);
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
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!interrupted.signal.aborted) process.stderr.write(`${(error as Error).stack}\n`);
  process.exitCode = interrupted.signal.aborted ? 130 : 1;
}
