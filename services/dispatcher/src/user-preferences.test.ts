import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Channel } from "@belfry/contracts/channels";
import { reasonWords } from "@belfry/contracts/reasons";
import { noteUse } from "@belfry/database/configuration-version";
import { setPreferences } from "@belfry/database/preferences";
import type { TestPool } from "@belfry/testing/database";
import {
  dispatcherUnderTest,
  type EventSetup,
  eventsMessage,
} from "../test/dispatcher-under-test.ts";
import { createEventHandler } from "./event-handler.ts";

const ANN = { tenantId: "acme", userId: "ann" };

async function setUp(t: TestContext) {
  const under = await dispatcherUnderTest(t);
  const { pool, db } = under;
  const handler = createEventHandler(under.deps);
  await under.tenant({ id: ANN.tenantId });
  await under.templates(ANN.tenantId, "sale.began");
  return {
    ...under,
    /** Accepts and dispatches one event of Ann; returns its channels. */
    async dispatch(setup: EventSetup = {}) {
      const [id = ""] = await under.events(ANN.tenantId, {
        ...{ eventType: "sale.began", userId: ANN.userId },
        ...setup,
      });
      const signal = new AbortController().signal;
      await handler([eventsMessage([id])], { log: under.log, signal });
      const { outcome } = await under.outcome(id);
      const rows = await under.deliveries(`event_id = '${id}'`);
      const by = new Map<string, (typeof rows)[number]>(rows.map((row) => [row.channel, row]));
      const pushed = await pool.sql`select 1 from notifications where id = ${id}`;
      return { id, outcome, by, channels: [...by.keys()].sort(), pushed: pushed.length === 1 };
    },
    async category(key: string, more: { required?: boolean; default_on?: boolean } = {}) {
      const texts = { label: JSON.stringify({ "": "Offers" }), description: "{}" };
      await db
        .insertInto("categories")
        .values({ tenant_id: ANN.tenantId, key, ...texts, ...more })
        .execute();
      await db
        .insertInto("event_type_categories")
        .values({ tenant_id: ANN.tenantId, event_type: "sale.began", category: key })
        .execute();
      await noteUse(db, ANN.tenantId, "uses_preferences");
    },
    off: (category: string, channel: Channel | "*") =>
      setPreferences(db, ANN, "preference page", [{ category, channel, enabled: false }]),
    async recipient(more: Record<string, unknown>, userId = ANN.userId) {
      await db
        .insertInto("recipients")
        .values({ tenant_id: ANN.tenantId, user_id: userId, ...more })
        .onConflict((conflict) =>
          conflict.columns(["tenant_id", "user_id"]).doUpdateSet({
            ...{ email: null, phone: null, locale: null, timezone: null },
            ...{ quiet_from: null, quiet_to: null },
            ...more,
          }),
        )
        .execute();
      await noteUse(db, ANN.tenantId, "uses_recipients");
    },
  };
}

/** The names of the statements that some work sends. */
async function statementsOf(pool: TestPool, work: () => Promise<unknown>): Promise<string[]> {
  const { query } = pool;
  const names: string[] = [];
  pool.query = ((...args: unknown[]) => {
    names.push((args[0] as { name?: string }).name ?? "unnamed");
    return (query as (...all: unknown[]) => unknown).apply(pool, args);
  }) as typeof query;
  await work();
  pool.query = query;
  return names;
}

test("a tenant that names no users and has no preferences causes no statement for them", async (t) => {
  const { pool, dispatch } = await setUp(t);
  await dispatch();
  const names = await statementsOf(pool, () => dispatch());
  assert.ok(names.includes("dispatch_events"));
  const more = names.filter((name) => /recipients|preferences|suppressions/.test(name));
  assert.deepEqual(more, []);
});

test("the first preference and the first user apply to the next event, whatever the caches hold", async (t) => {
  const { dispatch, off, recipient } = await setUp(t);
  assert.deepEqual((await dispatch()).channels, ["EMAIL", "SMS"]);
  await off("*", "SMS");
  const { channels, outcome } = await dispatch();
  assert.deepEqual(channels, ["EMAIL"]);
  assert.match(
    outcome.skipped.SMS,
    /^turned off by the user on SMS, \d+ \w+ 20\d\d, preference page$/,
  );
  assert.match((await dispatch({ email: null })).outcome.skipped.EMAIL, /^no recipientEmail$/);
  await recipient({ email: "ann@example.com" });
  const { by } = await dispatch({ email: null });
  assert.equal(by.get("EMAIL").recipient, "ann@example.com");
});

