import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { startForTenant } from "@belfry/admin/test/start-admin";
import { createKey } from "@belfry/administration/tenants/tenant-credentials";
import { updateTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { runBelfry } from "../../packages/cli/test/run-belfry.ts";

async function world(t: test.TestContext) {
  const { admin, id } = await startForTenant(t);
  const { apiKey } = await actsIn(admin.db, id)(createKey, { role: "manage" });
  const home = await temporaryFolder(t, "by-http");
  const good = { BELFRY_HOME: home, BELFRY_API_URL: `${admin.url}/`, BELFRY_API_KEY: apiKey };
  const belfry = (args: string, env: Record<string, string> = {}) =>
    runBelfry(args.split(" "), { env: { ...good, ...env } });
  const fails = async (args: string, told: RegExp, env?: Record<string, string>) => {
    const { code, out, err } = await belfry(args, env);
    assert.deepEqual([code, out], [1, ""], err);
    assert.match(err, told);
  };
  return { admin: { ...admin, apiKey }, id, belfry, fails, home };
}

test("with an address of the API a command needs a key and no database; the key says the tenant", async (t) => {
  const { id, belfry, fails, admin } = await world(t);
  const put = await belfry("category put --key offers --label Offers");
  assert.deepEqual([put.code, put.err, JSON.parse(put.out).key], [0, "", "offers"]);
  await fails("category list", /^error: BELFRY_API_KEY is not set\n$/, { BELFRY_API_KEY: "" });
  await fails("category list", /^error: Invalid or inactive API key\n$/, {
    BELFRY_API_KEY: "bf_x",
  });
  await fails(`category list --tenant ${id}`, /--tenant: leave it out with --api/);
  await fails("category list --api nowhere", /--api must be an address/);
  await fails(
    "category list --api http://127.0.0.1:1",
    /cannot reach the API \(http:.*127.0.0.1:1/,
  );
  await fails(`category list --api ${admin.url}/nothing`, /not as Belfry does/);
  await fails("category list", /required option '--tenant <id>' not specified/, {
    BELFRY_API_URL: "",
  });
});

test("with the webhook secret its calls are signed", async (t) => {
  const { admin, id, belfry, fails } = await world(t);
  const webhookSecret = "a secret of the tenant";
  await updateTenant(admin.db, id, { webhookSecret }, admin.keys);
  await fails("category list", /X-Service-Timestamp must be the Unix seconds/);
  const signing = { BELFRY_WEBHOOK_SECRET: webhookSecret };
  for (const args of [
    "category put --key offers --label Angebote+ü",
    "digest list --limit 5",
    "category delete --key offers",
  ]) {
    const { code, err } = await belfry(args, signing);
    assert.deepEqual([code, err], [0, ""], args);
  }
  await fails("category list", /is not that of/, { BELFRY_WEBHOOK_SECRET: "another" });
});

test("a pipeline without the database pulls a bundle, edits it, sees the plan and applies it", async (t) => {
  const { admin, id, belfry, fails, home } = await world(t);
  await putTemplate(admin.db, { tenantId: id, eventType: "sale", channel: "SMS", content: "Sale" });
  const json = async (args: string) => {
    const { code, out, err } = await belfry(args);
    assert.deepEqual([code, err], [0, ""], args);
    return JSON.parse(out);
  };
  const versions = async () =>
    (await admin.pool.query("select count(*)::integer as n from template_versions")).rows[0].n;
  const folder = join(home, "bundle");
  assert.deepEqual((await json(`bundle pull ${folder}`)).files, ["sale/SMS.txt"]);
  const path = join(folder, "sale", "SMS.txt");
  await writeFile(path, (await readFile(path, "utf8")).replace("Sale", "Sale!"));
  await writeFile(
    join(folder, "categories.json"),
    JSON.stringify([
      {
        key: "offers",
        label: { "": "Offers" },
        description: {},
        required: false,
        defaultOn: true,
        position: 0,
        eventTypes: ["sale"],
      },
    ]),
  );
  const before = await versions();
  const plan = await json(`bundle apply ${folder} --dry-run`);
  assert.deepEqual(
    [plan.added, plan.changed, plan.applied],
    [["categories.json: offers"], ["sale/SMS.txt"], false],
  );
  assert.equal(await versions(), before);

  await putTemplate(admin.db, { tenantId: id, eventType: "sale", channel: "SMS", content: "Sold" });
  await fails(`bundle apply ${folder} --plan ${plan.plan}`, /ask for a new plan/);
  const next = await json(`bundle apply ${folder} --dry-run`);
  assert.equal((await json(`bundle apply ${folder} --plan ${next.plan}`)).applied, true);
  const applied = await versions();
  assert.equal(applied, before + 2);
  const again = await json(`bundle apply ${folder}`);
  assert.deepEqual([again.added, again.changed], [[], []]);
  assert.equal(await versions(), applied);
  const { status } = await fetch(`${admin.url}/api/v1/manage/bundle`, {
    method: "POST",
    headers: {
      "x-api-key": admin.apiKey,
      "if-match": `"${plan.plan}"`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ files: {} }),
  });
  assert.equal(status, 412);
});
