import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import type { Cleanup } from "@belfry/testing/cleanup";
import { eventually } from "@belfry/testing/eventually";
import { freePort } from "@belfry/testing/free-port";
import { startProcess, type TestProcess } from "@belfry/testing/processes";
import { startTraceCollector } from "@belfry/testing/trace-collector";

const main = new URL("../test/small-service.ts", import.meta.url);

/** Addresses where no server listens. */
const AWAY = { DATABASE_URL: "postgres://127.0.0.1:1/x", NATS_URL: "nats://127.0.0.1:1" };

async function start(t: Cleanup, env: Record<string, string> = {}) {
  const port = await freePort();
  const service = await startProcess(t, { main, env: { ...AWAY, PORT: String(port), ...env } });
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  return { service, get, slow: () => get("/slow") };
}

const says = (service: TestProcess, words: string) =>
  eventually(() => service.logs().some(({ msg }) => msg === words));

test("SIGTERM: the request in hand is answered, then the process ends with 0", async (t) => {
  const { service, slow } = await start(t);
  const answer = slow();
  await says(service, "slow");
  const code = service.stop();
  assert.equal((await answer).status, 200);
  assert.equal(await code, 0);
  assert.ok(service.logs().some(({ msg, reason }) => msg === "stopping" && reason === "SIGTERM"));
});

test("during the shutdown delay the service is unready but still takes requests, and each answer closes its connection", async (t) => {
  const { service, slow } = await start(t, { SHUTDOWN_DELAY_MS: "120000", SLOW_MS: "1" });
  assert.equal((await slow()).headers.get("connection"), "keep-alive");
  service.signal("SIGTERM");
  await service.waitUntilReady(false);
  const { status, headers } = await slow();
  assert.deepEqual([status, headers.get("connection")], [200, "close"]);
  await service.kill();
});

test("after the shutdown delay the service ends with 0", async (t) => {
  const { service, slow } = await start(t, { SHUTDOWN_DELAY_MS: "50", SLOW_MS: "1" });
  assert.equal(await service.stop(), 0);
  await assert.rejects(slow());
});

test("work that does not finish within the grace is given up, with 1", async (t) => {
  const { service, slow } = await start(t, { SLOW_MS: "600000", SHUTDOWN_GRACE_MS: "300" });
  slow().catch(() => undefined);
  await says(service, "slow");
  assert.equal(await service.stop(), 1);
  assert.ok(service.logs().some(({ level }) => level === "error"));
});

const WITH_PARENT = "a service that is to stop with its parent does so when the parent is killed";

test(`${WITH_PARENT}, by its channel`, (t) =>
  endsWithParent(t, ["ignore", "ignore", "ignore", "ipc"]));
test(`${WITH_PARENT}, without a channel`, (t) => endsWithParent(t, ["ignore", "ignore", "ignore"]));

async function endsWithParent(t: TestContext, stdio: string[]): Promise<void> {
  const [port, managementPort] = [await freePort(), await freePort()];
  // The parent starts the service, tells its pid and waits to be killed; no open pipe.
  const parent = spawn(
    process.execPath,
    [
      "-e",
      `const child = require("node:child_process").spawn(process.execPath, [process.argv[1]], {
         stdio: ${JSON.stringify(stdio)},
         env: ${JSON.stringify({
           ...AWAY,
           PORT: String(port),
           MANAGEMENT_PORT: String(managementPort),
           STOP_WITH_PARENT: "true",
         })},
       });
       console.log(child.pid);
       setInterval(() => {}, 1000);`,
      main.pathname,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  t.after(() => void parent.kill("SIGKILL"));
  const [chunk] = await once(parent.stdout, "data");
  const pid = Number(String(chunk));
  const isUp = () => fetch(`http://127.0.0.1:${managementPort}/health/live`).then(() => true);
  await eventually(isUp);
  parent.kill("SIGKILL");
  await eventually(() => !isAlive(pid));
}

test("a rejection that nobody handles ends the process with 1 and a line that says so, and fails the test that started it", async (t) => {
  const endings: (() => void | Promise<void>)[] = [];
  t.after(() => Promise.allSettled(endings.map((ending) => ending())));
  const { service, get } = await start({ after: (ending) => void endings.push(ending) });
  const answer = get("/floating").catch(() => undefined);
  assert.equal((await service.exited).code, 1);
  await answer;
  const fatal = service.logs().find(({ level }) => level === "fatal");
  assert.equal(fatal?.origin, "unhandledRejection");
  assert.match(JSON.stringify(fatal?.err), /nobody waits for this/);
  await assert.rejects(
    async () => await endings[0]!(),
    /small-service\.ts ended by itself[\s\S]*nobody waits for this/,
  );
});

const REPORTS_SDK = {
  NODE_OPTIONS: `--import=${new URL("../test/report-sdk.ts", import.meta.url).href}`,
};

test("without a collector, or with nothing to record, the tracing SDK is not loaded", async (t) => {
  const collector = "http://127.0.0.1:1";
  for (const env of [
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: "" },
    { OTEL_EXPORTER_OTLP_ENDPOINT: collector, OTEL_TRACES_SAMPLER: "always_off" },
  ]) {
    const { service } = await start(t, { ...REPORTS_SDK, ...env });
    assert.equal(await service.stop(), 0);
    assert.equal(service.errors(), "");
  }
});

test("with a collector the SDK is loaded; spans in hand leave at the stop, and a collector that never answers holds it up for moments only", async (t) => {
  const collector = await startTraceCollector(t);
  const env = { ...REPORTS_SDK, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const { service, get } = await start(t, env);
  assert.match(service.errors(), /loads @opentelemetry\/sdk-trace-node/);
  await get("/traced");
  assert.equal(await service.stop(), 0);
  assert.deepEqual(
    collector.spans.map(({ name, service: by }) => `${by} ${name}`),
    ["small accept"],
  );

  collector.answer = () => undefined;
  const held = await start(t, { ...env, SHUTDOWN_GRACE_MS: "60000" });
  await held.get("/traced");
  assert.equal(await held.service.stop(), 0);
  assert.ok(!held.service.logs().some(({ level }) => level === "error"));
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
