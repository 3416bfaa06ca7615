import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { actsIn } from "../../test/acts.ts";
import { refusesEach, tenantDatabase } from "../../test/database.ts";
import { type ActServices, NotAllowed, runAct } from "../act.ts";
import { createTenant } from "../tenants/tenants.ts";
import { copyTemplate, createTemplates } from "./copy-template.ts";
import { discardDraft, publishDraft, putDraft, showDraft } from "./drafts.ts";
import { putLayout } from "./layouts.ts";
import { putTemplate } from "./put-template.ts";
import { importTemplates } from "./template-files.ts";
import { confirmTranslation, restoreTemplate } from "./template-versions.ts";
import { deleteTemplate, listTemplates, readTemplate } from "./templates.ts";

const SMS = { eventType: "order", channel: "SMS" } as const;
const GERMAN = { ...SMS, locale: "de" } as const;

async function setUp(t: TestContext) {
  const { db, tenantId } = await tenantDatabase(t);
  const run = actsIn(db, tenantId);
  const told = async () => {
    const entries = await db
      .selectFrom("audit_log")
      .select(["action", "target", "before", "after"])
      .where("tenant_id", "=", tenantId)
      .where("action", "!=", "tenant.create")
      .orderBy("id")
      .execute();
    return entries.map(({ action, target, before, after }) => {
      const version = (of: Record<string, unknown> | null) => of?.version ?? null;
      return [`${action} ${target}`, version(before), version(after)];
    });
  };
  return { db, tenantId, run, told };
}

test("what is done to a template is in the audit log, with the version before and after it", async (t) => {
  const { db, run, told } = await setUp(t);
  const secret = { sampleVariables: '{"code":"secret-code"}' };
  await run(putTemplate, { ...SMS, content: "one", ...secret });
  await run(putTemplate, { ...SMS, content: "two" });
  await run(putTemplate, { ...GERMAN, content: "zwei" });
  await run(restoreTemplate, { ...SMS, version: 1 });
  await run(confirmTranslation, GERMAN);
  await run(deleteTemplate, GERMAN);
  await run(deleteTemplate, SMS);
  await run(putLayout, { primaryColor: "#112233" });
  assert.deepEqual(await told(), [
    ["template.save order SMS", null, 1],
    ["template.save order SMS", 1, 2],
    ["template.save order SMS de", null, 3],
    ["template.restore order SMS", 2, 4],
    ["template.same order SMS de", 3, 3],
    ["template.remove-language order SMS de", 3, null],
    ["template.delete order SMS", 4, null],
    ["layout.publish layout", 0, 1],
  ]);
  const log = JSON.stringify(await db.selectFrom("audit_log").selectAll().execute());
  assert.doesNotMatch(log, /secret-code/, "samples may be somebody's data");
});

test("each saved draft is in the audit log, but of autosaves only the first", async (t) => {
  const { run, told } = await setUp(t);
  const autosave = (content: string) => run(putDraft, { ...SMS, content, autosave: true });
  await autosave("H");
  await autosave("He");
  await run(putDraft, { ...SMS, content: "Hello" });
  await run(discardDraft, SMS);
  const actions = (await told()).map(([action]) => action);
  const saved = "template.draft order SMS";
  assert.deepEqual(actions, [saved, saved, "template.discard-draft order SMS"]);
});

test("a draft goes over another version only where that one is named", async (t) => {
  const { run } = await setUp(t);
  await run(putDraft, { ...SMS, content: "mine" });
  await run(putTemplate, { ...SMS, content: "theirs" });
  await assert.rejects(run(publishDraft, SMS), /version 1 was saved meanwhile/);
  await assert.rejects(run(publishDraft, { ...SMS, basedOnVersion: 0 }), /version 1 was saved/);
  const { version, content } = await run(publishDraft, { ...SMS, basedOnVersion: 1 });
  assert.deepEqual([version, content], [2, "mine"]);
});

test("only an operator copies a template to another tenant", async (t) => {
  const { db, tenantId, run } = await setUp(t);
  await run(putTemplate, { ...SMS, content: "Hi", sensitive: true });
  const other = await createTenant(db, { name: "Other" });
  const actor = { personId: null, person: "Eve <eve@example.com>", address: "127.0.0.1" };
  const may = ({ person }: { person: string }) => person !== "operator";
  const editor = { db, tenantId, actor, services: {} as ActServices, may };
  const to = { ...SMS, toEventType: "sale", toTenant: other.id };
  await assert.rejects(runAct(copyTemplate, editor, to), NotAllowed);
  assert.deepEqual(await actsIn(db, other.id)(listTemplates, {}), []);
  assert.equal((await run(copyTemplate, to)).tenantId, other.id);
  await runAct(copyTemplate, editor, { ...SMS, toEventType: "sale" });
  assert.equal((await readTemplate(db, { ...SMS, eventType: "sale", tenantId })).hasDraft, true);
});

