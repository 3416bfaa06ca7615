import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { startForTenant } from "@belfry/admin/test/start-admin";
import { workBundles } from "@belfry/administration/templates/work-bundles";
import { createKey } from "@belfry/administration/tenants/tenant-credentials";
import { actsIn } from "@belfry/administration/test/acts";
import { eventually } from "@belfry/testing/eventually";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { runBelfry } from "../../packages/cli/test/run-belfry.ts";

/** One more than is compiled while a caller waits. */
const MANY = 101;
/** The tenant's own, which the bundle lacks. */
const LAYOUT = ["layout.json", "layout.mjml"];
const FILES = Object.fromEntries(
  Array.from({ length: MANY }, (_, n) => [`sale-${n}/SMS.txt`, `---\n---\nSale ${n}`]),
);

async function world(t: test.TestContext) {
  const { admin, id } = await startForTenant(t);
  const { apiKey } = await actsIn(admin.db, id)(createKey, { role: "manage", name: "pipeline" });
  const ask = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${admin.url}/api/v1/manage${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "x-api-key": apiKey, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { data, message } = (await answer.json()) as { data: never; message: unknown };
    return { status: answer.status, data: data as Record<string, unknown>, message };
  };
  const work = () => workBundles({ db: admin.db }, new AbortController().signal);
  return { admin, apiKey, ask, work };
}

test("a large bundle is answered 202 at once, one at a time, and its progress names its end", async (t) => {
  const { ask, work } = await world(t);
  const once = { "idempotency-key": "deploy-1" };
  const begun = await ask("/bundle", { files: FILES }, once);
  assert.deepEqual([begun.status, begun.data.state, begun.data.total], [202, "waiting", MANY]);
  const repeated = await ask("/bundle", { files: FILES }, once);
  assert.deepEqual([repeated.status, repeated.data.id], [202, begun.data.id]);
  const other = await ask("/bundle", { files: FILES });
  assert.equal(other.status, 409);
  assert.match(String(other.message), /wait for its end/);
  const progress = `/bundle/applies/${begun.data.id}`;
  assert.deepEqual([(await ask(progress)).status, (await ask(progress)).data.compiled], [200, 0]);
  assert.equal((await ask("/bundle/applies/none")).status, 404);

  assert.equal(await work(), 1);
  const { data } = await ask(progress);
  assert.deepEqual([data.state, data.applied, data.compiled], ["done", true, MANY]);
  const again = await ask("/bundle", { files: FILES });
  assert.deepEqual([again.status, (again.data.same as string[]).length], [200, MANY]);
});

test("the command waits for the end, and prints what it prints of a small bundle", async (t) => {
  const { admin, apiKey, work } = await world(t);
  const home = await temporaryFolder(t, "bundle");
  const env = { BELFRY_HOME: home, BELFRY_API_URL: admin.url, BELFRY_API_KEY: apiKey };
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(join(home, "bundle", path, ".."), { recursive: true });
    await writeFile(join(home, "bundle", path), text);
  }
  const running = runBelfry(["bundle", "apply", "bundle"], { env, cwd: home });
  await eventually(async () => assert.equal(await work(), 1));
  const { code, out, err } = await running;
  assert.equal(code, 0, err);
  const { plan, added, ...rest } = JSON.parse(out);
  assert.match(plan, /^[0-9a-f]{32}$/);
  assert.equal(added.length, MANY);
  assert.deepEqual(rest, { changed: [], same: [], outdated: LAYOUT, faults: [], applied: true });
});