test("an address in the trigger wins, else the user's is stored on the delivery", async (t) => {
  const { dispatch, recipient } = await setUp(t);
  await recipient({ email: "ann@example.com", phone: "+12025550199" });
  await recipient({ email: "bob@example.com" }, "bob");
  for (const [setup, email, phone] of [
    [{}, "a@example.com", "+12025550123"],
    [{ email: null }, "ann@example.com", "+12025550123"],
    [{ email: null, phone: null }, "ann@example.com", "+12025550199"],
    [{ email: null, phone: null, userId: "bob" }, "bob@example.com", undefined],
  ] as const) {
    const { by, outcome } = await dispatch(setup);
    assert.equal(by.get("EMAIL").recipient, email);
    assert.equal(by.get("SMS")?.recipient, phone);
    assert.equal(outcome?.skipped?.SMS, phone === undefined ? "no recipientPhone" : undefined);
  }
});

test("the user's language is used if the trigger names none", async (t) => {
  const { pool, dispatch, recipient } = await setUp(t);
  await pool.query(
    `insert into template_variants (template_id, locale, current_version_id)
     select template_id, 'de', current_version_id from template_variants
     join templates on templates.id = template_id where channel = 'PUSH'`,
  );
  const german = { kind: "notification", title: "Titel", body: "Hallo", variables: [] };
  await pool.sql`with v as (insert into template_versions (template_id, version, content, compiled)
      select template_id, 2, 'x', ${JSON.stringify(german)} from template_variants
      join templates on templates.id = template_id where locale = 'de' and channel = 'PUSH'
      returning id, template_id)
    update template_variants n set current_version_id = v.id from v
    where n.locale = 'de' and n.template_id = v.template_id`;
  await recipient({ locale: "de-AT" });
  const titleOf = async (setup: EventSetup) => {
    const { id } = await dispatch(setup);
    return (await pool.sql`select title from notifications where id = ${id}`)[0].title;
  };
  assert.equal(await titleOf({}), "Titel");
  assert.equal(await titleOf({ locale: "fr" }), "Order");
});

test("each channel is decided on its own; a PUSH that is off leaves no history; required messages are sent anyway", async (t) => {
  const { pool, dispatch, off, category } = await setUp(t);
  await category("offers");
  await off("offers", "PUSH");
  const pushOff = await dispatch();
  assert.deepEqual([pushOff.channels, pushOff.pushed], [["EMAIL", "SMS"], false]);
  assert.match(pushOff.outcome.skipped.PUSH, /^turned off by the user for Offers on PUSH, /);
  await off("*", "*");
  const nothing = await dispatch();
  assert.deepEqual([nothing.channels, nothing.pushed], [[], false]);
  assert.deepEqual(Object.keys(nothing.outcome.skipped).sort(), ["EMAIL", "PUSH", "SMS"]);
  await pool.query("update categories set required = true");
  const required = await dispatch();
  assert.deepEqual([required.channels, required.pushed], [["EMAIL", "SMS"], true]);
});

test("the timeline shows other reasons before a preference, and a preference before a suppression", async (t) => {
  const { pool, dispatch, off, recipient } = await setUp(t);
  const { at } = await clock(pool);
  await recipient({ quiet_from: at(-60), quiet_to: at(60) });
  const suppress = (channel: string, address: string) =>
    pool.sql`insert into suppressions (tenant_id, channel, address, reason)
      values ('acme', ${channel}, ${address}, 'bounced')`;
  await suppress("EMAIL", "a@example.com");
  const asked = (await dispatch({ channels: ["EMAIL", "SMS"] })).outcome;
  assert.equal(asked.skipped.EMAIL, "address suppressed (bounced)");
  assert.deepEqual(Object.keys(asked.waits), ["SMS"]);
  await off("*", "EMAIL");
  assert.match((await dispatch()).outcome.skipped.EMAIL, /^turned off by the user on EMAIL/);
  assert.equal((await dispatch({ email: null })).outcome.skipped.EMAIL, "no recipientEmail");
  assert.equal((await dispatch({ channels: ["SMS"] })).outcome.skipped.EMAIL, "not requested");
});

