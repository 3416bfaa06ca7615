import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import type { Cleanup } from "@belfry/testing/cleanup";
import { freePort } from "@belfry/testing/free-port";
import { connect } from "@nats-io/transport-node";
import { findNatsServer, NATS_VERSION, startNats } from "./nats-server.ts";

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

test("an old server on the PATH serves only where Go cannot build the one that we ship", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "belfry nats "));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const program = async (folder: string, name: string, lines: string) => {
    await mkdir(join(directory, folder), { recursive: true });
    await writeFile(join(directory, folder, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
    return join(directory, folder, name);
  };
  const old = await program("old", "nats-server", "echo nats-server: v2.9.10");
  const current = await program("new", "nats-server", `echo nats-server: v${NATS_VERSION}`);
  await program("no-go", "go", "exit 1");
  await program("go", "go", `cp "${current}" "$GOBIN"`);
  const found = (folders: string[], mayInstall = true) => {
    const places = [...folders.map((name) => join(directory, name)), "/usr/bin", "/bin"];
    const env = { PATH: places.join(delimiter), XDG_CACHE_HOME: join(directory, "cache") };
    return findNatsServer({ mayInstall, log, env });
  };

  assert.equal(await found(["new"]), current);
  assert.equal(await found(["old", "go"], false), old);
  assert.equal(await found(["old", "no-go"]), old);
  const kept = join(directory, "cache", "belfry", `nats-server-${NATS_VERSION}`);
  const built = join(kept, "nats-server");
  assert.equal(await found(["old", "go"]), built);
  assert.equal(await found(["old"], false), built);
  assert.deepEqual(await readdir(kept), ["nats-server"]);
});
