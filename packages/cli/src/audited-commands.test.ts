import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { createHome } from "../test/home.ts";

async function world(t: TestContext) {
  const home = await createHome(t);
  const { id } = await home.json("tenant create --name Acme");
  return { ...home, id: id as string };
}

test("whatever the command line changes of a tenant is in the audit log, and no secret with it", async (t) => {
  const { json, id, entries, run, fails, file } = await world(t);
  await file("secret", "hush-hush");
  await json(`tenant update ${id} --timezone Europe/Berlin --webhook-secret-file secret`);
  await json(`tenant rotate-webhook-secret ${id} --webhook-secret-file secret`);
  await json(`tenant rotate-key ${id} --overlap-seconds 3600`);
  const made = await json(`tenant key create ${id} --role trigger --name shop`);
  assert.match(made.apiKey, /^bf_/);
  const [key] = await json(`tenant key list ${id}`);
  assert.deepEqual([key.prefix, key.name, key.role], [made.prefix, "shop", "trigger"]);
  const revoked = await json(`tenant key revoke ${id} ${key.id}`);
  assert.deepEqual([revoked.prefix, revoked.revoked], [made.prefix, true]);
  await fails(`tenant key revoke ${id} ${key.id}`, /^error: KEYID: the tenant has no key/);
  await json(`tenant deactivate ${id}`);
  await json(`tenant activate ${id}`);
  const sms = `--tenant ${id} --channel SMS`;
  const settings = JSON.stringify({ apiKey: "k", apiSecret: "hush-hush", sender: "Acme" });
  await json(`provider put ${sms} --kind vonage --settings-file -`, settings);
  await json(`provider rename ${sms} --new-name main`);
  await json(`provider deactivate ${sms}`);
  await json(`provider delete ${sms}`);
  await json(`suppression add ${sms} --address +12025550123`);
  await json(`suppression remove ${sms} --address +12025550123`);
  assert.equal((await run(`tenant update ${id} --timezone Nowhere/Land`)).code, 1);
  await json("realtime new-epoch");
  await json(`tenant delete ${id}`);

  const rows = await entries();
  assertEach(rows, ({ told }) => told.replace(/bf_\S+/, "KEY"), [
    ...["tenant.create Acme", "tenant.update Acme", "webhook-secret.create webhook secret"],
    ...["key.rotate KEY", "key.create KEY shop", "key.revoke KEY shop"],
    ...["tenant.deactivate Acme", "tenant.activate Acme"],
    ...["provider.create SMS vonage", "provider.update SMS vonage main"],
    ...["provider.deactivate SMS vonage main", "provider.delete SMS vonage main"],
    ...["suppression.add SMS +12025550123", "suppression.remove SMS +12025550123"],
    ...["realtime.new-epoch every client", "tenant.delete Acme"],
  ]);
  const [, updated] = rows;
  assert.deepEqual([updated.before.timezone, updated.after.timezone], [null, "Europe/Berlin"]);
  assert.equal(updated.after.webhookSecret, "a new one");
  const log = JSON.stringify(rows);
  assert.ok(!log.includes("hush-hush") && !log.includes(made.apiKey));
  assert.ok(log.includes('{"role":"trigger"}'));
});

test("whatever the command line changes of users and categories is in the audit log; what it refuses is not", async (t) => {
  const { json, id, entries, run } = await world(t);
  const of = `--tenant ${id}`;
  await json(`category put ${of} --key offers --label Offers`);
  await json(`category put ${of} --key offers --default off`);
  await json(`category assign ${of} --event-type sale --category offers`);
  await json(`category assign ${of} --event-type sale --no-category`);
  await json(`user put ${of} --user ann --email ann@example.com`);
  const values = await json(
    `user put ${of} --user ann --locale de --attributes-file -`,
    '{"plan":"gold"}',
  );
  assert.deepEqual(values.attributes, { plan: "gold" });
  const set = `user preference set ${of} --user ann --channel EMAIL --enabled off`;
  await json(`${set} --category offers`);
  assert.equal((await run(`${set} --category none`)).code, 1);
  await json(`user import ${of} --file -`, "bob,*,SMS\n");
  await json(`category delete ${of} --key offers`);

  const rows = await entries();
  assertEach(rows.slice(1), ({ told }) => told, [
    ...["category.create offers", "category.update offers"],
    ...["category.assign offers", "category.unassign offers"],
    ...["user.create ann", "user.update ann", "user.preference ann"],
    ...["user.import-unsubscribes 1 line", "category.delete offers"],
  ]);
  const updated = rows.find(({ told }) => told === "user.update ann");
  assert.deepEqual([updated.before.email, updated.after.email], ["ann@example.com", null]);
  assert.deepEqual(updated.after.attributes, ["plan"]);
  assert.ok(rows.every(({ tenant_id }) => tenant_id === id));
});

