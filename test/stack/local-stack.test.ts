import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { eventually } from "@belfry/testing/eventually";
import { listen } from "@belfry/testing/listen";
import { measureProcesses } from "../bench/idle.ts";
import {
  beginStack,
  chainOf,
  type Home,
  leftovers,
  NPX,
  newHome,
  processesOf,
  runToEnd,
  startStack,
} from "./start-stack.ts";

const run = promisify(execFile);

test("one command gives a working stack, and the next one finds its data", async (t) => {
  const home = await newHome(t);
  const stack = await startStack(home);
  const { local } = stack;

  await t.test("local.json says where everything is, to its owner alone", async () => {
    assert.deepEqual(local, {
      apiUrl: `http://127.0.0.1:${home.env.INGEST_API_PORT}`,
      wsUrl: `ws://127.0.0.1:${home.env.REALTIME_GATEWAY_PORT}/connection/websocket`,
      adminUrl: `http://127.0.0.1:${home.env.ADMIN_PORT}`,
      demoUrl: `http://127.0.0.1:${home.env.DEMO_PORT}`,
      databaseUrl: local.databaseUrl,
      natsUrl: local.natsUrl,
      tenant: { id: local.tenant.id, name: "Demo", apiKey: local.tenant.apiKey },
    });
    assert.match(local.databaseUrl, /^postgres:\/\/\S+@127\.0\.0\.1:\d+\/belfry$/);
    assert.match(local.natsUrl, /^nats:\/\/127\.0\.0\.1:\d+$/);
    assert.equal((await stat(join(home.path, "local.json"))).mode & 0o777, 0o600);
    assert.equal((await stat(home.path)).mode & 0o777, 0o700);
  });

  await t.test("the terminal shows the addresses, the tenant, its key and the demo page", () => {
    for (const text of [local.apiUrl, local.wsUrl, local.demoUrl, ...Object.values(local.tenant)]) {
      assert.ok(stack.output().includes(text), text);
    }
  });

  await t.test(
    "the printed line sends an email, an SMS and a push each time it is pasted",
    async () => {
      const line = /^curl .*$/m.exec(stack.output())?.[0] ?? "";
      for (let i = 0; i < 2; i++) {
        const { stdout } = await run("bash", ["-c", line]);
        assert.deepEqual(JSON.parse(stdout), {
          success: true,
          message: "Event order.confirmed dispatched securely for Demo",
        });
      }
      await eventually(async () => (await outboxOf(local.demoUrl)).length === 4);
      const channels = (await outboxOf(local.demoUrl)).map(({ channel }) => channel).sort();
      assert.deepEqual(channels, ["EMAIL", "EMAIL", "SMS", "SMS"]);
      await eventually(async () => (await history(local)).length === 2);
    },
  );

  await t.test("a second start says that one is running, and changes nothing", async () => {
    const { code, output } = await runToEnd(home);
    assert.equal(code, 1);
    assert.match(output, /running already/);
    assert.ok(output.includes(local.demoUrl));
    assert.equal((await outboxOf(local.demoUrl)).length, 4);
  });

  await t.test("a service that is killed is back by itself", async () => {
    const isDispatcher = (command: string) => command.includes("services/dispatcher/src/main.ts");
    const dispatcher = async () =>
      (await processesOf(home)).find(({ command }) => isDispatcher(command))?.pid;
    const before = await dispatcher();
    assert.ok(before);
    process.kill(before, "SIGKILL");
    await eventually(() =>
      /dispatcher ended \(SIGKILL\)[\s\S]*dispatcher is back/.test(stack.output()),
    );
    assert.notEqual(await dispatcher(), before);
    const ended = stack.output().match(/\S+ ended \(.*?\)/g);
    assert.deepEqual(ended, ["dispatcher ended (SIGKILL)"], "nothing else has ended");
  });

  await t.test("the benchmark finds what each of its parts takes", async () => {
    const { parts } = await measureProcesses(stack.child.pid ?? 0, 0.1);
    const services = ["ingest-api", "dispatcher", "email-sender", "sms-sender", "realtime-gateway"];
    for (const part of [...services, "admin", "postgres", "nats", "launcher"]) {
      assert.ok(parts[part]!.pssMb > 1, `${part} has no memory`);
    }
  });

  await t.test("SIGTERM ends everything, in order and with exit code 0", async () => {
    stack.child.kill("SIGTERM");
    const [code] = await once(stack.child, "exit");
    assert.equal(code, 0);
    assert.deepEqual(await leftovers(home), []);
    const files = await readdir(home.path);
    assert.ok(!files.includes("local.json") && !files.includes("stack.json"), files.join());
  });

  await t.test(
    "what a dead stack left behind does not stop the next start, which has the tenant, its key and its history",
    async () => {
      await writeFile(join(home.path, "stack.json"), JSON.stringify({ pid: process.pid }));
      const again = await startStack(home);
      assert.match(stack.output(), /database: \d+ migrations/);
      assert.doesNotMatch(again.output(), /migrations/);
      const { pid } = JSON.parse(await readFile(join(home.path, "stack.json"), "utf8"));
      assert.notEqual(pid, process.pid);
      assert.deepEqual(again.local.tenant, local.tenant);
      assert.equal((await history(again.local)).length, 2);
      t.diagnostic(
        `first start ${Math.round(stack.startedInMs)} ms, second ${Math.round(again.startedInMs)} ms`,
      );
      again.child.kill("SIGINT");
      await once(again.child, "exit");
      assert.deepEqual(await leftovers(home), []);
    },
  );

  await t.test("the end of any process of the chain leaves no process", async () => {
    // From the process that holds the stack up to npx.
    const ends = [
      { at: 0, signal: "SIGKILL" },
      { at: 1, signal: "SIGKILL" },
      { at: -3, signal: "SIGTERM" },
      { at: -1, signal: "SIGKILL" },
    ] as const;
    for (const { at, signal } of ends) {
      // Once whole, then as soon as there is a chain: the services are then on their way up.
      const stack = await (at === 0 ? startStack(home, NPX) : beginStack(home, NPX));
      const chain = await chainOf(home, stack);
      assert.ok(chain.length > 3, "npx, pnpm, the launcher and the holder");
      process.kill(chain.at(at)!, signal);
      assert.deepEqual(await leftovers(home), [], `${signal} to ${at} of ${chain.length}`);
    }
  });
});

