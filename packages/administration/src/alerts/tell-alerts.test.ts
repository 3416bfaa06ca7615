import assert from "node:assert/strict";
import { test } from "node:test";
import { ALERT_KINDS, ALERTS, alertWords, defaultAlerts, OWN_MAIL } from "@belfry/contracts/alerts";
import { assertEach } from "@belfry/testing/assert-each";
import { sql } from "kysely";
import { actsIn } from "../../test/acts.ts";
import { HOUR_MS, MINUTE_MS, OPERATOR, OWNER, startAlerts, TROUBLE } from "../../test/alerts.ts";
import { inviteMember, makeMemberResetLink } from "../people/members.ts";
import { insertPerson, putMembership } from "../people/person-rows.ts";
import { renderTemplate } from "../templates/preview-template.ts";
import { createKey } from "../tenants/tenant-credentials.ts";
import {
  chooseAlerts,
  chooseAllAlerts,
  chooseMailTenant,
  showMailTenant,
} from "./alert-choices.ts";

const TEMPLATE = { tenantId: "platform", eventType: OWN_MAIL.alert, channel: "EMAIL" } as const;

for (const kind of ALERT_KINDS) {
  test(`${kind}: the owner is told once while it lasts, once that it has ended, and again only an hour later`, async (t) => {
    const s = await startAlerts(t);
    const { begin, end, link } = TROUBLE[kind];
    assert.equal(await s.tell(), 0);
    await begin(s);
    assert.equal(await s.tell(), 1);
    const [mail] = await s.mails();
    assert.deepEqual([mail?.to, mail?.link], [OWNER, link]);
    const rendered = await renderTemplate(s.db, TEMPLATE, JSON.parse(mail!.variables));
    assert.ok(rendered.kind === "email" && rendered.missing.length === 0);
    assert.equal(rendered.subject, `Acme: ${mail?.title}`);
    assert.ok(
      rendered.html.includes(`href="https://admin.example.com/tenants/${s.tenantId}${link}"`),
    );
    assert.equal(s.published.length, 1);
    s.later(MINUTE_MS);
    assert.equal(await s.tell(), 0, "it lasts");
    await end(s);
    assert.equal(await s.tell(), 1, "it has ended");
    const [, ended] = await s.mails();
    const words = ALERTS[kind].ended;
    assert.deepEqual([ended?.to, ended?.link, ended?.title], [OWNER, link, words.title]);
    assert.equal(JSON.parse(ended!.variables).message, words.message);
    assert.equal(await s.tell(), 0, "it was told already");
    await begin(s);
    assert.equal(await s.tell(), 0, "within the hour");
    s.later(HOUR_MS - MINUTE_MS);
    await end(s);
    await begin(s);
    assert.equal(await s.tell(), 1, "it lasts still, an hour after the first mail");
    s.later(HOUR_MS);
    const isOver = kind === "failure-rate";
    assert.equal(await s.tell(), isOver ? 1 : 0, "it was told already, but for its end");
  });
}

test("owners and operators are told of what they chose, and nobody else is", async (t) => {
  const s = await startAlerts(t);
  const editor = { email: "ed@acme.example.com", name: "Ed", password: null, operator: false };
  const personId = await insertPerson(s.db, editor);
  await putMembership(s.db, { personId, tenantId: s.tenantId, role: "editor" });
  await s.run(chooseAlerts, { person: OWNER, alerts: ["cap-reached"] });
  await s.run(chooseAllAlerts, { person: OPERATOR, alerts: ["dead-letters"] });
  for (const { begin } of Object.values(TROUBLE)) await begin(s);
  await s.tell();
  const told = (await s.mails()).map(({ to, title }) => `${to}: ${title}`);
  assert.deepEqual(told.sort(), [
    `${OWNER}: The daily limit is reached`,
    `${OPERATOR}: Messages were not delivered`,
  ]);
  await s.run(chooseAlerts, { person: OWNER, alerts: [...ALERT_KINDS] });
  assert.equal(await s.tell(), ALERT_KINDS.length - 1, "chosen while it lasts");
});

