import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

/**
 * `npx --yes pnpm@12 test:release`: the long tests that the test command leaves out, one after another, and at the end a
 * table of what ran, what failed and what this machine left out. `npx --yes pnpm@12 test:release test:chart failure`
 * runs these two alone.
 */

const ROOT = resolve(import.meta.dirname, "..");
const PARTS = [
  ...["test:images", "test:clients", "test:chart"],
  ...["failure", "failure:cluster", "failure:devices", "failure:upgrade", "failure:stops"],
];

interface Result {
  part: string;
  code: number;
  minutes: number;
  leftOut: string[];
}

async function runPart(part: string, script: string): Promise<Result> {
  const [, ...args] = script.split(" ");
  const start = performance.now();
  process.stdout.write(`\n== ${part}\n`);
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  const leftOut: string[] = [];
  for (const [stream, output] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    createInterface({ input: stream }).on("line", (line) => {
      output.write(`${line}\n`);
      const [, what] = /^NOT RUN: (.*)/.exec(line) ?? [];
      if (what !== undefined) leftOut.push(what);
    });
  }
  const [code] = await once(child, "close");
  return { part, code: code ?? 1, minutes: (performance.now() - start) / 60_000, leftOut };
}

async function main(parts: string[]): Promise<number> {
  const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const unknown = parts.filter((part) => !PARTS.includes(part));
  if (unknown.length > 0) {
    process.stderr.write(`${unknown.join(", ")}: no such part; there are ${PARTS.join(", ")}\n`);
    return 2;
  }
  const results: Result[] = [];
  for (const part of parts.length > 0 ? parts : PARTS) {
    results.push(await runPart(part, scripts[part]));
  }
  const git = spawn("git", ["describe", "--always", "--dirty"], { cwd: ROOT });
  process.stdout.write(`\nrelease tests of ${(await text(git.stdout)).trim()}\n`);
  for (const { part, code, minutes, leftOut } of results) {
    const result = code === 0 ? "passed" : `FAILED (exit code ${code})`;
    process.stdout.write(`${part.padEnd(16)} ${result}, ${minutes.toFixed(1)} min\n`);
    for (const what of leftOut) process.stdout.write(`${"".padEnd(16)} left out: ${what}\n`);
  }
  return results.every(({ code }) => code === 0) ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