test("a taken port is named before anything starts", async (t) => {
  const server = createServer();
  const port = await listen(t, server);
  const home = await newHome(t, { DEMO_PORT: String(port) });
  const { code, output } = await runToEnd(home);
  assert.equal(code, 1);
  assert.match(output, new RegExp(`port ${port} is taken.*DEMO_PORT`));
  assert.deepEqual((await readdir(home.path)).sort(), ["logs"]);
});

test("every bad variable is named at once", async (t) => {
  const home = await newHome(t, { DEMO_PORT: "many", NATS_URL: "http://x" });
  const { code, output } = await runToEnd(home);
  assert.equal(code, 1);
  assert.match(output, /DEMO_PORT: must be a whole number[\s\S]*NATS_URL: must match/);
});

async function outboxOf(demoUrl: string): Promise<{ channel: string }[]> {
  const response = await fetch(`${demoUrl}/demo/outbox`);
  return ((await response.json()) as { messages: { channel: string }[] }).messages;
}

async function history(local: { apiUrl: string; tenant: Home["env"] }): Promise<unknown[]> {
  const { id, apiKey } = local.tenant;
  const response = await fetch(`${local.apiUrl}/api/v1/notifications/${id}/demo-user`, {
    headers: { "x-api-key": apiKey ?? "" },
  });
  return ((await response.json()) as { data: unknown[] }).data;
}