const SPEAKS = {
  de: ["In Belfry öffnen", "Es geht um Acme."],
  fr: ["Ouvrir dans Belfry", "Cela concerne Acme."],
};

for (const [language, said] of Object.entries(SPEAKS)) {
  test(`who chose ${language} is told in it, in template and alert alike; of an operator's own text the alert is English, too`, async (t) => {
    const s = await startAlerts(t);
    await s.db.updateTable("people").set({ language }).where("email", "=", OWNER).execute();
    const kinds = ALERT_KINDS.filter((kind) => defaultAlerts("owner").includes(kind));
    for (const kind of kinds) await TROUBLE[kind].begin(s);
    assert.equal(await s.tell(), kinds.length);
    const rows = await s.db.selectFrom("events").select(["locale", "variables"]).execute();
    const titles = new Set<string>();
    for (const { locale, variables } of rows) {
      assert.equal(locale, language);
      const rendered = await renderTemplate(s.db, TEMPLATE, JSON.parse(variables ?? ""), language);
      assert.ok(rendered.kind === "email" && rendered.missing.length === 0);
      for (const words of said) assert.ok(rendered.text.includes(words), words);
      assert.ok(!rendered.text.includes("Belfry's") && !rendered.text.includes("Open in Belfry"));
      titles.add(JSON.parse(variables ?? "").title);
    }
    assert.deepEqual(titles, new Set(kinds.map((kind) => alertWords(kind, language).title)));
    for (const kind of kinds) await TROUBLE[kind].end(s);
    assert.equal(await s.tell(), kinds.length);
    const ends = await s.db.selectFrom("events").select("variables").execute();
    for (const kind of kinds) {
      const { title } = alertWords(kind, language).ended;
      assert.ok(
        ends.some(({ variables }) => JSON.parse(variables ?? "").title === title),
        title,
      );
      assert.notEqual(title, ALERTS[kind].ended.title);
    }
    for (const kind of kinds) await TROUBLE[kind].begin(s);
    // A template that exists only in English is sent whole in English.
    await s.db.deleteFrom("events").execute();
    await s.db.deleteFrom("alert_mails").execute();
    await s.db.deleteFrom("template_variants").where("locale", "=", language).execute();
    assert.equal(await s.tell(), kinds.length);
    const english = await s.db.selectFrom("events").select(["locale", "variables"]).execute();
    assertEach(
      english.map(({ locale, variables }) => [locale, JSON.parse(variables ?? "").title]).sort(),
      (one) => one,
      kinds.map((kind) => [null, ALERTS[kind].title]).sort(),
    );
  });
}

test("a reset link and an invitation are mailed in the language that their person chose", async (t) => {
  const s = await startAlerts(t);
  await s.db.updateTable("people").set({ language: "fr" }).where("email", "=", OWNER).execute();
  const run = actsIn(s.db, s.tenantId, s.services);
  assert.ok((await run(makeMemberResetLink, { person: OWNER })).mailed);
  await run(inviteMember, { email: OPERATOR, role: "viewer" });
  await run(inviteMember, { email: "new@example.com", role: "viewer" });
  const rows = await s.db
    .selectFrom("events")
    .select(["event_type", "recipient_email", "locale"])
    .orderBy("id")
    .execute();
  assertEach(
    rows,
    ({ event_type, recipient_email, locale }) => [event_type, recipient_email, locale],
    [
      [OWN_MAIL.passwordReset, OWNER, "fr"],
      [OWN_MAIL.invitation, OPERATOR, null],
      [OWN_MAIL.invitation, "new@example.com", null],
    ],
  );
  const link = "https://admin.example.com/reset/x";
  for (const [eventType, said] of [
    [OWN_MAIL.passwordReset, "Choisir un nouveau mot de passe"],
    [OWN_MAIL.invitation, "Vous êtes invité à rejoindre Acme"],
  ] as const) {
    const variables = { email: OWNER, link, tenant: "Acme", role: "viewer" };
    const rendered = await renderTemplate(s.db, { ...TEMPLATE, eventType }, variables, "fr");
    assert.ok(rendered.kind === "email" && rendered.missing.length === 0);
    assert.ok(rendered.text.includes(said) && rendered.text.includes(link), rendered.text);
  }
});

