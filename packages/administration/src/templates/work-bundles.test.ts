import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "@belfry/testing/eventually";
import { sql } from "kysely";
import { actsIn } from "../../test/acts.ts";
import { areWaiting, hold, tenantDatabase } from "../../test/database.ts";
import { type ActServices, runAct } from "../act.ts";
import { TooLate } from "../input-error.ts";
import { applyBundle, pullBundle } from "./bundle.ts";
import { showBundleProgress } from "./bundle-applies.ts";
import { promoteEnvironment, setEnvironment } from "./environments.ts";
import { putTemplate } from "./put-template.ts";
import { workBundles } from "./work-bundles.ts";

const FILES = Object.fromEntries(
  ["began", "ends", "ended"].map((verb) => [`sale.${verb}/SMS.txt`, `---\n---\nSale ${verb}`]),
);
const NEVER = new AbortController().signal;

/** A caller whose calls compile at most two templates. */
async function world(t: Parameters<typeof tenantDatabase>[0]) {
  const { db, tenantId } = await tenantDatabase(t);
  const services = {} as ActServices;
  const actor = { personId: null, person: "key pipeline", address: "192.0.2.1" };
  const caller = { db, tenantId, actor, services, may: () => true };
  const compileAtOnce = { templates: 2, bytes: 1024 };
  const apply = (input: { files?: Record<string, string>; dryRun?: boolean; plan?: string }) =>
    runAct(applyBundle, { ...caller, compileAtOnce }, { files: FILES, ...input });
  const promote = (input: { plan?: string } = {}) =>
    runAct(promoteEnvironment, { ...caller, compileAtOnce }, input);
  const run = actsIn(db, tenantId);
  const shown = (applyId: string | undefined) =>
    run(showBundleProgress, { applyId: applyId ?? "" });
  const published = async () => Object.keys((await run(pullBundle, {})).files).sort();
  const log = async () =>
    await db.selectFrom("audit_log").select(["action", "target", "person", "address"]).execute();
  return { db, tenantId, apply, promote, run, shown, published, log, work: { db } };
}

test("a bundle that is too large for one call is applied in the background, once, however many processes work", async (t) => {
  const { db, apply, shown, published, log, work } = await world(t);
  const { id, state, applied, total } = await apply({});
  assert.deepEqual([state, applied, total], ["waiting", false, 3]);
  assert.deepEqual(await published(), []);
  await assert.rejects(apply({}), TooLate);
  const small = { "sale.began/SMS.txt": "---\n---\nSale" };
  assert.equal((await apply({ files: small, dryRun: true })).id, undefined);

  const ended = await Promise.all([1, 2].map(() => workBundles(work, NEVER)));
  assert.deepEqual(ended.sort(), [0, 1]);
  const done = await shown(id);
  assert.deepEqual([done.state, done.applied, done.compiled], ["done", true, 3]);
  assert.deepEqual(done.added, Object.keys(FILES).sort());
  assert.deepEqual(await published(), Object.keys(FILES).sort());
  assert.deepEqual(await log(), [
    {
      action: "bundle.apply",
      target: "3 published",
      person: "key pipeline",
      address: "192.0.2.1",
    },
  ]);
  const { rows } = await sql`select from bundle_applies where files is not null`.execute(db);
  assert.equal(rows.length, 0);
  assert.equal((await apply({})).same.length, 3);
});

test("a bundle with large files is applied in the background, too", async (t) => {
  const { apply } = await world(t);
  const { state } = await apply({ files: { "sale/SMS.txt": `---\n---\n${"Sale ".repeat(250)}` } });
  assert.equal(state, "waiting");
});

test("another process ends the bundle of one that died, and the one that lost its claim applies nothing", async (t) => {
  const { db, apply, shown, published, log, work } = await world(t);
  const { id } = await apply({});
  // Both have claimed it and wait before they compile.
  const lock = await hold(db, (transaction) =>
    sql`lock table template_versions in access exclusive mode`.execute(transaction),
  );
  const first = workBundles(work, NEVER);
  await eventually(() => areWaiting(db, 1));
  await sql`update bundle_applies set due_at = now()`.execute(db);
  const second = workBundles(work, NEVER);
  await eventually(() => areWaiting(db, 2));
  await lock.commit();
  assert.deepEqual(await Promise.all([first, second]), [0, 1]);
  assert.equal((await shown(id)).state, "done");
  assert.deepEqual(await published(), Object.keys(FILES).sort());
  assert.equal((await log()).length, 1);
});

