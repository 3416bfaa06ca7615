import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { type Results, readResults } from "./results.ts";
import { sizingRows } from "./table-rows.ts";
import { tables, withTables } from "./write-table.ts";

const ROOT = new URL("../../", import.meta.url);
const PAGE =
  "above\n<!-- benchmarks:begin -->\nold\n<!-- benchmarks:end -->\nbetween\n<!-- sizing:begin -->\n<!-- sizing:end -->\nbelow\n";
const ENVIRONMENT = {
  at: "2026-01-02T03:04:05.000Z",
  commit: "0123456789",
  cpu: "A Processor",
  cores: 2,
  memoryGib: 8,
  kernel: "6.1",
  node: "24.0.0",
  postgres: "18.1",
  natsServer: "2.12.0",
};
const EMAIL = {
  bench: "email" as const,
  mails: 8000,
  mailBytes: 15_360,
  perSecond: 1234,
  yardstickPerSecond: 1000,
  ratio: 1.23,
  cpuMicros: { "email-sender": 800, postgres: 400, nats: 30, vendor: 100, dispatcher: 50 },
  yardstickCpuMicros: { yardstick: 900, vendor: 150 },
};

const results = (ratio: number): Results => ({
  email: { environment: ENVIRONMENT, result: { ...EMAIL, ratio } },
});

test("the tables say what was measured on what, beside its yardstick, and whether the aim is met", () => {
  const text = tables(results(1.23));
  assert.match(text, /^All on 2026-01-02 \(UTC\) at commit 0123456789: A Processor, 2 cores/);
  assert.match(
    text,
    /\| mails of 15 KiB a second.*\| +1,234 \| +1,000 \| +1\.23 \| ratio ≥ 0\.6: met \|/,
  );
  assert.match(text, /\| a mail +\| email-sender 800, dispatcher 50 \| +400 \| +30 \| +100 \|/);
  assert.match(tables(results(0.59)), /\| +0\.59 \| ratio ≥ 0\.6: missed \|/);
});

test("sizing keeps a core half busy at the named rate, and two replicas of everything", () => {
  const cpuMicros = {
    "ingest-api": 100,
    dispatcher: 100,
    "email-sender": 800,
    postgres: 100,
    nats: 10,
  };
  const rates = {
    perSecond: 1,
    yardstickPerSecond: 1,
    ratio: 1,
    yardstickCpuMicros: {},
    cpuMicros,
  };
  const latencies = { p50Ms: 1, p99Ms: 1, yardstickP50Ms: 1, yardstickP99Ms: 1 };
  const measured = {
    ingest: { environment: ENVIRONMENT, result: { bench: "ingest", ...rates, ...latencies } },
    dispatch: {
      environment: ENVIRONMENT,
      result: { bench: "dispatch", ...rates, events: 1, tenants: 1 },
    },
    email: {
      environment: ENVIRONMENT,
      result: { bench: "email", ...rates, mails: 1, mailBytes: 1 },
    },
    realtime: { environment: ENVIRONMENT, result: { cpuMicros: 30 } },
  } as unknown as Results;
  const rows = sizingRows(measured);
  // Postgres: 100 + 100 + 2 × 100 + 65 for its end are 1.4 cores at 3,000 a second, 2.8 half busy.
  assert.deepEqual(rows.at(-1), ["3,000", "2", "2", "5", "5", "2", "3", "1"]);
  assert.deepEqual(rows[0], ["10", "2", "2", "2", "2", "2", "1", "1"]);
  assert.deepEqual(sizingRows({}), []);
});

test("a page's tables are replaced, and its text stays", () => {
  const once = withTables(PAGE, results(1.23));
  assert.match(once, /^above\n<!-- benchmarks:begin -->\nAll on /);
  assert.match(once, /\nbetween\n<!-- sizing:begin -->\n\| events a second/);
  assert.doesNotMatch(once, /old/);
  assert.equal(withTables(once, results(1.23)), once);
  assert.throws(() => withTables("no marks", {}), /benchmarks:begin/);
});

test("the published tables are those of the kept results", async () => {
  const page = await readFile(new URL("docs/performance.md", ROOT), "utf8");
  const kept = await readResults(new URL("test/bench/results.json", ROOT).pathname);
  assert.equal(withTables(page, kept), page, "pnpm bench table writes them");
});
