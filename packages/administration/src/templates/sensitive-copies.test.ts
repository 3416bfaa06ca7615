import assert from "node:assert/strict";
import { test } from "node:test";
import { keyMay } from "@belfry/contracts/key-roles";
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { tenantDatabase } from "../../test/database.ts";
import { type Access, type Act, type ActServices, type Given, runAct } from "../act.ts";
import { createTenant } from "../tenants/tenants.ts";
import { applyBundle, pullBundle } from "./bundle.ts";
import { copyTemplate } from "./copy-template.ts";
import { publishDraft, putDraft } from "./drafts.ts";
import { promoteEnvironment, setEnvironment } from "./environments.ts";
import { putTemplate } from "./put-template.ts";
import { importTemplates } from "./template-files.ts";
import { restoreTemplate } from "./template-versions.ts";
import { deleteTemplate, listTemplates } from "./templates.ts";

const actor = { personId: null, person: "key pipeline", address: "127.0.0.1", isProgram: true };
const by =
  (may: (access: Access) => boolean) =>
  (db: Parameters<typeof runAct>[1]["db"], tenantId: string) =>
  <I extends TObject, O extends TSchema>(act: Act<I, O>, input: Given<Static<I>>) =>
    runAct(act, { db, tenantId, actor, services: {} as ActServices, may }, input);
const KEY = by(({ key }) => key !== undefined && keyMay("manage", key));
const PROVISIONING = by(({ key }) => key !== undefined && keyMay("provision", key));
const EDITOR = by(({ person }) => ["viewer", "editor"].includes(person));
const ANYBODY = by(() => true);

const CODE = { eventType: "login.code", channel: "EMAIL" as const };
const MAIL = { ...CODE, subject: "Your code", format: "html" as const, content: "{{ code }}" };
const SECRET = { ...MAIL, sensitive: true };
const THEIRS = ["them@elsewhere.example"];
const FILE = (bcc: string) =>
  `---\nsubject: Your code\n${bcc}sensitive: yes\n---\n<p>{{ code }}</p>`;
const COPIED = { "login.code/EMAIL.html": FILE("bcc: them@elsewhere.example\n") };
const REFUSED = /an owner or a key of the role provision/;

for (const [who, as] of Object.entries({ "a manage key": KEY, "an editor": EDITOR })) {
  test(`${who} cannot let anybody else see the messages of a sensitive template, by any way`, async (t) => {
    const { db, tenantId } = await tenantDatabase(t);
    const { id: otherTenantId } = await createTenant(db, { name: "Staging" });
    const [run, anybody] = [as(db, tenantId), ANYBODY(db, tenantId)];
    const refused = (promise: Promise<unknown>) => assert.rejects(promise, REFUSED);
    // At once, and by files.
    await refused(run(putTemplate, { ...SECRET, bcc: THEIRS }));
    await refused(run(putTemplate, { ...SECRET, cc: THEIRS }));
    await refused(run(applyBundle, { files: COPIED }));
    await refused(run(importTemplates, { files: COPIED }));
    const { faults } = await run(applyBundle, { files: COPIED, dryRun: true });
    assert.match(
      faults.join(),
      /^login\.code\/EMAIL\.html: bcc of an event type .* only by an owner/,
    );
    // With copies first, sensitive later.
    await run(putTemplate, { ...MAIL, bcc: THEIRS });
    await refused(run(putTemplate, SECRET));
    const text = { ...CODE, channel: "SMS" as const, content: "{{ code }}" };
    await refused(run(putTemplate, { ...text, sensitive: true }));
    await run(putTemplate, { ...MAIL, bcc: [] });
    // Sensitive first: copies later, no longer sensitive, or on the event type's other channel.
    await run(putTemplate, SECRET);
    await refused(run(putTemplate, { ...SECRET, bcc: THEIRS }));
    await refused(run(putTemplate, { ...MAIL, bcc: THEIRS }));
    await refused(run(putTemplate, MAIL));
    await refused(run(deleteTemplate, CODE));
    await anybody(deleteTemplate, CODE);
    await run(putTemplate, { ...text, sensitive: true });
    await refused(run(putTemplate, { ...MAIL, bcc: THEIRS }));
    // Drafts, and copies of drafts.
    const { revision } = await run(putDraft, { ...SECRET, bcc: THEIRS });
    await refused(run(publishDraft, { ...CODE, revision }));
    await run(copyTemplate, { ...CODE, toEventType: "login.link" });
    await refused(run(publishDraft, { ...CODE, eventType: "login.link" }));
    // A promotion.
    await ANYBODY(db, otherTenantId)(applyBundle, { files: COPIED });
    const family = { family: "shop" };
    await ANYBODY(db, otherTenantId)(setEnvironment, { ...family, environment: "staging" });
    const from = { promotesFrom: otherTenantId };
    await anybody(setEnvironment, { ...family, environment: "production", ...from });
    await refused(run(promoteEnvironment, {}));

    assert.deepEqual(
      (await run(listTemplates, {})).flatMap(({ cc, bcc }) => [...(cc ?? []), ...(bcc ?? [])]),
      [],
    );
  });
}

test("a provision key sets them; a manage key publishes such a template on, and takes copies away", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const [run, provisioning] = [KEY(db, tenantId), PROVISIONING(db, tenantId)];
  await provisioning(putTemplate, { ...SECRET, bcc: [...THEIRS, "audit@example.com"] });
  await run(putTemplate, { ...SECRET, content: "Code {{ code }}" });
  const { files } = await run(pullBundle, {});
  await run(applyBundle, { files });
  await run(restoreTemplate, { ...CODE, version: 1 });
  const { bcc } = await run(putTemplate, { ...SECRET, bcc: ["audit@example.com"] });
  assert.deepEqual(bcc, ["audit@example.com"]);
  await assert.rejects(run(putTemplate, { ...SECRET, bcc: THEIRS }), REFUSED);
  await provisioning(putTemplate, MAIL);
});
