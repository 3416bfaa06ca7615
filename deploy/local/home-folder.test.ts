import assert from "node:assert/strict";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { type TestContext, test } from "node:test";
import { parseLinkKeys } from "@belfry/database/link-token";
import { parseSecretKeys } from "@belfry/database/secrets";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import {
  AlreadyRunning,
  claimHome,
  type HomeFolder,
  homeFolder,
  localKeys,
  makeHomeFolder,
  writeJson,
} from "./home-folder.ts";

test("keys are made once, fit the services, and only their owner can read them", async (t) => {
  const home = await newHome(t);
  const keys = await localKeys(home);
  assert.equal(parseSecretKeys(keys.secretsKeys).current.key.length, 32);
  assert.equal(parseSecretKeys(keys.realtimeTokenKeys).current.kid, "k1");
  assert.notEqual(keys.secretsKeys, keys.realtimeTokenKeys);
  assert.deepEqual(await localKeys(home), keys);
  assert.equal(parseLinkKeys(keys.linkKeys).current.kid, "k1");
  assert.equal(await modeOf(home.keysFile), 0o600);
  assert.equal(await modeOf(home.path), 0o700);
});

test("keys that cannot be read stop the start instead of being replaced", async (t) => {
  const home = await newHome(t);
  await writeFile(home.keysFile, "{ torn");
  await assert.rejects(localKeys(home), /keys\.json is not JSON/);
  assert.equal(await readFile(home.keysFile, "utf8"), "{ torn");
});

test("a file is replaced whole and leaves nothing beside it", async (t) => {
  const home = await newHome(t);
  await writeJson(home.localFile, { n: 1 });
  await writeJson(home.localFile, { n: 2 });
  assert.deepEqual(JSON.parse(await readFile(home.localFile, "utf8")), { n: 2 });
  assert.equal(await modeOf(home.localFile), 0o600);
  assert.deepEqual((await readdir(home.path)).sort(), ["local.json", "logs"]);
});

test("stack.json of a process that is gone, or of another program by now, is stale", async (t) => {
  const home = await newHome(t);
  // This process lives, and is no local stack.
  await writeJson(home.stackFile, { pid: process.pid });
  await writeJson(home.localFile, { apiUrl: "old" });
  const claim = await claimHome(home, 4711);
  assert.equal(claim.foundStale, true);
  assert.deepEqual(JSON.parse(await readFile(home.stackFile, "utf8")), { pid: 4711 });
  await assert.rejects(stat(home.localFile), { code: "ENOENT" });
  await claim.release();
  assert.equal((await claimHome(home, 4712)).foundStale, false);
});

test("what a start says of a live stack has its addresses and how to stop it", () => {
  const { message } = new AlreadyRunning(42, "/home/of/it", {
    apiUrl: "http://127.0.0.1:3000",
    wsUrl: "ws://127.0.0.1:3001/connection/websocket",
    adminUrl: "http://127.0.0.1:3002",
    demoUrl: "http://127.0.0.1:3003",
    databaseUrl: "postgres://secret",
    natsUrl: "nats://",
    tenant: { id: "t", name: "T", apiKey: "bf_secret" },
  });
  assert.match(message, /process 42.*\/home\/of\/it/);
  assert.match(message, /127\.0\.0\.1:3000[\s\S]*:3001[\s\S]*:3003[\s\S]*belfry stop/);
  assert.doesNotMatch(message, /secret/);
});

async function newHome(t: TestContext): Promise<HomeFolder> {
  const path = await temporaryFolder(t, "home");
  const home = homeFolder(path);
  await makeHomeFolder(home);
  return home;
}

async function modeOf(file: string): Promise<number> {
  return (await stat(file)).mode & 0o777;
}
