import assert from "node:assert/strict";
import { test } from "node:test";
import { parentChain } from "./process-chain.ts";

/** Processes below the terminal: each row is the child of the row above. */
const TYPED: readonly (readonly [number, string])[] = [
  [1, "init"],
  [10, "-zsh"],
  [20, "npm exec pnpm@12 start"],
  [30, "sh -c 'pnpm' start"],
  [40, "pnpm start"],
  [50, "sh -c node deploy/local/main.ts"],
  [60, "node deploy/local/main.ts"],
];

test("the chain is what the package managers put between the shell and us", async () => {
  assert.deepEqual(await parentChain(60, lookup(TYPED)), [50, 40, 30, 20]);
});

test("a script that starts us in the background and goes away is no part of the chain", async () => {
  const rows = TYPED.with(1, [10, "bash -c npx --yes pnpm@12 start &"]);
  assert.deepEqual(await parentChain(60, lookup(rows)), [50, 40, 30, 20]);
});

test("started without a package manager, nobody above us is watched", async () => {
  const rows = [
    [1, "init"],
    [10, "bash"],
    [60, "node deploy/local/main.ts"],
  ] as const;
  assert.deepEqual(await parentChain(60, lookup(rows)), []);
});

test("a package manager that Node runs from a script file is known", async () => {
  const rows = [
    [1, "init"],
    [20, "/usr/bin/node /usr/lib/node_modules/corepack/dist/pnpm.js start"],
    [30, "/bin/sh -c node deploy/local/main.ts"],
    [60, "node deploy/local/main.ts"],
  ] as const;
  assert.deepEqual(await parentChain(60, lookup(rows)), [30, 20]);
});

function lookup(rows: readonly (readonly [number, string])[]) {
  const at = (pid: number) => rows.findIndex(([id]) => id === pid);
  return {
    parentOf: async (pid: number) => rows[at(pid) - 1]?.[0],
    commandOf: async (pid: number) => rows[at(pid)]?.[1],
  };
}