/** Returns the current minute of the database's clock, and times of day around it, in UTC. */
async function clock(pool: TestPool) {
  const rows = await pool.sql<{ now: Date }>`select clock_timestamp() as now`;
  const minute = Math.floor(rows[0]!.now.getTime() / 60_000) * 60_000;
  const at = (minutes: number, offset = 0) =>
    new Date(minute + (minutes + offset) * 60_000).toISOString().slice(11, 16);
  return { minute, at };
}

const KOLKATA_MINUTES = 330;

test("in quiet hours email and SMS wait until their end, by the clock of the user's zone", async (t) => {
  const { pool, dispatch, recipient, category } = await setUp(t);
  const { minute, at } = await clock(pool);
  const now = { from: at(-60), to: at(60) };
  const there = { from: at(-60, KOLKATA_MINUTES), to: at(90, KOLKATA_MINUTES) };
  const later = { from: at(60), to: at(120) };
  interface Said {
    timezone?: string | null;
    from?: string | null;
    to?: string | null;
  }
  const TABLE: [what: string, user: Said | null, tenant: Said, minutes: number | null][] = [
    ["the user's own, UTC", now, {}, 60],
    ["the user's own, in the user's zone", { ...there, timezone: "Asia/Kolkata" }, {}, 90],
    ["the user's own, in the tenant's zone", there, { timezone: "Asia/Kolkata" }, 90],
    ["the user's zone wins", { ...now, timezone: "UTC" }, { timezone: "Asia/Kolkata" }, 60],
    ["the tenant's hours, by the user's zone", { timezone: "Asia/Kolkata" }, there, 90],
    ["the tenant's hours, of a user whom nobody has named", null, now, 60],
    ["the user's hours win", later, now, null],
    ["not quiet now", later, {}, null],
    ["the same hours elsewhere", { ...now, timezone: "Asia/Kolkata" }, {}, null],
  ];
  for (const [what, user, tenant, minutes] of TABLE) {
    await pool.sql`update tenants
      set timezone = ${tenant.timezone ?? null}, quiet_from = ${tenant.from ?? null},
        quiet_to = ${tenant.to ?? null} where id = 'acme'`;
    await pool.query("delete from recipients");
    const { from, to, timezone } = user ?? {};
    if (user !== null) await recipient({ timezone, quiet_from: from, quiet_to: to });
    const { by, pushed, outcome } = await dispatch();
    assert.ok(pushed, `${what}: the inbox is never delayed`);
    for (const channel of ["EMAIL", "SMS"]) {
      const row = by.get(channel);
      assert.equal(row.status, "queued", what);
      if (minutes === null) {
        assert.deepEqual([row.due_at, row.reason], [row.created_at, null], what);
        assert.ok(row.released_at !== null, what);
        continue;
      }
      assert.equal(row.due_at.getTime(), minute + minutes * 60_000, what);
      assert.equal(row.released_at, null, what);
      assert.match(
        reasonWords(row.reason),
        /^quiet hours until \d\d:\d\d, \d+ \w+ 20\d\d \((UTC|Asia\/Kolkata)\)$/,
      );
      assert.equal(outcome.waits[channel], row.reason);
    }
    assert.equal(outcome?.waits === undefined, minutes === null, what);
  }
  await pool.query("delete from recipients");
  await recipient({ quiet_from: now.from, quiet_to: now.to });
  await category("offers", { required: true });
  const required = await dispatch();
  for (const row of required.by.values()) assert.deepEqual(row.due_at, row.created_at);
  assert.equal(required.outcome, null);
});

test("a message that would expire before quiet hours end expires at once, and the event says so", async (t) => {
  const { pool, dispatch, recipient, templates } = await setUp(t);
  const { minute, at } = await clock(pool);
  await recipient({ quiet_from: at(-60), quiet_to: at(60) });
  await templates("acme", "short", ["EMAIL"], { expiresAfterSeconds: 1_800 });
  await templates("acme", "long", ["EMAIL"], { expiresAfterSeconds: 7_200 });
  const short = await dispatch({ eventType: "short" });
  const row = short.by.get("EMAIL");
  assert.deepEqual([row.status, row.due_at, row.released_at], ["expired", null, null]);
  assert.ok(row.settled_at !== null);
  assert.match(row.reason, /^it would expire before quiet hours end at \d\d:\d\d, .* \(UTC\)$/);
  assert.equal(short.outcome?.waits, undefined);
  const long = (await dispatch({ eventType: "long" })).by.get("EMAIL");
  assert.deepEqual([long.status, long.due_at.getTime()], ["queued", minute + 3_600_000]);
});

