import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import type { Cleanup } from "@belfry/testing/cleanup";
import { freePort } from "@belfry/testing/free-port";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { createTestDatabase } from "@belfry/testing/postgres";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { TEST_CODE } from "../test-code.ts";
import { dockerfileFaults, parseDockerfile, readDockerfile } from "./dockerfile.ts";
import { copyImageContext, readIgnoreRules } from "./image-tree.ts";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../..");
const DOCKERFILE = join(ROOT, "deploy/docker/Dockerfile");
const IGNORE_FILE = `${DOCKERFILE}.dockerignore`;
/** The user of the image; a test that does not run as root runs as its own. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

test("the Dockerfile follows the rules, on the Node version that everything is tested with", async () => {
  const stages = await readDockerfile(DOCKERFILE);
  assert.deepEqual(dockerfileFaults(stages), []);
  const workspace = await readFile(join(ROOT, "pnpm-workspace.yaml"), "utf8");
  const version = /^ {2}node: (\d\S+)$/m.exec(workspace)?.[1];
  const bases = stages.map(({ from }) => from.split("@")[0]);
  const node = `node:${version}-bookworm-slim`;
  assert.deepEqual(bases, [node, "source", "source", node, "scratch"]);
});

test("the rules notice a careless Dockerfile", () => {
  const faults = dockerfileFaults(
    parseDockerfile(
      "FROM node:latest\nADD . /app\nENV API_TOKEN=abc\nRUN apt-get install curl\nUSER node\nCMD node main.ts",
    ),
  );
  for (const part of [
    "not pinned",
    "ADD",
    "secret",
    "apt-get update",
    "USER node",
    "signals",
    "nursery",
  ]) {
    assert.ok(
      faults.some((fault) => fault.includes(part)),
      `${part} in ${faults.join("; ")}`,
    );
  }
});

test("no key, data folder, test code or foreign module gets into an image", async () => {
  const ignored = readIgnoreRules(await readFile(IGNORE_FILE, "utf8"));
  for (const path of [
    ".env",
    ".git/config",
    ".belfry/keys.json",
    "services/ingest-api/.env",
    "services/ingest-api/node_modules/x/index.js",
  ]) {
    assert.equal(ignored(path), true, path);
  }
  const { stdout } = await run("git", ["ls-files"], { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 });
  const testCode = stdout.split("\n").filter((path) => TEST_CODE.test(path));
  assert.ok(testCode.length > 100, "the files are found");
  assert.deepEqual(
    testCode.filter((path) => path.endsWith(".ts") && !ignored(path)),
    [],
  );
  for (const path of [
    "pnpm-lock.yaml",
    "services/ingest-api/src/main.ts",
    "packages/cli/src/main.ts",
  ]) {
    assert.equal(ignored(path), false, path);
  }
});

test("what an image installs runs as an ordinary user who may write nothing, and ends by SIGTERM", async (t) => {
  const gateway = await installed(t, "realtime-gateway", "services/realtime-gateway");
  const port = await freePort();
  const database = await createTestDatabase(t);
  const keys = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
  const child = spawn(join(gateway, "node"), ["run/main.ts"], {
    cwd: gateway,
    ...NOBODY,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      NODE_ENV: "production",
      DATABASE_URL: database.url,
      NATS_URL: testNatsUrl(),
      NATS_PREFIX: testPrefix(t),
      SECRETS_KEYS: keys,
      REALTIME_TOKEN_KEYS: keys,
      REALTIME_GATEWAY_PORT: "0",
      MANAGEMENT_PORT: String(port),
    },
  });
  t.after(() => child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
    });
  }
  await untilReady(port, child, () => output);
  child.kill("SIGTERM");
  const [code, signal] = await once(child, "exit");
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, output);
});

test("the command line's image brings an empty database to the newest schema", async (t) => {
  const cli = await installed(t, "cli", "packages/cli");
  const database = await createTestDatabase(t, "template0");
  const { stdout } = await run(join(cli, "node"), ["run/main.ts", "migrate"], {
    cwd: cli,
    ...NOBODY,
    env: { DATABASE_URL: database.url },
  });
  assert.ok(JSON.parse(stdout).migrations.includes("0001-tables"));
});

/** The stage of the Dockerfile that installs, in an empty folder: context, install, link. */
async function installed(t: Cleanup, service: string, folder: string): Promise<string> {
  const directory = await temporaryFolder(t, "image");
  await chmod(directory, 0o755);
  await copyImageContext(ROOT, IGNORE_FILE, directory);
  await run(
    "npx",
    [
      ...(await installArguments(service)),
      // What is on this machine already need not be fetched again.
      "--prefer-offline",
    ],
    { cwd: directory, env: cleanEnvironment(), maxBuffer: 16 * 1024 * 1024 },
  );
  const others = (await readdir(join(directory, "services"))).filter(
    (name) => `services/${name}` !== folder,
  );
  for (const name of others) await rm(join(directory, "services", name), { recursive: true });
  await symlink(`${folder}/src`, join(directory, "run"));
  // Ours may lie where an ordinary user cannot go.
  await copyFile(process.execPath, join(directory, "node"));
  assert.ok((await stat(join(directory, "run/main.ts"))).isFile());
  return directory;
}

/** The arguments of npx as the Dockerfile has them, but for the store, which is this machine's. */
async function installArguments(service: string): Promise<string[]> {
  const stage = (await readDockerfile(DOCKERFILE)).find(({ name }) => name === "install");
  const command = stage?.instructions.find(({ text }) => text.includes("npx --yes pnpm@"))?.text;
  const [, words] = /npx (.+)$/.exec(command ?? "") ?? [];
  assert.ok(words);
  return words
    .replace(/--store-dir \S+ /, "")
    .replaceAll('"', "")
    .replaceAll(/\$\{SERVICE\}/g, service)
    .split(/\s+/);
}

/** Without what pnpm has set for this run: it would steer the install below. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  // biome-ignore lint/style/noProcessEnv: a package manager needs the whole environment (proxies, PATH)
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|pnpm_|NODE_ENV$|NODE_TEST)/i.test(name) || /registry|cafile/i.test(name),
  );
  return Object.fromEntries(entries);
}

async function untilReady(port: number, child: { exitCode: number | null }, output: () => string) {
  while (child.exitCode === null) {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((next) => setTimeout(next, 100));
  }
  throw new Error(`not ready:\n${output()}`);
}
