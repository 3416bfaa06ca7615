import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { eventually } from "@belfry/testing/eventually";
import { createLogger } from "./logger.ts";

function capture(level = "info") {
  const lines: string[] = [];
  const log = createLogger({
    service: "unit",
    level,
    destination: { write: (line) => lines.push(line) },
  });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? "{}") };
}

test("a line is JSON with time, level, service and message", () => {
  const { log, last } = capture();
  log.info({ tenantId: "t1" }, "accepted");
  const { time, ...rest } = last();
  assert.match(time, /^\d{4}-\d\d-\d\dT/);
  assert.deepEqual(rest, { level: "info", service: "unit", tenantId: "t1", msg: "accepted" });
});

test("keys, secrets, bodies and recipients never reach a line, however deep or spelt", () => {
  const { log, lines } = capture();
  const secret = "s3cr3t-value";
  log.info({ apiKey: secret, "x-api-key": secret, api_key: secret, Authorization: secret }, "a");
  log.info({ request: { headers: { cookie: secret }, body: { a: secret } } }, "b");
  log.info({ event: { payload: secret, deep: [{ recipientEmail: secret }] } }, "c");
  log.info({ provider: { settings: { password: secret } }, variables: { otp: secret } }, "d");
  log.info({ user: { chat: secret }, addresses: secret, blocks: [{ label: secret }] }, "e");
  log.child({ token: secret }).info("f");
  assert.equal(lines.length, 6);
  assert.doesNotMatch(lines.join(""), /s3cr3t/);
});

test("the object that is logged is not changed", () => {
  const { log } = capture();
  const line = { inner: { token: "t" }, list: [{ body: "b" }] };
  log.info(line, "x");
  assert.deepEqual(line, { inner: { token: "t" }, list: [{ body: "b" }] });
});

test("an error is logged with its causes and without what a library hung onto it", () => {
  const { log, last, lines } = capture();
  const cause = Object.assign(new Error("connection refused"), { code: "ECONNREFUSED" });
  const error = Object.assign(new Error("send failed", { cause }), {
    response: { body: "s3cr3t", headers: { authorization: "s3cr3t" } },
  });
  log.error({ err: error, faults: [error] }, "failed");
  const { err, faults } = last();
  for (const logged of [err, ...faults]) {
    assert.equal(logged.message, "send failed");
    assert.equal(logged.cause.code, "ECONNREFUSED");
    assert.match(logged.stack, /logger\.test\.ts/);
  }
  assert.doesNotMatch(lines.join(""), /s3cr3t/);
});

test("a value that contains itself does not hang the logger", () => {
  const { log, lines } = capture();
  const loop: Record<string, unknown> = { name: "loop" };
  loop.self = loop;
  log.info({ loop }, "x");
  assert.equal(lines.length, 1);
});

const MODULE = new URL("./logger.ts", import.meta.url).href;
const EXIT_CODE = 7;

/** A process that logs, and exits with 7 when it is told to. */
function logging(lines: number) {
  const program = `
    import { createLogger } from ${JSON.stringify(MODULE)};
    const log = createLogger({ service: "s", level: "info" });
    for (let n = 0; n < ${lines}; n += 1) log.info({ n, padding: "x".repeat(200) }, "line");
    process.stdin.once("data", () => {
      log.info("last");
      process.exit(${EXIT_CODE});
    });
    process.stderr.write("ready");`;
  return spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["pipe", "pipe", "pipe"],
  });
}

test("every line arrives in order, the one just before an exit too", async () => {
  const child = logging(5000);
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
  });
  await eventually(() => output.includes('"n":4999'));
  child.stdin.write("go");
  const [code] = await once(child, "close");
  assert.equal(code, EXIT_CODE);
  const lines = output.trimEnd().split("\n");
  assert.deepEqual(
    lines.slice(0, -1).map((line) => JSON.parse(line).n),
    Array.from({ length: 5000 }, (_, n) => n),
  );
  assert.equal(JSON.parse(lines.at(-1)!).msg, "last");
});

test("a process whose log nobody reads any more still ends", async () => {
  const child = logging(10);
  await once(child.stdout, "data");
  child.stdout.destroy();
  child.stdin.write("go");
  const [code] = await once(child, "exit");
  assert.equal(code, EXIT_CODE);
});