test("an event goes to devices if its user has one, waits as other channels do, and is skipped for others", async (t) => {
  const { pool, db, deps, dispatch, recipient, templates, off, category } = await setUp(t);
  await templates(ANN.tenantId, "sale.began", ["DEVICE"]);
  const device = (userId: string) =>
    pool.sql`insert into devices (id, tenant_id, user_id, device_id, kind, token, token_hash)
      values (gen_random_uuid(), ${ANN.tenantId}, ${userId}, 'phone', 'fcm', '', ${userId})`;
  await device(ANN.userId);
  deps.routing.clear();
  const unnoted = await dispatch();
  assert.deepEqual(unnoted.outcome.skipped, { DEVICE: "the user has no device" });
  await noteUse(db, ANN.tenantId, "uses_devices");
  deps.routing.clear();
  const without = await dispatch({ userId: "bob" });
  assert.deepEqual(without.outcome.skipped, { DEVICE: "the user has no device" });
  const sent = await dispatch();
  assert.deepEqual(sent.channels, ["DEVICE", "EMAIL", "SMS"]);
  assert.deepEqual([sent.by.get("DEVICE").recipient, sent.outcome], ["", null]);
  assert.deepEqual((await dispatch({ channels: ["EMAIL"] })).channels, ["EMAIL"]);

  const { at } = await clock(pool);
  await recipient({ quiet_from: at(-60), quiet_to: at(60) });
  const quiet = await dispatch();
  assert.match(reasonWords(quiet.by.get("DEVICE").reason), /^quiet hours until/);
  await category("offers");
  await off("offers", "DEVICE");
  assert.deepEqual((await dispatch()).channels, ["EMAIL", "SMS"]);
});

test("a push reads the attributes of its user when it is dispatched, if its template reads them", async (t) => {
  const { pool, deps, templates, dispatch, recipient } = await setUp(t);
  const body = "Hello {{user.name}}";
  await templates(ANN.tenantId, "news", ["PUSH"], { body });
  await recipient({ attributes: '{"name":"Ann {{x}}"}' });
  const sent = async (setup: EventSetup = {}) => {
    const { id, outcome } = await dispatch({ eventType: "news", ...setup });
    const [row] = await pool.sql<{ body: string }>`select body from notifications where id = ${id}`;
    return [row?.body, outcome?.missing?.PUSH];
  };
  assert.deepEqual(await sent(), ["Hello ", ["user.name"]], "the template is not known to read it");
  const before = await statementsOf(pool, () => sent());
  await pool.sql`update templates set reads_user = true where event_type = 'news'`;
  deps.routing.clear();
  await sent();
  const after = await statementsOf(pool, async () => {
    assert.deepEqual(await sent(), ["Hello Ann {{x}}", undefined]);
  });
  assert.deepEqual(after, before, "in the statement that is there already");
  assert.deepEqual(await sent({ userId: "bob" }), ["Hello ", ["user.name"]]);
  const user = { other: "x" };
  assert.deepEqual(await sent({ variables: { title: "T", user } }), ["Hello ", ["user.name"]]);
});

test("a chat message goes to the event's address, else to its user's, if a provider of its kind is there", async (t) => {
  const { pool, deps, dispatch, recipient, templates, off, category } = await setUp(t);
  await templates(ANN.tenantId, "sale.began", ["CHAT"]);
  deps.routing.clear();
  const to = (recipientChat: string) => dispatch({ later: { recipientChat } });
  assert.deepEqual((await dispatch()).outcome.skipped, { CHAT: "no recipientChat" });
  assert.equal((await to("slack:C1")).by.get("CHAT").recipient, "slack:C1");
  await recipient({ chat: "slack:U1" });
  assert.equal((await dispatch()).by.get("CHAT").recipient, "slack:U1");
  assert.equal((await to("slack:C1")).by.get("CHAT").recipient, "slack:C1");
  assert.deepEqual((await to("C1")).outcome.skipped, {
    CHAT: "recipientChat is not a chat address such as slack:C024BE91L",
  });
  await pool.sql`update providers set kind = 'discord' where channel = 'CHAT'`;
  deps.routing.clear();
  assert.deepEqual((await dispatch()).outcome.skipped, {
    CHAT: "no active provider of the kind slack",
  });
  assert.equal((await to("discord:ops")).by.get("CHAT").recipient, "discord:ops");
  await category("offers");
  await off("offers", "CHAT");
  assert.match((await to("discord:ops")).outcome.skipped.CHAT, /^turned off by the user/);
});