test("a process that is stopped gives its bundle back at once", async (t) => {
  const { db, apply, shown, work } = await world(t);
  const { id } = await apply({});
  const stopping = new AbortController();
  const lock = await hold(db, (transaction) =>
    sql`lock table template_versions in access exclusive mode`.execute(transaction),
  );
  const stopped = workBundles(work, stopping.signal);
  await eventually(() => areWaiting(db, 1));
  stopping.abort();
  await lock.commit();
  assert.equal(await stopped, 0);
  assert.equal((await shown(id)).state, "waiting");
  assert.equal(await workBundles(work, NEVER), 1);
  assert.equal((await shown(id)).state, "done");
});

test("a bundle whose plan is no longer valid, and one with a fault, end as failed with nothing applied", async (t) => {
  const { apply, run, shown, published, work } = await world(t);
  const { plan } = await apply({ dryRun: true });
  assert.equal(await workBundles(work, NEVER), 1);
  const stale = await apply({ plan });
  await run(putTemplate, { eventType: "sale.began", channel: "SMS", content: "Other" });
  assert.equal(await workBundles(work, NEVER), 1);
  const failed = await shown(stale.id);
  assert.deepEqual([failed.state, failed.applied], ["failed", false]);
  assert.match(failed.faults.join(), /ask for a new plan/);

  const files = { ...FILES, "sale.began/SMS.txt": "---\n---\n{{ open" };
  const bad = await apply({ files });
  await workBundles(work, NEVER);
  const { state, faults } = await shown(bad.id);
  assert.equal(state, "failed");
  assert.match(faults.join(), /sale.began\/SMS.txt: content/);
  assert.deepEqual(await published(), ["sale.began/SMS.txt"]);
});

test("a dry run of a large bundle names its plan at once, tells the faults at its end, and changes nothing", async (t) => {
  const { apply, shown, published, work } = await world(t);
  const files = { ...FILES, "sale.began/SMS.txt": "---\n---\n{{ open" };
  const begun = await apply({ files, dryRun: true });
  assert.equal(begun.added.length, 3);
  await workBundles(work, NEVER);
  const { state, faults, plan, applied } = await shown(begun.id);
  assert.deepEqual([state, plan, applied], ["done", begun.plan, false]);
  assert.match(faults.join(), /sale.began\/SMS.txt: content/);
  assert.deepEqual(await published(), []);
});

test("a large promotion is applied in the background as its source is by then, unless a plan was named", async (t) => {
  const { db, run, promote, shown, work } = await world(t);
  await db.insertInto("tenants").values({ id: "s", name: "Staging", per_minute: 1 }).execute();
  const staging = actsIn(db, "s");
  await staging(setEnvironment, { family: "shop", environment: "staging" });
  await run(setEnvironment, { family: "shop", environment: "live", promotesFrom: "s" });
  await staging(applyBundle, { files: FILES });
  const { id, plan } = await promote();
  await staging(putTemplate, { eventType: "sale.began", channel: "SMS", content: "Sale!" });
  await workBundles(work, NEVER);
  assert.equal((await shown(id)).state, "done");
  assert.deepEqual(await run(pullBundle, {}), await staging(pullBundle, {}));
  await assert.rejects(promote({ plan }), /ask for a new plan/);
});

test("a bundle whose worker dies each time ends as failed", async (t) => {
  const { db, apply, shown, work } = await world(t);
  const { id } = await apply({});
  await sql`update bundle_applies set state = 'running', tries = 5`.execute(db);
  assert.equal(await workBundles(work, NEVER), 1);
  const { state, faults } = await shown(id);
  assert.equal(state, "failed");
  assert.match(faults.join(), /begun 5 times/);
});

test("only the tenant itself sees its work in the background", async (t) => {
  const { db, apply } = await world(t);
  const { id = "" } = await apply({});
  await db.insertInto("tenants").values({ id: "s", name: "Other", per_minute: 1 }).execute();
  await assert.rejects(
    actsIn(db, "s")(showBundleProgress, { applyId: id }),
    /no bundle has the id/,
  );
});
