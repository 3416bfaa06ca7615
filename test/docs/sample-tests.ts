import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { missingFor, runExample } from "../client-languages/run-example.ts";
import { blocksOf } from "./markdown.ts";
import type { Bench } from "./shell.ts";

const SECRET = "whsec-of-the-docs";
const SIGNED = ["trigger.mjs", "trigger.py", "trigger.php", "trigger.go"];

const EXAMPLES = new URL("../../examples/", import.meta.url);
const TOUR = "members: 2\npeople: 2\nscheduled: 200 200\ncancelled: 2\ninbox: true\n";
/** Examples that no page repeats, and what they print. */
const PRINTED: Record<string, string> = {
  "idempotency.mjs": "retry: true true\nother order: false false\n",
  "broadcast.mjs": "people: 2\nin the inbox: 2\nplanned: scheduled\nthen: cancelled\n",
  "send-later.mjs": "scheduled: 2\ncancelled: 2\nstatus: cancelled\n",
  "topics.mjs": "members: 2\nbuyer-1\ncourier-3\nleft: 0\n",
  "users.mjs": "* SMS false\nerased: true\n",
  "tour.py": TOUR.replace("200 200", "[200, 200]").replace("true", "True"),
  "tour.go": TOUR,
};

export function sampleTests(bench: Bench): void {
  for (const name of SIGNED) {
    test(`authentication.md: ${name} signs an event that is accepted`, async (t) => {
      const missing = await missingFor(name);
      if (missing !== undefined) return t.skip(missing);
      const { stack } = bench;
      const tenant = await stack.createTenant({ name: "Signed", webhookSecret: SECRET });
      const signedWith = (secret: string) =>
        runSample(bench, `authentication.md ${name}`, {
          ...{ BELFRY_API_KEY: tenant.apiKey, BELFRY_WEBHOOK_SECRET: secret },
        });
      const { code, out, err } = await signedWith(SECRET);
      assert.equal(code, 0, `${out}\n${err}`);
      assert.match(out, /^(200 )?.*dispatched securely for Signed/);
      const { rows } = await stack.pool.query(
        "select variables::jsonb->>'title' as title from events where tenant_id = $1",
        [tenant.id],
      );
      assert.deepEqual(rows, [{ title: "Grüße" }]);
      assert.notEqual((await signedWith("another")).code, 0, "a wrong secret is told");
    });
  }

  for (const name of ["client.mjs", "client.py", "client.go"]) {
    test(`quick-start.md: ${name} runs and exits well`, async (t) => {
      const missing = await missingFor(name);
      if (missing !== undefined) return t.skip(missing);
      const tenant = await bench.stack.createTenant();
      const { code, out, err } = await runSample(bench, `quick-start.md ${name}`, {
        ...{ BELFRY_API_KEY: tenant.apiKey, BELFRY_TENANT_ID: tenant.id },
      });
      assert.equal(code, 0, err);
      assert.match(out, /^(accepted|dispatched)\n/);
    });
  }

  for (const [name, printed] of Object.entries(PRINTED)) {
    test(`${name} runs and prints what its comments say`, async (t) => {
      const missing = await missingFor(name);
      if (missing !== undefined) return t.skip(missing);
      const { apiKey } = await bench.stack.createTenant();
      const { code, out, err } = await runFromBench(bench, name, { BELFRY_API_KEY: apiKey });
      assert.equal(code, 0, err);
      assert.equal(out, printed);
    });
  }

  test("examples/README.md lists every example", () => {
    const examples = readdirSync(EXAMPLES).filter((name) => name !== "README.md");
    const readme = readFileSync(new URL("README.md", EXAMPLES), "utf8");
    const listed = [...readme.matchAll(/`([\w-]+\.[a-z]+)`/g)].map(([, name]) => name!);
    assert.deepEqual(listed.sort(), examples.sort());
  });

  test("limits.md: retry.mjs waits out a limit", async () => {
    const { apiKey } = await bench.stack.createTenant();
    const retry = (key: string) => runSample(bench, "limits.md retry.mjs", { BELFRY_API_KEY: key });
    const first = await retry(apiKey);
    assert.equal(first.code, 0, first.err);
    assert.match(first.out, /success: true/);
    const wrong = await retry("wrong");
    assert.notEqual(wrong.code, 0);
    assert.match(wrong.err, /event not accepted: 401/);
  });
}

/** Checks that the page shows the example as it is, and runs it: `<page> <name>`. */
async function runSample(bench: Bench, sample: string, env: Record<string, string>) {
  const [page = "", name = ""] = sample.split(" ");
  const block = blocksOf(page).find(({ info }) => info === `examples/${name}`);
  assert.ok(block, `${page} has no ${name}`);
  return await runFromBench(bench, name, env);
}

async function runFromBench(bench: Bench, name: string, env: Record<string, string>) {
  const path = new URL(name, EXAMPLES).pathname;
  return await runExample(bench.cleanup, path, { BELFRY_URL: bench.stack.apiUrls[0], ...env });
}
