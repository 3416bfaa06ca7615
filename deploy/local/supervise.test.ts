import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Run, supervise } from "./supervise.ts";

test("what ends is started again, and says so", async () => {
  const { runs, said, supervised } = await superviseBell();
  runs[0]!.end("SIGKILL");
  await until(() => runs.length === 2 && said.length === 2);
  assert.deepEqual(said, ["bell ended (SIGKILL); starting it again in 0.25 s", "bell is back"]);
  await supervised.stop(new AbortController().signal);
  assert.equal(runs[1]!.stopped, true);
});

test("what ends again and again is started ever later", async () => {
  const { runs, said, supervised } = await superviseBell();
  for (const n of [1, 2]) {
    runs.at(-1)!.end("exit code 1");
    await until(() => runs.length === n + 1);
  }
  await supervised.stop(new AbortController().signal);
  assert.deepEqual(
    said.filter((line) => line.includes("again")).map((line) => line.split(" in ")[1]),
    ["0.25 s", "0.5 s"],
  );
});

test("what is stopped stays stopped, also while it waits to be started again", async () => {
  const { runs, said, supervised } = await superviseBell();
  runs[0]!.end("SIGKILL");
  await until(() => said.length === 1);
  await supervised.stop(new AbortController().signal);
  // Longer than the announced wait.
  await sleep(350);
  assert.equal(runs.length, 1);
});

test("a restart ends the run and starts the next one at once, also while it waits to be started again", async () => {
  const { runs, said, supervised } = await superviseBell();
  await supervised.restart();
  await until(() => runs.length === 2 && said.length === 1);
  assert.equal(runs[0]!.stopped, true);
  assert.deepEqual(said, ["bell is back"]);
  runs[1]!.end("exit code 1");
  await until(() => said.length === 2);
  await supervised.restart();
  await until(() => runs.length === 3);
  await supervised.stop(new AbortController().signal);
});

async function superviseBell() {
  const runs: FakeRun[] = [];
  const said: string[] = [];
  const supervised = await supervise(
    "bell",
    async () => fakeRun(runs),
    (line) => said.push(line),
  );
  return { runs, said, supervised };
}

interface FakeRun extends Run {
  stopped: boolean;
  end(why: string): void;
}

function fakeRun(runs: FakeRun[]): FakeRun {
  let end: (why: string) => void = () => undefined;
  const run: FakeRun = {
    ready: Promise.resolve(true),
    ended: new Promise((resolve) => {
      end = resolve;
    }),
    stopped: false,
    end: (why) => end(why),
    async stop() {
      run.stopped = true;
      end("stopped");
    },
  };
  runs.push(run);
  return run;
}

async function until(met: () => boolean): Promise<void> {
  while (!met()) await sleep(10);
}
