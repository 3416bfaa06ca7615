import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { eventually } from "@belfry/testing/eventually";

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