test("whoever cancels events by the command line is in the audit log with what was stopped", async (t) => {
  const { json, id, entries, run } = await world(t);
  const of = `event cancel --tenant ${id}`;
  assert.equal((await run(of)).code, 1);
  assert.equal((await run(`${of} --cancel-key a --event-id b`)).code, 1);
  const nothing = { cancelled: [], partly: [], pending: [], tooLate: [] };
  assert.deepEqual(await json(`${of} --cancel-key order-1 order-2 --user ann`), nothing);
  assert.deepEqual(await json(`${of} --event-id order-1`), { ...nothing, unknown: ["order-1"] });
  const counts = { cancelled: 0, partly: 0, pending: 0, tooLate: 0 };
  assertEach((await entries()).slice(1), ({ told, after }) => [told, after], [
    ["event.cancel 2 keys", { ...counts, users: 1 }],
    ["event.cancel event order-1", counts],
  ]);
});

test("whoever moves a scheduled event, or replays and discards dead letters, by the command line is in the audit log", async (t) => {
  const { json, id, entries, fails, pool } = await world(t);
  const of = `--tenant ${id}`;
  const event = "01a20000-0000-7000-8000-000000000001";
  await pool.query(
    `with e as (
       insert into events (id, tenant_id, event_type, user_id, variables, trace_id, accepted_at, send_at)
       values ($1, $2, 'order', 'ann', '{}', 't', now(), now() + interval '1 day') returning id, send_at),
     f as (
       insert into events (id, tenant_id, event_type, user_id, variables, trace_id, accepted_at, dispatched_at)
       select gen_random_uuid(), $2, 'order', 'ann', '{}', 't', now(), now() from generate_series(1, 3) returning id),
     d as (
       insert into deliveries (id, event_id, tenant_id, channel, status, reason, template_version_id, settled_at)
       select gen_random_uuid(), f.id, $2, 'EMAIL', 'failed', 'HTTP 500', (select min(id) from template_versions), now() from f)
     insert into scheduled_events (event_id, tenant_id, send_at, trace_id) select id, $2, send_at, 't' from e`,
    [event, id],
  );
  const sendAt = new Date(Date.now() + 2 * 24 * 60 * 60_000).toISOString();
  const move = `event move ${of} --id ${event} --send-at`;
  assert.deepEqual(await json(`${move} ${sendAt}`), { id: event, sendAt });
  const scheduled = JSON.stringify(await json(`event scheduled ${of}`));
  assert.ok(scheduled.includes(event) && scheduled.includes(sendAt));
  await fails(`${move} tomorrow`, /--send-at/);
  await fails(`event move --tenant other --id ${event} --send-at ${sendAt}`, /no such event/);
  const [group] = await json(`dead list ${of}`);
  await json(`dead replay ${of} --dry-run`);
  await json(`dead replay ${group.examples[0].id}`);
  await json(`dead discard ${of}`);
  await json(`dead discard ${of}`);
  const [moved, ...letters] = (await entries()).slice(1);
  assert.deepEqual([moved?.told, moved?.after], [`event.move event ${event}`, { sendAt }]);
  assertEach(letters, ({ told, after }) => [told, after.count], [
    [`dead-letter.replay ${group.examples[0].id}`, 1],
    ["dead-letter.discard all", 2],
  ]);
});

test("a command on more dead letters than one part has goes on until none is left, with an entry for each part", async (t) => {
  const { json, id, entries, pool } = await world(t);
  await pool.query(
    `with f as (
       insert into events (id, tenant_id, event_type, user_id, variables, trace_id, accepted_at, dispatched_at)
       select gen_random_uuid(), $1, 'order', 'ann', '{}', 't', now(), now() from generate_series(1, 1001) returning id)
     insert into deliveries (id, event_id, tenant_id, channel, status, template_version_id, settled_at)
     select gen_random_uuid(), f.id, $1, 'EMAIL', 'failed', (select min(id) from template_versions), now() from f`,
    [id],
  );
  const { count, more, next, ids } = await json(`dead discard --tenant ${id}`);
  assert.deepEqual([count, more, next, ids.length], [1001, false, undefined, 100]);
  assertEach((await entries()).slice(1), ({ told, after }) => [told, after.count], [
    ["dead-letter.discard all", 1000],
    ["dead-letter.discard all", 1],
  ]);
});

test("whoever copies a template, or switches it off and on, by the command line is in the audit log", async (t) => {
  const { json, id, entries } = await world(t);
  const sms = `--tenant ${id} --channel SMS`;
  await json(`template put ${sms} --event-type order --content-file -`, "Hello");
  await json(`template copy ${sms} --event-type order --to-event-type sale`);
  await json(`template deactivate ${sms} --event-type order`);
  await json(`template activate ${sms} --event-type order`);
  assert.deepEqual(
    (await entries()).slice(2).map(({ told }) => told),
    ["template.copy sale SMS", "template.deactivate order SMS", "template.activate order SMS"],
  );
});
