import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "@belfry/database/connection";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { actsIn } from "../../test/acts.ts";
import { refusal, tenantDatabase } from "../../test/database.ts";
import type { ActContext } from "../act.ts";
import { Locked } from "../input-error.ts";
import { copyTemplate, createTemplates } from "../templates/copy-template.ts";
import { discardDraft, putDraft } from "../templates/drafts.ts";
import { listEnvironments, setEnvironment } from "../templates/environments.ts";
import { confirmTranslation } from "../templates/template-versions.ts";
import {
  assignCategory,
  deleteCategory,
  listCategories,
  putCategory,
} from "../users/categories.ts";
import { refuseLocked } from "./tenant-rows.ts";

const OFFERS = { key: "offers", label: { "": "Offers" } };
const SALE = { eventType: "sale.began", channel: "SMS" } as const;

async function family(t: Parameters<typeof tenantDatabase>[0]) {
  const { db, pool, tenantId } = await tenantDatabase(t, { maxConnections: 4 });
  await db
    .insertInto("tenants")
    .values({ id: "staging", name: "Staging", per_minute: 10 })
    .execute();
  const staging = actsIn(db, "staging");
  await staging(setEnvironment, { family: "shop", environment: "staging" });
  return { db, pool, tenantId, staging, run: actsIn(db, tenantId) };
}

test("a locked environment refuses changes of what a bundle holds, and says where to edit", async (t) => {
  const { run, staging, tenantId } = await family(t);
  const link = { family: "shop", environment: "production", promotesFrom: "staging" };
  await run(setEnvironment, link);
  await run(putCategory, OFFERS);
  for (const runIn of [run, staging]) await runIn(putDraft, { ...SALE, content: "Sale" });
  await run(setEnvironment, { locked: true });
  const listed = await run(listEnvironments, {});
  assert.deepEqual(
    listed.map(({ tenantId: id, environment, locked }) => [id, environment, locked]),
    [
      [tenantId, "production", true],
      ["staging", "staging", false],
    ],
  );
  for (const change of [
    () => run(putCategory, { ...OFFERS, required: true }),
    () => run(assignCategory, { eventType: "sale", category: "offers" }),
    () => run(deleteCategory, { key: "offers" }),
    () => run(createTemplates, { eventType: "sale.over", channels: ["SMS"] }),
    () => run(putDraft, { ...SALE, content: "Over" }),
    () => run(discardDraft, SALE),
    () => run(confirmTranslation, { ...SALE, locale: "de" }),
    () => run(copyTemplate, { ...SALE, toEventType: "sale.over" }),
    () => staging(copyTemplate, { ...SALE, toEventType: "sale.over", toTenant: tenantId }),
  ]) {
    await assert.rejects(change, (error: unknown) => {
      assert.ok(error instanceof Locked);
      assert.equal(
        error.message,
        "This environment is locked: edit it in Staging (staging) and promote it from there, or ask an operator to unlock it.",
      );
      return true;
    });
  }
  assert.deepEqual((await run(listCategories, {}))[0]?.required, false);
  await staging(putCategory, OFFERS);
  await run(setEnvironment, { locked: false });
  await run(deleteCategory, { key: "offers" });
});

test("an edit that meets the lock as it is set is refused, or comes before it", async (t) => {
  const { db, pool, run, tenantId } = await family(t);
  const link = { family: "shop", environment: "production", promotesFrom: "staging" };
  await run(setEnvironment, link);
  const meanwhile = async (
    first: (db: Database) => Promise<unknown>,
    then: () => Promise<unknown>,
  ) => {
    const later = Promise.withResolvers<unknown>();
    await db.transaction().execute(async (transaction) => {
      await first(transaction);
      const second = then();
      second.then(later.resolve, later.reject);
      await Promise.race([untilBlocked(pool), later.promise]);
    });
    await later.promise;
  };
  const setIn = (of: string, change: Parameters<typeof setEnvironment.run>[1]) => (db: Database) =>
    setEnvironment.run({ db, tenantId: of } as ActContext, change, undefined);
  await assert.rejects(
    meanwhile(setIn(tenantId, { locked: true }), () => run(putCategory, OFFERS)),
    Locked,
  );
  assert.deepEqual(await run(listCategories, {}), []);
  // Two tenants that want the same name at once: the second is told.
  await assert.rejects(
    meanwhile(setIn("staging", { environment: "beta" }), () =>
      run(setEnvironment, { environment: "beta" }),
    ),
    /is that of another tenant of the family/,
  );
  await run(setEnvironment, { locked: false });
  let isDone = false;
  await meanwhile(
    (transaction) => refuseLocked(transaction, tenantId),
    () => run(setEnvironment, { locked: true }).then(() => (isDone = true)),
  );
  assert.equal(isDone, true);
});

test("environments of a family have names of their own, and promote within it", async (t) => {
  const { db, run, staging } = await family(t);
  const faultsOf = async (change: Promise<unknown>) => (await refusal(change)).message;
  assert.equal(
    await faultsOf(run(setEnvironment, { family: "shop" })),
    "environment goes with a family: give both or neither",
  );
  assert.equal(
    await faultsOf(
      run(setEnvironment, { family: "shop", environment: "staging", promotesFrom: "nobody" }),
    ),
    "environment is that of another tenant of the family\npromotesFrom must be another tenant of the same family",
  );
  await run(setEnvironment, { family: "shop", environment: "live", promotesFrom: "staging" });
  assert.equal(
    await faultsOf(staging(setEnvironment, { family: "blog" })),
    "family is still that of Acme, which promotes from it",
  );
  await db.deleteFrom("tenants").where("id", "=", "staging").execute();
  assert.equal((await run(listEnvironments, {}))[0]?.promotesFrom, null);
});
