import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createHome } from "./home-under-test.ts";

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
