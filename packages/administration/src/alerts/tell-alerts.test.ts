import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import {
  ALERT_KINDS,
  ALERT_THRESHOLDS,
  ALERTS,
  type Alert,
  alertWords,
  defaultAlerts,
  OWN_MAIL,
} from "@belfry/contracts/alerts";
import type { Database } from "@belfry/database/connection";
import { assertEach } from "@belfry/testing/assert-each";
import type { Cleanup } from "@belfry/testing/cleanup";
import { sql } from "kysely";
import { actsIn, putActiveProvider } from "../../test/acts.ts";
import { TEST_KEYS, tenantDatabase } from "../../test/database.ts";
import { RANGES } from "../health/activity-sums.ts";
import { inviteMember, makeMemberResetLink } from "../people/members.ts";
import { insertPerson, putMembership } from "../people/person-rows.ts";
import { renderTemplate } from "../templates/preview-template.ts";
import { createKey } from "../tenants/tenant-credentials.ts";
import { createTenant } from "../tenants/tenants.ts";
import {
  chooseAlerts,
  chooseAllAlerts,
  chooseMailTenant,
  showMailTenant,
} from "./alert-choices.ts";
import { sendAlertMails } from "./tell-alerts.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const TEMPLATE = { tenantId: "platform", eventType: OWN_MAIL.alert, channel: "EMAIL" } as const;
const OWNER = "olive@acme.example.com";
const OPERATOR = "op@example.com";

/** A tenant with an owner, the tenant that sends Belfry's own mail, and an operator who wants no alerts yet. */
async function started(t: Cleanup) {
  const { db, tenantId } = await tenantDatabase(t);
  const { id: platformId } = await createTenant(db, { name: "Platform" });
  const person = async (email: string, operator: boolean) =>
    await insertPerson(db, { email, name: email, password: null, operator });
  await putMembership(db, { personId: await person(OWNER, false), tenantId, role: "owner" });
  await person(OPERATOR, true);
  const run = actsIn(db, tenantId);
  const sandbox = { channel: "EMAIL", kind: "sandbox", settings: {} } as const;
  const use = { keys: TEST_KEYS };
  const mailer = await putActiveProvider(db, { ...sandbox, tenantId: platformId }, use);
  const provider = await putActiveProvider(db, { ...sandbox, tenantId }, use);
  await run(chooseMailTenant, { tenant: platformId });
  await run(chooseAllAlerts, { person: OPERATOR, alerts: [] });
  const published: string[] = [];
  let now = new Date("2026-11-25T12:00:00Z");
  const services = {
    adminUrl: async () => "https://admin.example.com",
    publishEvent: async (id: string) => void published.push(id),
  };
  const ago = (ms: number) => new Date(now.getTime() - ms);
  return {
    ...{ db, tenantId, platformId, run, services, published, ago, mailer, provider },
    later: (ms: number) => {
      now = new Date(now.getTime() + ms);
    },
    tell: async () => await sendAlertMails(db, services, now),
    /** Returns recipients and titles of mails, in the order of acceptance. */
    mails: async () => {
      const rows = await db
        .selectFrom("events")
        .select(["tenant_id", "event_type", "recipient_email", "variables"])
        .orderBy("id")
        .execute();
      for (const { tenant_id, event_type } of rows) {
        assert.deepEqual([tenant_id, event_type], [platformId, OWN_MAIL.alert]);
      }
      return rows.map(({ recipient_email: to, variables }) => {
        const { link, title, tenant } = JSON.parse(variables ?? "");
        assert.equal(tenant, "Acme");
        const at = link.replace(`https://admin.example.com/tenants/${tenantId}`, "");
        return { to, title, variables: variables ?? "", link: at };
      });
    },
  };
}

type Started = Awaited<ReturnType<typeof started>>;

/** For each kind: how the trouble begins, where its mail leads, and how it ends. */
const TROUBLE: Record<
  Alert,
  { link: string; begin(s: Started): Promise<unknown>; end(s: Started): Promise<unknown> }
> = {
  "provider-paused": {
    link: "/providers",
    begin: ({ db, provider: { id }, ago }) =>
      db
        .insertInto("provider_circuits")
        .values({
          ...{ provider_id: id, class: "transient", reason: "timeout", failures: 1 },
          opened_at: ago(ALERT_THRESHOLDS.pausedMinutes * MINUTE_MS),
          open_until: ago(0),
        })
        .execute(),
    end: ({ db }) => db.deleteFrom("provider_circuits").execute(),
  },
  "failure-rate": {
    link: "",
    begin: ({ db, tenantId, ago }) => {
      const { failedOfMessages: of, failedPercent } = ALERT_THRESHOLDS;
      const failed = (of * failedPercent) / 100;
      return db
        .insertInto("activity_sums")
        .values({
          ...{
            tenant_id: tenantId,
            starts_at: ago(MINUTE_MS),
            bar_seconds: RANGES.hour.barSeconds,
          },
          ...{ grouped_by: "channel", name: "EMAIL", sent: of - failed, failed },
        })
        .execute();
    },
    end: ({ db }) => db.deleteFrom("activity_sums").execute(),
  },
  "dead-letters": {
    link: "/dead-letters",
    begin: ({ db, tenantId, ago }) =>
      sql`insert into deliveries (id, event_id, tenant_id, channel, status, settled_at)
        select gen_random_uuid(), gen_random_uuid(), ${tenantId}, 'EMAIL', 'failed', ${ago(MINUTE_MS)}::timestamptz
        from generate_series(1, ${ALERT_THRESHOLDS.deadLetters}::integer)`.execute(db),
    end: ({ db }) => db.updateTable("deliveries").set({ status: "discarded" }).execute(),
  },
  "cap-reached": {
    link: "/settings",
    begin: ({ db, tenantId, ago }) => setDay(db, tenantId, ago(0), 100_000),
    end: ({ db, tenantId, ago }) => setDay(db, tenantId, ago(0), 99_999),
  },
  "endpoint-disabled": {
    link: "/webhooks",
    begin: ({ db, tenantId, ago }) =>
      db
        .insertInto("webhooks")
        .values({
          ...{ id: randomUUID(), tenant_id: tenantId, url: "https://a.example.com", secret: "x" },
          ...{ active: false, disabled_at: ago(0), disabled_reason: "answered 410" },
        })
        .execute(),
    end: ({ db }) => db.deleteFrom("webhooks").execute(),
  },
};

const setDay = (db: Database, tenantId: string, day: Date, day_total: number) =>
  db
    .updateTable("tenant_limits")
    .set({ day: sql`${day}::date`, day_total })
    .where("tenant_id", "=", tenantId)
    .execute();

for (const kind of ALERT_KINDS) {
  test(`${kind}: the owner is told once while it lasts, once that it has ended, and again only an hour later`, async (t) => {
    const s = await started(t);
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
  const s = await started(t);
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
    const s = await started(t);
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
  const s = await started(t);
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
  const s = await started(t);
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
  const s = await started(t);
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
  const s = await started(t);
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
