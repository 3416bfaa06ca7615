import assert from "node:assert/strict";
import { test } from "node:test";
import { findTemplate } from "@belfry/administration/templates/template-rows";
import { putTemplate } from "@belfry/administration/test/templates";
import { ALERT_IN_CHAT, OWN_MAIL } from "@belfry/contracts/alerts";
import { SCHEMA } from "@belfry/database/schema-files";
import { readConfigurationVersion } from "@belfry/testing/configuration-version";
import { connectedDatabase } from "@belfry/testing/database";
import { type Kysely, sql } from "kysely";

const KEY = { tenantId: "platform", eventType: "global.info", channel: "SMS" } as const;

test("an operator's edit of a built-in template is never overwritten, and what is missing comes back", async (t) => {
  const { db } = await connectedDatabase(t, { maxConnections: 2 });
  await putTemplate(db, { ...KEY, content: "ours", active: false });
  await db.deleteFrom("templates").where("channel", "=", "PUSH").execute();
  await SCHEMA.migrations["0002-platform-templates"]!.up(db as unknown as Kysely<unknown>);
  const found = await findTemplate(db, KEY);
  assert.deepEqual([found?.content, found?.active, found?.version], ["ours", false, 2]);
  const push = await findTemplate(db, { ...KEY, channel: "PUSH" });
  assert.deepEqual([push?.targetChannel, push?.version], ["global_system", 1]);
});

test("Belfry's own mail is translated where its text is Belfry's: an operator's text and translation stay", async (t) => {
  const { db } = await connectedDatabase(t, { maxConnections: 2 });
  const mail = { tenantId: "platform", channel: "EMAIL" } as const;
  const [alert, invitation, reset] = Object.values(OWN_MAIL).map((eventType) => ({
    ...mail,
    eventType,
  }));
  assert.ok(alert !== undefined && invitation !== undefined && reset !== undefined);
  const languages = async (of: typeof alert) => {
    const found = await db
      .selectFrom("template_variants as v")
      .innerJoin("templates as t", "t.id", "v.template_id")
      .select("v.locale")
      .where("t.event_type", "=", of.eventType)
      .orderBy("v.locale")
      .execute();
    return found.map(({ locale }) => locale);
  };
  for (const one of [alert, invitation, reset])
    assert.deepEqual(await languages(one), ["", "de", "fr"]);
  // What the migration wrote is what publishing these texts writes.
  for (const one of [alert, invitation, reset]) {
    for (const locale of ["de", "fr"]) {
      const stored = () =>
        db
          .selectFrom("template_versions as v")
          .innerJoin("templates as t", "t.id", "v.template_id")
          .select(["v.content", "v.subject", "v.compiled"])
          .where("t.event_type", "=", one.eventType)
          .where("v.locale", "=", locale)
          .orderBy("v.version", "desc")
          .executeTakeFirstOrThrow();
      const { compiled, content, ...rest } = await stored();
      const subject = rest.subject ?? "";
      await putTemplate(db, {
        ...one,
        locale,
        content: `${content} `,
        subject,
        format: "markdown",
      });
      await putTemplate(db, { ...one, locale, content, subject, format: "markdown" });
      assert.deepEqual((await stored()).compiled, compiled, `${one.eventType} ${locale}`);
    }
  }
  await db.deleteFrom("template_variants").where("locale", "<>", "").execute();
  await putTemplate(db, { ...alert, content: "# Ours", subject: "Ours", format: "markdown" });
  await putTemplate(db, {
    ...reset,
    locale: "de",
    content: "# Unser",
    subject: "U",
    format: "markdown",
  });
  await SCHEMA.migrations["0023-languages-platform-templates"]!.up(
    db as unknown as Kysely<unknown>,
  );
  assert.deepEqual(await languages(alert), [""]);
  assert.deepEqual(await languages(invitation), ["", "de", "fr"]);
  assert.deepEqual(await languages(reset), ["", "de", "fr"]);
  assert.equal((await findTemplate(db, reset, "de"))?.subject, "U");
});

test("alerts in chats are stored as publishing their texts would store them", async (t) => {
  const { db } = await connectedDatabase(t, { maxConnections: 2 });
  const chat = { tenantId: "platform", channel: "CHAT", eventType: ALERT_IN_CHAT } as const;
  assert.equal(await findTemplate(db, chat), undefined, "versions before cannot show it");
  const version = await readConfigurationVersion(db);
  await sql`select make_alert_chat_template()`.execute(db);
  await sql`select make_alert_chat_template()`.execute(db);
  const once = String(Number(version) + 1);
  assert.equal(await readConfigurationVersion(db), once, "the second call changes nothing");
  for (const locale of ["", "de", "fr"]) {
    const before = await findTemplate(db, chat, locale);
    assert.ok(before);
    const { content, compiled } = before;
    await putTemplate(db, { ...chat, locale, content: `${content} ` });
    await putTemplate(db, { ...chat, locale, content });
    const after = await findTemplate(db, chat, locale);
    assert.deepEqual(after?.compiled, compiled, locale);
    assert.notEqual(after?.version, before.version);
  }
});
