import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { createHome } from "../test/home.ts";
import { runBelfryProcess } from "../test/run-belfry.ts";

test("a bundle is pulled into a folder, edited, planned and applied; a promotion takes it on", async (t) => {
  const { json, fails, file, home, pool } = await createHome(t);
  await pool.query(
    "insert into tenants (id, name, per_minute) values ('a', 'A', 60), ('b', 'B', 60)",
  );
  const content = await file("sale.txt", "Sale");
  await json(`template put --tenant a --event-type sale --channel SMS --content-file ${content}`);
  await json("category put --tenant a --key offers --label Offers");
  await json(["layout", "put", "--tenant", "a", "--primary-color", "#112233"]);

  const files = ["sale/SMS.txt", "layout.json", "categories.json"];
  const pulled = await json("bundle pull bundle --tenant a");
  assert.deepEqual(pulled, { files, leftover: [] });
  const path = join(home, "bundle", "sale", "SMS.txt");
  await writeFile(path, (await readFile(path, "utf8")).replace("Sale", "Sale!"));
  const plan = await json("bundle apply bundle --tenant a --dry-run");
  assert.deepEqual([plan.changed, plan.applied, plan.faults], [["sale/SMS.txt"], false, []]);
  await json("layout remove --tenant a");
  await fails(`bundle apply bundle --tenant a --plan ${plan.plan}`, /ask for a new plan/);
  assert.equal((await json("bundle apply bundle --tenant a")).applied, true);
  assert.equal((await json("layout show --tenant a")).primaryColor, "#112233");
  await json("layout remove --tenant a");
  await json("bundle pull bundle --tenant a");
  assert.deepEqual((await readdir(join(home, "bundle"))).sort(), ["categories.json", "sale"]);

  await json("environment set --tenant a --family shop --name staging");
  await json("environment set --tenant b --family shop --name live --promotes-from a --locked on");
  await fails("category put --tenant b --key news --label News", /locked: edit it in A \(a\)/);
  assert.equal((await json("environment promote --tenant b")).added.length, 2);
  assert.equal((await json("environment promote --tenant b")).added.length, 0);
});

const OFFERS = {
  key: "offers",
  label: { "": "Offers" },
  description: {},
  required: false,
  defaultOn: true,
  position: 0,
  eventTypes: [],
};

test("kill -9 before any write of a bundle leaves nothing of it", async (t) => {
  let killedAt: Promise<unknown> | undefined;
  const { json, home, run, pool } = await createHome(t, {
    start: (args, surroundings) =>
      runBelfryProcess(args, { ...surroundings, ...(killedAt && { killedAt }) }),
  });
  await pool.query("insert into tenants (id, name, per_minute) values ('a', 'A', 60)");
  const files = {
    "sale.began/SMS.txt": "---\n---\nSale!",
    "layout.json": JSON.stringify({ primaryColor: "#112233" }),
    "categories.json": JSON.stringify([OFFERS]),
  };
  await mkdir(join(home, "bundle", "sale.began"), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await writeFile(join(home, "bundle", path), text);
  }
  const tables = [
    "categories",
    "layouts",
    "templates",
    "template_variants",
    "template_versions",
    "configuration_version",
    "audit_log",
  ];
  for (const table of tables) {
    const holder = await pool.connect();
    await holder.query("begin");
    // Others may read, and wait before they write.
    await holder.query(`lock table ${table} in share mode`);
    killedAt = untilBlocked(pool);
    const { code, err } = await run("bundle apply bundle --tenant a");
    await holder.query("rollback");
    holder.release();
    assert.equal(code, null, `${table}: ${err}`);
    killedAt = undefined;
    assert.deepEqual(await json("bundle pull pulled --tenant a"), { files: [], leftover: [] });
  }
  assert.equal((await json("bundle apply bundle --tenant a")).added.length, 3);
});
