import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Cleanup } from "@belfry/testing/cleanup";
import { freePort } from "@belfry/testing/free-port";
import { connect } from "@nats-io/transport-node";
import { startNats } from "./nats-server.ts";

const log = () => undefined;

async function setUp(t: Cleanup) {
  const directory = await mkdtemp(join(tmpdir(), "belfry nats "));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return { storeDir: join(directory, "store"), port: await freePort() };
}

test("what was stored is there after a crash and a second start", async (t) => {
  const { storeDir, port } = await setUp(t);
  const first = await startNats({ storeDir, port, log, durable: true });
  await ask(first.url, "$JS.API.STREAM.CREATE.kept", { name: "kept", subjects: ["kept.*"] });
  await ask(first.url, "kept.a", {});
  await first.kill();

  const second = await startNats({ storeDir, port, log, durable: true });
  t.after(() => second.stop());
  assert.equal((await ask(second.url, "$JS.API.STREAM.INFO.kept", {})).state.messages, 1);
});

async function ask(url: string, subject: string, body: object) {
  const nc = await connect({ servers: url });
  const answer = (await nc.request(subject, JSON.stringify(body))).json<{
    error?: unknown;
    state: { messages: number };
  }>();
  await nc.close();
  assert.equal(answer.error, undefined);
  return answer;
}

test("a taken port is a clear error", async (t) => {
  const { storeDir, port } = await setUp(t);
  const server = await startNats({ storeDir, port, log });
  t.after(() => server.stop());
  await assert.rejects(
    startNats({ storeDir: `${storeDir}-other`, port, log }),
    new RegExp(`did not start on port ${port}`),
  );
});
