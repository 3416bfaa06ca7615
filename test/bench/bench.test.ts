import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import type { Environment } from "./results.ts";
import { type BenchName, readResults } from "./results.ts";
import { tables } from "./write-table.ts";

/** Each benchmark runs and says what the table needs; what it measures here says nothing. */

const run = promisify(execFile);
const MAIN = join(import.meta.dirname, "main.ts");
const begunAt = Date.now();
let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "belfry-bench-test-"));
});
after(() => rm(folder, { recursive: true, force: true }));

async function quickly(
  name: BenchName,
  more: Record<string, string> = {},
  options: readonly string[] = [],
) {
  const file = join(folder, `${name}.json`);
  // biome-ignore lint/style/noProcessEnv: a benchmark runs in the environment of its caller
  const env = { ...process.env, ...more };
  await run(process.execPath, [MAIN, name, "--quick", `--results=${file}`, ...options], { env });
  const results = await readResults(file);
  assert.deepEqual(Object.keys(results), [name]);
  assertEnvironment(results[name]?.environment);
  assert.match(tables(results), /^\| .+ \|$/m);
  return results;
}

function assertEnvironment(environment: Environment | undefined): asserts environment {
  assert.ok(environment !== undefined);
  const at = Date.parse(environment.at);
  assert.ok(at >= begunAt && at <= Date.now(), environment.at);
  assert.match(environment.commit, /^([0-9a-f]{10}\+?|unknown)$/);
  assert.equal(environment.node, process.versions.node);
  assert.match(environment.postgres, /^\d+\.\d+/);
  assert.match(environment.natsServer, /^\d+\.\d+\.\d+/);
  assert.ok(environment.cores >= 1 && environment.memoryGib >= 1);
  assert.ok(environment.cpu.length > 0 && environment.kernel.length > 0);
}

/**
 * Every figure is there, and none is what a broken division leaves. How large it is says nothing: a
 * difference of two measurements may be below 0.
 */
function assertFigures(found: object, names: readonly string[]): void {
  for (const name of names) {
    const value = (found as Record<string, unknown>)[name];
    assert.ok(Number.isFinite(value), `${name}: ${value}`);
  }
}

/** On a machine that runs other tests beside. */
const TIMEOUT_MS = 300_000;
const RATE = ["perSecond", "yardstickPerSecond", "ratio"];
const RECIPIENTS = 2_000;
const NAMED = [`--recipients=${RECIPIENTS}`];

describe("every benchmark runs, beside its yardstick, and keeps what it found", {
  concurrency: 2,
  timeout: TIMEOUT_MS,
}, () => {
  test("ingest, on servers of its own", async () => {
    const { result } = (await quickly("ingest", { TEST_DATABASE_URL: "" }, NAMED)).ingest!;
    assertFigures(result, [...RATE, "p50Ms", "p99Ms"]);
    assert.ok(result.perSecond > 0 && result.yardstickPerSecond > 0);
    assert.equal(result.named?.recipients, RECIPIENTS);
    assert.ok(result.named.perSecond > 0);
  });

  test("dispatch", async () => {
    const { result } = (await quickly("dispatch", {}, NAMED)).dispatch!;
    assertFigures(result, RATE);
    assert.ok(result.perSecond > 0 && result.yardstickPerSecond > 0);
    assert.equal(result.named?.recipients, RECIPIENTS);
    assert.ok(result.named.perSecond > 0);
  });

  test("email", async () => {
    const { result } = (await quickly("email", {}, ["--webhooks"])).email!;
    assertFigures(result, [...RATE, "mailBytes"]);
    assert.ok(result.told !== undefined && result.told.perSecond > 0);
    assert.ok(result.perSecond > 0 && result.yardstickPerSecond > 0 && result.mailBytes > 10_000);
  });

  test("realtime", async () => {
    const { result } = (await quickly("realtime")).realtime!;
    assertFigures(result, [
      "perSecond",
      "barePerSecond",
      "ratio",
      "kibPerConnection",
      "protobufPerSecond",
      "backSeconds",
    ]);
    assert.deepEqual([result.missed, result.disordered, result.unrecovered], [0, 0, 0]);
  });

  test("single mails beside broadcasts", async () => {
    const { result } = (await quickly("broadcast")).broadcast!;
    for (const mails of [result.neighbour, result.sender]) {
      assertFigures(mails, [
        "p50Ms",
        "p99Ms",
        "besideP50Ms",
        "besideP99Ms",
        "ratioP50",
        "ratioP99",
      ]);
    }
  });

  test("end-to-end, and what each part takes when idle", async () => {
    const { result } = (await quickly("end-to-end"))["end-to-end"]!;
    for (const flow of [result.push, result.allChannels]) {
      assertFigures(flow.browser, ["p50Ms", "p99Ms"]);
      assert.equal(flow.lost, 0);
    }
    assertFigures(result.allChannels.email!, ["p50Ms", "p99Ms"]);
    assertFigures(result.idle, ["cpuPercent", "pssMb"]);
    const services = ["ingest-api", "dispatcher", "email-sender", "sms-sender", "realtime-gateway"];
    for (const part of [...services, "admin", "nats"]) {
      assert.ok(result.idle.parts[part]!.pssMb > 1, `${part} has no memory`);
    }
  });
});
