import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { PROBLEMS } from "@belfry/contracts/problems";
import { BAD_HOSTS } from "@belfry/testing/hostile";
import { register } from "prom-client";
import { createLogger } from "./logger.ts";
import { type ManagementOptions, startManagement } from "./management.ts";

const log = createLogger({ service: "test", level: "silent" });

async function start(
  checks: ManagementOptions["checks"],
  others: NonNullable<ManagementOptions["others"]> = {},
) {
  const stopping = new AbortController();
  const management = await startManagement({
    host: "127.0.0.1",
    port: 0,
    checks,
    others,
    log,
    signal: stopping.signal,
  });
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(`http://127.0.0.1:${management.port}${path}`, init);
    const text = await response.text();
    return { status: response.status, text, json: () => JSON.parse(text) };
  };
  return { port: management.port, stopping, get, [Symbol.asyncDispose]: () => management.close() };
}

test("ready means that everything the service needs is there; otherwise it says what is away", async () => {
  await using all = await start({ postgres: () => true, nats: async () => true });
  assert.equal((await all.get("/health/ready")).status, 200);
  await using some = await start({
    postgres: () => Promise.reject(new Error("refused")),
    nats: () => false,
    other: () => true,
  });
  const answer = await some.get("/health/ready");
  assert.equal(answer.status, 503);
  assert.deepEqual(answer.json(), { ready: false, away: ["postgres", "nats"] });
  assert.equal((await some.get("/health/live")).status, 200);
});

test("a check that does not answer is a no after a second", async () => {
  await using slow = await start({ postgres: () => new Promise(() => undefined) });
  const answer = await slow.get("/health/ready");
  assert.deepEqual(answer.json().away, ["postgres"]);
});

test("a stop makes the service unready at once, and alive still", async () => {
  await using management = await start({ nats: () => true });
  assert.equal((await management.get("/health/ready")).status, 200);
  management.stopping.abort();
  const answer = await management.get("/health/ready");
  assert.equal(answer.status, 503);
  assert.deepEqual(answer.json().away, ["shutting down"]);
  assert.equal((await management.get("/health/live")).status, 200);
});

test("a flood of probes asks the database once a second at most", async () => {
  let asked = 0;
  await using management = await start({
    postgres: () => {
      asked += 1;
      return true;
    },
  });
  const begunAt = performance.now();
  await Promise.all(Array.from({ length: 50 }, () => management.get("/health/ready")));
  const seconds = Math.floor((performance.now() - begunAt) / 1000);
  assert.ok(asked <= 1 + seconds, `${asked} in ${seconds} s`);
});

test("metrics are in the format of Prometheus, with those of the process", async () => {
  await using management = await start({});
  const { status, text } = await management.get("/metrics");
  assert.equal(status, 200);
  assert.match(text, /^process_cpu_user_seconds_total \d/m);
});

test("what it can do without is named when it is away, and it is ready all the same", async () => {
  await using management = await start({ postgres: () => true }, { nats: () => false });
  const answer = await management.get("/health/ready");
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.json(), { ready: true, away: ["nats"] });
  const { text: metrics } = await management.get("/metrics");
  assert.match(metrics, /^belfry_dependency_up\{dependency="nats"\} 0$/m);
  assert.match(metrics, /^belfry_dependency_up\{dependency="postgres"\} 1$/m);
});

test("every error has the three fields of all others", async (t) => {
  await using management = await start({});
  assert.deepEqual((await management.get("/")).json(), PROBLEMS.notFound);
  const post = await management.get("/health/live", { method: "POST" });
  assert.equal(post.status, 405);
  assert.deepEqual(post.json(), PROBLEMS.methodNotAllowed);
  t.mock.method(register, "metrics", () => Promise.reject(new Error("a fault of ours")));
  const failed = await management.get("/metrics");
  assert.equal(failed.status, 500);
  assert.deepEqual(failed.json(), PROBLEMS.internal);
});

test("a request without Host, with two, or that is no HTTP, is 400", async () => {
  await using management = await start({});
  for (const host of [...BAD_HOSTS, "\u0000\r\n"]) {
    const socket = connect(management.port, "127.0.0.1");
    socket.end(`GET /health/live HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
    const answer = await text(socket);
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.deepEqual(JSON.parse(answer.split("\r\n\r\n")[1] ?? ""), PROBLEMS.badRequest);
  }
});
