import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { eventually } from "@belfry/testing/eventually";
import { startGuarded } from "./guarded-process.ts";

/** Tells its pid, then waits; says so when it is asked to stop. */
const PATIENT = `trap 'echo stopped; exit 0' TERM; echo $$; while :; do sleep 0.05; done`;

function start(script: string) {
  const lines: string[] = [];
  const guarded = startGuarded({
    command: "/bin/sh",
    args: ["-c", script],
    env: { PATH: "/usr/bin:/bin" },
    stopSignal: "TERM",
    onLine: (line) => lines.push(line),
  });
  return { guarded, lines };
}

test("stop asks and waits, and nothing is left", async () => {
  const { guarded, lines } = start(PATIENT);
  await eventually(() => lines.length === 1);
  await guarded.stop();
  assert.equal(lines.at(-1), "stopped");
  await eventually(async () => !(await isAlive(Number(lines[0]))));
});

test("one that does not listen is killed after the grace", async () => {
  const { guarded, lines } = start(`trap '' TERM; echo $$; while :; do sleep 0.05; done`);
  await eventually(() => lines.length === 1);
  await guarded.stop(200);
  await eventually(async () => !(await isAlive(Number(lines[0]))));
});

test("its own end and its exit code are known", async () => {
  assert.deepEqual(await start("exit 3").guarded.exited, { code: 3 });
});

test("a program that is not there ends with an error, not with a crash of ours", async () => {
  const guarded = startGuarded({
    command: "/nowhere/at-all",
    args: [],
    env: {},
    stopSignal: "TERM",
    onLine: () => undefined,
  });
  assert.equal((await guarded.exited).code, 127);
});

test("it ends when the process that started it is killed", async (t) => {
  const parent = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `import { startGuarded } from ${JSON.stringify(new URL("./guarded-process.ts", import.meta.url).href)};
       startGuarded({ command: "/bin/sh", args: ["-c", ${JSON.stringify(PATIENT)}],
         env: { PATH: "/usr/bin:/bin" }, stopSignal: "TERM", onLine: (line) => console.log(line) });`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  t.after(() => void parent.kill("SIGKILL"));
  const [chunk] = await once(parent.stdout, "data");
  const pid = Number(String(chunk));
  assert.equal(await isAlive(pid), true);
  parent.kill("SIGKILL");
  await eventually(async () => !(await isAlive(pid)));
});

/** A zombie that nobody has buried yet counts as dead. */
async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    return !/\) Z /.test(stat);
  } catch {
    return false;
  }
}