test("a copy on another channel has the texts and settings that both channels have", async (t) => {
  const { run } = await setUp(t);
  const push = { eventType: "order", channel: "PUSH" } as const;
  const texts = { title: "Order", content: "{{ id }}", url: "/orders/{{ id }}" };
  const actions = [{ label: "Track", url: "/track" }];
  const settings = { targetChannel: "orders", requiredVariables: ["id"] };
  await run(putTemplate, { ...push, ...texts, ...settings, actions });
  await run(putDraft, { ...push, ...texts, title: "Bestellung", locale: "de" });
  const sms = { ...push, toEventType: "order", toChannel: "SMS" } as const;
  await assert.rejects(run(copyTemplate, sms), /^.*toChannel must be PUSH or DEVICE/);
  await run(copyTemplate, { ...push, toEventType: "order", toChannel: "DEVICE" });
  const draftOf = (locale: string) =>
    run(showDraft, { eventType: "order", channel: "DEVICE", locale });
  const { title, url, actions: buttons, settings: of } = await draftOf("");
  assert.deepEqual([title, url, buttons], ["Order", "/orders/{{ id }}", null]);
  assert.deepEqual([of?.targetChannel, of?.requiredVariables], [undefined, ["id"]]);
  assert.equal((await draftOf("de")).title, "Bestellung");
});

test("new templates are begun on all channels or on none, and each is in the audit log", async (t) => {
  const { run, told } = await setUp(t);
  await run(putTemplate, { ...SMS, content: "there" });
  const both = { eventType: "order", channels: ["EMAIL" as const, "SMS" as const] };
  await assert.rejects(run(createTemplates, both), /eventType has a template for .* already/);
  assert.equal((await run(listTemplates, {})).length, 1);
  const made = await run(createTemplates, { ...both, eventType: "sale", starter: "welcome" });
  assert.deepEqual(
    made.map(({ channel, hasDraft, version }) => [channel, hasDraft, version]),
    [
      ["EMAIL", true, 0],
      ["SMS", true, 0],
    ],
  );
  const actions = (await told()).map(([action]) => action);
  assert.deepEqual(actions.slice(1), ["template.draft sale EMAIL", "template.draft sale SMS"]);
});

test("files are taken as data: a path that is none, and an object that is none, are refused by name", async (t) => {
  const { run } = await setUp(t);
  const text = "---\n---\nHi";
  const importOf = (files: object) => run(importTemplates, { files } as never);
  await refusesEach(importOf, [
    [{ "order/more/SMS.txt": text }, /^files order\/more\/SMS.txt is no file in a folder/],
    [{ "SMS.txt": text }, /^files SMS.txt is no file in a folder/],
    [{ "order/SMS.txt": "x".repeat(1024 * 1024 + 1) }, /^files order\/SMS.txt is larger/],
    [[], /^files must be an object of texts by path/],
  ]);
});

test("a dry run says what an import would change, and changes nothing", async (t) => {
  const { run, told } = await setUp(t);
  await run(putTemplate, { ...SMS, content: "same" });
  await run(putTemplate, { ...SMS, eventType: "sale", content: "old" });
  await run(putTemplate, { ...SMS, eventType: "set", content: "set" });
  await run(putTemplate, { ...SMS, eventType: "shown", content: "shown" });
  const files = {
    "new/SMS.txt": "---\n---\nHi",
    "order/SMS.txt": "---\n---\nsame",
    "sale/SMS.txt": "---\n---\nnew",
    "set/SMS.txt": "---\nsensitive: yes\n---\nset",
    "shown/SMS.txt": "---\nsample-variables:\n  {}\n---\nshown",
  };
  const [checked, before] = [Object.keys(files), await run(listTemplates, {})];
  const plan = {
    added: ["new/SMS.txt"],
    changed: ["sale/SMS.txt", "set/SMS.txt", "shown/SMS.txt"],
    same: ["order/SMS.txt"],
  };
  assert.deepEqual(await run(importTemplates, { files, dryRun: true }), { checked, ...plan });
  assert.deepEqual(await run(listTemplates, {}), before);
  assert.equal((await told()).length, 4);
  const { published, unchanged } = await run(importTemplates, { files });
  assert.deepEqual([published, unchanged], [[...plan.added, ...plan.changed], plan.same]);
});