test("two replicas that look at once send one mail", async (t) => {
  const s = await startAlerts(t);
  await s.run(chooseAlerts, { person: OWNER, alerts: [] });
  await TROUBLE["endpoint-disabled"].begin(s);
  await s.tell();
  await s.run(chooseAlerts, { person: OWNER, alerts: ["endpoint-disabled"] });
  await Promise.all([s.tell(), s.tell(), s.tell()]);
  await s.tell();
  assert.equal((await s.mails()).length, 1);
  await TROUBLE["endpoint-disabled"].end(s);
  await Promise.all([s.tell(), s.tell(), s.tell()]);
  await s.tell();
  assert.equal((await s.mails()).length, 2, "of its end as well");
});

test("whoever was not told of a trouble, or wants to know no more, is not told of its end, nor later", async (t) => {
  const s = await startAlerts(t);
  const { begin, end } = TROUBLE["endpoint-disabled"];
  await s.run(chooseAllAlerts, { person: OPERATOR, alerts: [] });
  await begin(s);
  assert.equal(await s.tell(), 1);
  await s.run(chooseAlerts, { person: OWNER, alerts: [] });
  await end(s);
  assert.equal(await s.tell(), 0);
  await s.run(chooseAlerts, { person: OWNER, alerts: ["endpoint-disabled"] });
  await s.run(chooseAllAlerts, { person: OPERATOR, alerts: ["endpoint-disabled"] });
  assert.equal(await s.tell(), 0);
  assert.deepEqual(
    (await s.mails()).map(({ to, title }) => [to, title]),
    [[OWNER, ALERTS["endpoint-disabled"].title]],
  );
});

test("nothing is created without a tenant that sends, or where others than operators could read its mail", async (t) => {
  const s = await startAlerts(t);
  await TROUBLE["endpoint-disabled"].begin(s);
  const silent = async (words: RegExp) => {
    assert.match((await s.run(showMailTenant, {})).fault ?? "", words);
    assert.equal(await s.tell(), 0);
    assert.equal((await s.db.selectFrom("alerts").selectAll().execute()).length, 0);
  };
  await s.run(chooseMailTenant, { tenant: null });
  await silent(/No tenant is chosen/);
  await s.run(chooseMailTenant, { tenant: s.tenantId });
  await silent(/members who are not operators/);
  await s.run(chooseMailTenant, { tenant: s.platformId });
  const key = await actsIn(s.db, s.platformId)(createKey, { name: "ci", role: "manage" });
  await silent(/API keys for management/);
  await s.db.deleteFrom("api_keys").where("prefix", "=", key.prefix).execute();
  await s.db
    .updateTable("providers")
    .set({ active: false })
    .where("id", "=", s.mailer.id)
    .execute();
  await silent(/no active provider for email/);
  await s.db.updateTable("providers").set({ active: true }).execute();
  assert.equal(await s.tell(), 1);
});

test("of more troubles than a look can tell, each reader is told some", async (t) => {
  const s = await startAlerts(t);
  const MOST_PER_LOOK = 200;
  const second = { email: "oz@example.com", name: "Oz", password: null, operator: true };
  await insertPerson(s.db, second);
  for (const person of [OPERATOR, second.email]) {
    await s.run(chooseAllAlerts, { person, alerts: ["endpoint-disabled"] });
  }
  await sql`with many as (
      insert into tenants (id, name, per_minute)
      select 'many' || i, 'Many', 1 from generate_series(1, ${MOST_PER_LOOK}) i returning id
    )
    insert into webhooks (id, tenant_id, url, secret, active, disabled_at, disabled_reason)
    select gen_random_uuid(), id, 'https://a.example.com', 'x', false, ${s.ago(0)}::timestamptz, 'answered 410'
    from many`.execute(s.db);
  assert.equal(await s.tell(), MOST_PER_LOOK);
  const told = await s.db.selectFrom("events").select("recipient_email").distinct().execute();
  assert.deepEqual(told.map(({ recipient_email: to }) => to).sort(), [OPERATOR, second.email]);
});
