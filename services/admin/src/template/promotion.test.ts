import assert from "node:assert/strict";
import { test } from "node:test";
import { applyBundle } from "@belfry/administration/templates/bundle";
import { setEnvironment } from "@belfry/administration/templates/environments";
import { workBundles } from "@belfry/administration/templates/work-bundles";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import { startForTenant } from "../../test/start-admin.ts";

/** More than are compiled while a person waits. */
const FILES = Object.fromEntries(
  Array.from({ length: 101 }, (_, n) => [`sale-${n}/SMS.txt`, `---\n---\nSale ${n}`]),
);

test("a large promotion goes on in the background, and the page tells how far it is", async (t) => {
  const { admin, operator, id } = await startForTenant(t);
  const { id: staging } = await createTenant(admin.db, { name: "Shop, staging" });
  const family = "shop";
  await actsIn(admin.db, staging)(setEnvironment, { family, environment: "staging" });
  await actsIn(admin.db, id)(setEnvironment, {
    family,
    environment: "live",
    promotesFrom: staging,
  });
  await actsIn(admin.db, staging)(applyBundle, { files: FILES });

  const path = `/tenants/${id}/environment/promotion`;
  const plan = /name="plan" value="(\w+)"/.exec(await operator.text(path))?.[1] ?? "";
  const promote = () => operator.post(path, { plan });
  const { headers } = await promote();
  assert.equal(headers.get("location"), path);
  const underWay = await operator.text(path);
  assert.match(underWay, /published in the background/);
  assert.match(underWay, /0 of 101 are compiled/);
  assert.doesNotMatch(underWay, /type="submit">Promote/);
  assert.equal((await promote()).headers.get("location"), path);

  assert.equal(await workBundles({ db: admin.db }, new AbortController().signal), 1);
  assert.match(await operator.text(path), /Nothing to promote/);
});
