import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { eventually } from "@belfry/testing/eventually";
import { LAUNCHER, newHome, processesOf, startStack } from "./start-stack.ts";

const run = promisify(execFile);
const SOURCE = "services/sms-sender/package.json";

test("pnpm dev restarts the service whose file changed, and dev:reset drops the data of a stopped stack", async (t) => {
  const home = await newHome(t);
  const stack = await startStack(home, [...LAUNCHER, "--dev"]);
  assert.match(stack.output(), /sample tenant \S+: a month of events is in place/);

  const servicePids = async () => {
    const services = new Map<string, number>();
    for (const { pid, command } of await processesOf(home)) {
      const name = /services\/([\w-]+)\/\S*main\.ts/.exec(command)?.[1];
      if (name !== undefined) services.set(name, pid);
    }
    return services;
  };
  const before = await servicePids();
  const now = new Date();
  await utimes(SOURCE, now, now);
  await eventually(() => /changed: restarting.*[\s\S]*sms-sender is back/.test(stack.output()));
  assert.match(stack.output(), new RegExp(`^${SOURCE} changed: restarting sms-sender$`, "m"));
  const after = await servicePids();
  assert.notEqual(after.get("sms-sender"), before.get("sms-sender"));
  before.delete("sms-sender");
  after.delete("sms-sender");
  assert.deepEqual(after, before, "nothing else was restarted");

  // biome-ignore lint/style/noProcessEnv: as in a developer's shell
  const options = { env: { ...process.env, ...home.env } };
  const reset = () => run(process.execPath, ["deploy/local/reset.ts"], options);
  await assert.rejects(reset(), /running already/);
  assert.equal((await stat(join(home.path, "local.json"))).isFile(), true);

  const location = await readFile(join(home.path, "postgres", "location"), "utf8").catch(() => "");
  stack.child.kill("SIGTERM");
  await once(stack.child, "exit");
  assert.match((await reset()).stdout, /is gone/);
  for (const folder of [home.path, location.trim()].filter((path) => path !== "")) {
    await assert.rejects(stat(folder), { code: "ENOENT" });
  }
  assert.match((await reset()).stdout, /no local data/);
});
