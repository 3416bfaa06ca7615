import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { eventually } from "@belfry/testing/eventually";
import { needlessExclusions } from "@belfry/testing/needless-exclusions";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { ROOT, reachedFrom, readImportGraph } from "./import-graph.ts";
import { readOptions } from "./run-options.ts";
import {
  allTests,
  changedTests,
  LONG,
  namedTests,
  needServers,
  quickTests,
  WAITING,
} from "./select-tests.ts";

/** The commands of CONTRIBUTING.md's table. */

const RUN = join(ROOT, "test/run.ts");
const WITH_A_DATABASE = "packages/testing/src/postgres.test.ts";
const WITHOUT_SERVERS = "packages/templates/src/language/characters.test.ts";
const graph = await readImportGraph();
const all = allTests(graph);

/** Starts a separate test run that keeps its files in the folder; returns its output. */
async function runTests(folder: string, ...args: string[]): Promise<string> {
  // biome-ignore lint/style/noProcessEnv: the inner run must not inherit the variables of this run
  const { PATH = "" } = process.env;
  const env = { PATH, TMPDIR: folder };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [RUN, ...args], { env });
  return stdout + stderr;
}

test("without options a run has every test file once", () => {
  assert.equal(new Set(all).size, all.length);
  assert.deepEqual(
    [...graph.names.keys()].filter((file) => file.endsWith(".test.ts")),
    all.toSorted(),
  );
  assert.deepEqual(needlessExclusions([...LONG, ...WAITING], all), []);
  const { files, quick, changed, name } = readOptions([]);
  assert.deepEqual([files, quick, changed, name], [[], false, undefined, undefined]);
});

test("--quick has the tests beside the code, without browsers, processes, deployment and documents", () => {
  const quick = quickTests(graph);
  const starts = (file: string) => {
    const reached = reachedFrom([file], graph);
    return reached.has("node:child_process") || reached.has("playwright-core");
  };
  const other = quick.filter((file) => !file.startsWith("test/house/"));
  assert.deepEqual(other.filter(starts), []);
  assert.deepEqual(
    other.filter((file) => /^(deploy|test\/(deploy|docs))\//.test(file)),
    [],
  );
  assert.ok(quick.length > all.length / 2, `${quick.length} of ${all.length}`);
});

describe("--changed", () => {
  const rows: { changed: string; runs: string[]; not: string[] }[] = [
    {
      changed: "packages/templates/src/language/characters.ts",
      runs: [
        "packages/templates/src/language/characters.test.ts",
        "test/end-to-end/end-to-end.test.ts",
      ],
      not: ["packages/service/src/buffered-output.test.ts"],
    },
    {
      changed: "packages/database/src/functions/accept-events.sql",
      runs: [WITH_A_DATABASE, "services/ingest-api/src/accept.test.ts"],
      not: [WITHOUT_SERVERS],
    },
    {
      changed: "services/realtime-gateway/src/session.ts",
      runs: ["test/realtime/recovery.test.ts"],
      not: [
        "packages/templates/src/language/characters.test.ts",
        "services/admin/src/page/access.test.ts",
      ],
    },
  ];
  for (const { changed, runs, not } of rows) {
    test(`runs the tests that reach ${basename(changed)}, and no others`, () => {
      const tests = changedTests(graph, [changed]);
      assert.deepEqual(
        runs.filter((file) => !tests.includes(file)),
        [],
      );
      assert.deepEqual(
        not.filter((file) => tests.includes(file)),
        [],
      );
    });
  }

  test("runs all tests when a dependency has changed", () => {
    assert.deepEqual(changedTests(graph, ["pnpm-lock.yaml"]), all);
  });

  test("compares with main, or with the commit that is given", async (t) => {
    assert.equal(readOptions(["--changed"]).changed, "main");
    const { changed, list } = readOptions(["--changed", "HEAD~3", "--list"]);
    assert.deepEqual([changed, list], ["HEAD~3", true]);
    const folder = await temporaryFolder(t, "changed");
    const listed = (await runTests(folder, "--changed", "HEAD", "--list")).trim().split("\n");
    assert.deepEqual(
      listed.filter((file) => !all.includes(file)),
      [],
    );
  });
});

describe("--name", () => {
  const NAME = "a test database goes away with its connections";

  test("looks where the text has it, also in modules whose tests several files run", () => {
    assert.deepEqual(namedTests(graph, NAME).includes(WITH_A_DATABASE), true);
    assert.deepEqual(namedTests(graph, `${NAME} or not`), all, "put together, perhaps");
  });

  test("runs the tests whose names have the part; none is a failure", async (t) => {
    const folder = await temporaryFolder(t, "name");
    const run = (part: string) => runTests(folder, "--name", part, WITHOUT_SERVERS);
    assert.match(await run("a short message has"), /tests 1\n/);
    await assert.rejects(run("a short.message"), /no test's name has "a short.message"/);
  });
});

test("servers start only for files that ask for them", async (t) => {
  assert.equal(needServers(graph, [WITHOUT_SERVERS]), false);
  assert.equal(needServers(graph, [WITH_A_DATABASE]), true);
  const folder = await temporaryFolder(t, "servers");
  assert.match(await runTests(folder, WITHOUT_SERVERS), /fail 0\n/);
  assert.deepEqual(await readdir(folder), []);
});

test("--keep-servers keeps them for the next run, until --stop-servers; nothing is left", async (t) => {
  const folder = await temporaryFolder(t, "kept");
  t.after(() => runTests(folder, "--stop-servers"));
  const keptFile = async () => {
    const [name] = (await readdir(folder)).filter((file) => file.endsWith(".json"));
    return JSON.parse(await readFile(join(folder, name!), "utf8"));
  };
  await runTests(folder, "--keep-servers", WITH_A_DATABASE);
  const first = await keptFile();
  await runTests(folder, "--keep-servers", WITH_A_DATABASE);
  assert.deepEqual(await keptFile(), first);
  assert.match(await runTests(folder, "--stop-servers"), /are stopped/);
  assert.deepEqual(await readdir(folder), []);
  await eventually(async () => assert.equal(await commandLine(first.pid), ""));
  assert.match(await runTests(folder, "--stop-servers"), /no servers are kept/);
});

test("--inspect waits for a debugger and then runs the file", async (t) => {
  const folder = await temporaryFolder(t, "inspect");
  const child = spawn(process.execPath, [RUN, "--inspect=0", WITHOUT_SERVERS], {
    env: { TMPDIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.after(() => child.kill());
  const ended = once(child, "exit");
  let written = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    written += text;
  });
  const debug = new WebSocket(await debuggerAddress(child.stderr));
  await once(debug, "open");
  debug.send(JSON.stringify({ id: 1, method: "Debugger.enable" }));
  debug.send(JSON.stringify({ id: 2, method: "Runtime.runIfWaitingForDebugger" }));
  const paused = Promise.withResolvers<void>();
  debug.addEventListener("message", ({ data }) => {
    if (JSON.parse(String(data)).method === "Debugger.paused") paused.resolve();
  });
  await paused.promise;
  assert.equal(written, "", "no test has run yet");
  // When the debugger disconnects, the program continues.
  debug.close();
  assert.deepEqual(await ended, [0, null]);
  assert.match(written, /fail 0\n/);
});

/** The command line of a live process; empty for a dead one, and on systems without /proc. */
async function commandLine(pid: number): Promise<string> {
  return await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
}

async function debuggerAddress(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const [address] = /ws:\S+/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error("no debugger can be attached");
}
