import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { requeueDead } from "@belfry/administration/dead-letters/dead-letter-rows";
import { deleteTenant } from "@belfry/administration/erasure/delete-tenant";
import { eraseUser } from "@belfry/administration/erasure/erase-user";
import { saveUsers } from "@belfry/administration/users/users";
import { deleteEvents } from "@belfry/database/functions/delete-events";
import { assertEach } from "@belfry/testing/assert-each";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { searchUnderTest } from "../test/search-under-test.ts";
import { readSearchLags } from "./search-rows.ts";

const ACTOR = { personId: null, person: "the test", address: "here" };
const DEPS = { actor: ACTOR, disconnect: async () => undefined };
const ORDER = "order.confirmed";

async function world(t: TestContext) {
  const under = await searchUnderTest(t);
  const acme = await under.tenant({ id: "acme" });
  const other = await under.tenant({ id: "other" });
  for (const tenant of [acme, other]) await under.templates(tenant, ORDER, ["EMAIL", "SMS"]);
  return { ...under, acme, other };
}

test("one pass after the dispatch, any value that a customer gives finds the event, only in its tenant", async (t) => {
  const { acme, other, events, dispatch, send, pass, find, pool } = await world(t);
  const ada = { userId: "user/Ada", email: "Ada.Lovelace@Example.com", phone: "+491711234567" };
  const [id = "", another = ""] = await events(acme, ada, { userId: "bob", email: "b@x.org" });
  const [foreign = ""] = await events(other, ada);
  await pool.sql`update events set reference = 'order-7', trace_id = 'trace-ada',
      recipient_chat = 'telegram:@Ada' where id = ${id}`;
  await dispatch([id, another, foreign]);
  const deliveries = await send(acme, "<20261122.1@vendor>", `event_id = '${id}'`);
  await pass();
  const given: [string, string][] = [
    ["ada.lovelace@example.com", "email address"],
    [" Ada Lovelace <ADA.LOVELACE@example.com> ", "email address"],
    ["mailto:Ada.Lovelace@Example.com", "email address"],
    ["+49 (0)171 123-4567", "phone number"],
    ["0049171/1234567", "phone number"],
    ["0171 1234567", "phone number"],
    ["telegram:@Ada", "chat address"],
    ["user/Ada", "user id"],
    [id, "event id"],
    [id.toUpperCase(), "event id"],
    [deliveries[0].id, "event id"],
    ["order-7", "own event id"],
    ["trace-ada", "trace id"],
    ["20261122.1@vendor", "message id"],
    ["<20261122.1@vendor>", "message id"],
  ];
  for (const [text, by] of given) {
    const found = await find(text, acme);
    assert.deepEqual(found.ids, [id], text);
    assert.deepEqual(found.by, [by], text);
    assert.deepEqual(found.users, [{ tenantId: acme, userId: "user/Ada" }], text);
  }
  for (const text of ["ada.lovelace@example.com", "0171 1234567", "user/Ada"]) {
    assert.deepEqual((await find(text, other)).ids, [foreign], text);
    assert.deepEqual((await find(text)).ids, [foreign, id], "an operator sees all");
  }
  for (const text of [id, "order-7", "trace-ada", "20261122.1@vendor"]) {
    assert.deepEqual(await find(text, other), { ids: [], by: undefined, users: [] }, text);
    assert.deepEqual((await find(text)).ids, [id]);
  }
  for (const text of [
    "ada",
    "0171 1234568",
    "1234567",
    "x@y",
    "telegram:@ada",
    "@Ada",
    "%",
    "*",
    "' or true --",
  ]) {
    assert.deepEqual((await find(text, acme)).ids, [], text);
  }
});

test("a copied text with invisible marks or another Unicode composition finds the event, too", async (t) => {
  const { db, acme, events, dispatch, pass, find, pool } = await world(t);
  const jose = { userId: "jos\u00e9", email: "jose@example.com", phone: "+491711234567" };
  const [id = "", other = ""] = await events(acme, jose, { userId: "jose\u0301 b", email: null });
  await pool.sql`update events set reference = 'caf\u00e9', trace_id = 'tr-1' where id = ${id}`;
  await dispatch([id, other]);
  await saveUsers(db, acme, [{ userId: "an\u0303a" }]);
  await saveUsers(db, acme, [{ userId: " a space" }]);
  await pass();
  for (const text of [
    ...[
      "\u202a+49 171 1234567\u202c",
      "+49 171 1234567\n",
      "\u2066+491711234567\u2069",
      "0171\u200b 1234567",
    ],
    ...["jose@exam\u00adple.com", "\u200ejose@example.com", "\ufeffJose <jose@example.com>\u200b"],
    ...["jose\u0301", "jos\u00e9\u200b", "cafe\u0301", "tr-1\u200b", `\u200b${id}`],
  ]) {
    assert.deepEqual((await find(text, acme)).ids, [id], JSON.stringify(text));
  }
  assert.deepEqual((await find("jos\u00e9 b", acme)).ids, [other]);
  assert.deepEqual((await find("a\u00f1a", acme)).users, [{ tenantId: acme, userId: "an\u0303a" }]);
  assert.deepEqual((await find(" a space", acme)).users, [{ tenantId: acme, userId: " a space" }]);
  for (const text of ["\u200b", "\u200b\u00ad", "jose", "cafe"]) {
    const { ids, users } = await find(text, acme);
    // Its code points begin the decomposed id.
    const begun = text === "jose" ? [{ tenantId: acme, userId: "jose\u0301 b" }] : [];
    assert.deepEqual({ ids, users }, { ids: [], users: begun }, text);
  }
});

test("the address that a delivery used is found, also one of the directory, and a late message id once it is settled", async (t) => {
  const { db, acme, events, dispatch, send, pass, find, pool, count } = await world(t);
  await saveUsers(db, acme, [{ userId: "ann", email: "Ann@Home.org", phone: "+12025550123" }]);
  const [id = ""] = await events(acme, { userId: "ann", email: null, phone: null });
  await dispatch([id]);
  await pass();
  assert.deepEqual((await find("ann@home.org", acme)).ids, [id]);
  assert.deepEqual((await find("(202) 555-0123", acme)).ids, [id]);
  assert.equal(await count("search_waiting"), 2, "they have no end yet");
  await send(acme, "sg-1", "channel = 'EMAIL'");
  await pool.query("update search_waiting set look_at = now()");
  await pass();
  assert.deepEqual((await find("sg-1", acme)).ids, [id]);
  assert.deepEqual((await find("sg-1.filter0001.16648.5515E0B88.0", acme)).ids, [id]);
  assert.equal(await count("search_waiting"), 1);
});

test("a replayed delivery is found by the message id of its new attempt", async (t) => {
  const { db, acme, events, dispatch, send, pass, find, pool } = await world(t);
  const [id = ""] = await events(acme, { userId: "ann", phone: null });
  await dispatch([id]);
  await pool.query(
    "update deliveries set status = 'failed', due_at = null, released_at = null, settled_at = now()",
  );
  await pass();
  await requeueDead(db, { tenantId: acme }, { most: 10, reason: "again" });
  await send(acme, "second-try");
  await pool.query("update search_waiting set look_at = now()");
  await pass();
  assert.deepEqual((await find("second-try", acme)).ids, [id]);
});

test("users of the directory are found without any event", async (t) => {
  const { db, acme, other, find, pass } = await world(t);
  await saveUsers(db, acme, [{ userId: "u-1", email: "Ann@home.org", phone: "+491711234567" }]);
  await pass();
  for (const text of ["u-1", "ann@HOME.org", "+49 171 1234567", "01711234567"]) {
    assert.deepEqual((await find(text, acme)).users, [{ tenantId: acme, userId: "u-1" }], text);
    assert.deepEqual((await find(text, other)).users, [], text);
    assert.deepEqual((await find(text)).users, [{ tenantId: acme, userId: "u-1" }], text);
  }
});

test("the events of a digest are found by its message", async (t) => {
  const { acme, events, pass, find, pool } = await world(t);
  const ids = await events(acme, { userId: "ann" }, { userId: "ann" });
  await pool.sql`with g as (
      insert into digests (id, tenant_id, event_type, channel, user_id, recipient, locale, key, opened_at, window_ends_at)
      values (gen_random_uuid(), ${acme}, 'x', 'EMAIL', 'ann', 'digest@home.org', '', '', now(), now()) returning id),
    i as (insert into digest_items (digest_id, event_id, added_at) select g.id, unnest(${ids}::uuid[]),
      now() from g) insert into deliveries (id, event_id, tenant_id, channel, recipient, status, message_id)
    select ${ids[0]}, g.id, ${acme}, 'EMAIL', 'digest@home.org', 'accepted', 'm-9' from g`;
  await pass();
  for (const text of ["digest@home.org", "m-9"]) {
    assert.deepEqual((await find(text, acme)).ids, ids.toReversed(), text);
  }
});

test("an event's terms are deleted with it, a search user with the last event, and everything with an erasure", async (t) => {
  const { db, acme, other, events, dispatch, send, pass, find, count } = await world(t);
  const ann = { userId: "ann", email: "ann@home.org", phone: "+491711234567" };
  const ids = await events(acme, ann, ann, { userId: "bob", email: "bob@home.org", phone: null });
  await dispatch([...ids, ...(await events(other, ann))]);
  await send(acme, "m-1");
  await pass();
  const ofBob = (await find("bob", acme)).ids;
  assert.equal(await count("search_users"), 3);
  await deleteEvents(db, [ids[0]!], { spare: false });
  assert.deepEqual((await find("ann@home.org", acme)).ids, [ids[1]]);
  assert.equal(await count("search_users"), 3);
  await deleteEvents(db, [ids[1]!], { spare: false });
  assert.equal(await count("search_users"), 2);
  const [again = ""] = await events(acme, ann);
  await dispatch([again]);
  await pass();
  assert.deepEqual((await find("ann@home.org", acme)).ids, [again]);

  await eraseUser(db, { tenantId: acme, userId: "ann" }, DEPS);
  for (const text of ["ann", "ann@home.org", "0171 1234567", again]) {
    assert.deepEqual(await find(text, acme), { ids: [], by: undefined, users: [] }, text);
  }
  await pass();
  assert.equal((await find("ann@home.org", acme)).ids.length, 0, "a pass brings nothing back");
  assert.deepEqual((await find("bob", acme)).ids, ofBob);
  assert.equal((await find("ann", other)).ids.length, 1);
  await deleteTenant(db, acme, ACTOR);
  await deleteTenant(db, other, ACTOR);
  for (const table of ["search_terms", "search_users"]) assert.equal(await count(table), 0, table);
});

test("an event that is deleted during a pass leaves no terms", async (t) => {
  const { db, acme, events, pass, pool, count } = await world(t);
  const ids = await events(acme, { userId: "ann" }, { userId: "bob" });
  const client = await pool.connect();
  await client.query("begin");
  // The deletion holds a shared lock: the pass has read by then, and waits to write.
  await client.query("select * from delete_events(p_ids => $1, p_spare => false)", [[ids[0]]]);
  const passing = pass();
  await untilBlocked(pool);
  await client.query("commit");
  client.release();
  await passing;
  assert.deepEqual(await pool.sql`select user_id from search_users`, [{ user_id: "bob" }]);
  const terms = await pool.sql`select distinct event_id as id from search_terms`;
  assert.deepEqual(terms, [{ id: ids[1] }]);
  await deleteEvents(db, [ids[1]!], { spare: false });
  assert.equal(await count("search_terms"), 0);
});

test("two replicas at once, and one that ends in the middle: each event is found, and none is left behind", async (t) => {
  const { acme, events, dispatch, pass, replica, find, pool, count } = await world(t);
  const setups = Array.from({ length: 300 }, (_, at) => ({
    ...{ userId: `u${at}`, email: `u${at}@home.org`, phone: null },
  }));
  const ids = await events(acme, ...setups);
  await dispatch(ids);
  const { signal } = new AbortController();
  let steps = 0;
  Object.defineProperty(signal, "aborted", {
    get: () => {
      steps += 1;
      return steps > 6;
    },
  });
  const one = replica(20);
  await pass(() => one(signal));
  const middle = await count("search_users");
  assert.ok(middle > 0 && middle < 300, `${middle} users`);
  // A step that dies before its commit leaves nothing.
  await pool.query(
    "create function fail() returns trigger language plpgsql as $$begin raise 'killed'; end$$",
  );
  await pool.query(
    "create trigger fail before insert or update on search_walks execute function fail()",
  );
  await assert.rejects(replica(20)(), /killed/);
  assert.equal(await count("search_users"), middle);
  await pool.query("drop trigger fail on search_walks");
  await Promise.all([pass(replica(20)), pass(replica(20)), pass(replica(20))]);
  await pass();
  assert.equal(await count("search_users"), 300);
  for (const at of [0, 150, 299]) {
    assert.deepEqual((await find(`u${at}@home.org`, acme)).ids, [ids[at]]);
  }
  const rows = await pool.sql`select count(*)::integer as n
    from (select event_id from search_terms group by 1) x`;
  assert.equal(rows[0].n, 300);
});

test("a row that is committed after the walk has passed is found at the next check, and a metric shows the delay", async (t) => {
  const { acme, events, pass, find, pool } = await world(t);
  const [early = ""] = await events(acme, { userId: "early" });
  assert.ok((await readSearchLags(pool))[0]!.seconds >= 0);
  await pass();
  // An event of an ingest-api whose commit took long.
  const late = `${early.slice(0, -1)}${early.endsWith("f") ? "e" : "f"}`;
  await pool.sql`insert into events
    select (jsonb_populate_record(e, jsonb_build_object('id', ${late}::text, 'user_id', 'late'))).*
    from events e where id = ${early}`;
  await pass();
  assert.deepEqual((await find("late", acme)).ids, []);
  await pool.query("update search_steps set look_at = now()");
  await pass();
  assert.deepEqual((await find("late", acme)).ids, [late]);
  for (let look = 0; look < 3; look += 1) {
    const rows = await pool.sql`update search_steps set look_at = now() returning looks`;
    if (look === 0) assert.ok(rows.length > 0);
    await pass();
  }
  const rows = await pool.sql`select 1 from search_steps where after_id < ${early}`;
  assert.deepEqual(rows, [], "after three looks a range is forgotten");
});

test("if nothing is new, a pass reads once and writes nothing, whatever checks are still to come", async (t) => {
  const { acme, events, pass, find, pool } = await world(t);
  const [id] = await events(acme, { userId: "first" });
  await pass();
  const walked = async () => {
    const walks = await pool.query("select table_name, next_id from search_walks order by 1");
    const steps = await pool.query("select * from search_steps order by table_name, after_id");
    return { walks: walks.rows, steps: steps.rows };
  };
  const before = await walked();
  await pass();
  assert.deepEqual(await walked(), before);
  // A due check runs every step.
  await pool.query("update search_steps set look_at = now()");
  await pass();
  const after = await walked();
  assert.deepEqual(after.walks, before.walks);
  assert.equal(after.steps.length, before.steps.length);
  const [later] = await events(acme, { userId: "later" });
  await pass();
  assert.deepEqual((await find("first", acme)).ids, [id]);
  assert.deepEqual((await find("later", acme)).ids, [later]);
});

test("search catches up with a database that was filled without it", async (t) => {
  const { acme, events, pass, find, replica, pool } = await world(t);
  const [id = ""] = await events(acme, { userId: "now" });
  const old = "01900000-0000-7000-8000-000000000001";
  await pool.sql`insert into events
    select (jsonb_populate_record(e, jsonb_build_object('id', ${old}::text, 'user_id', 'old'))).*
    from events e where id = ${id}`;
  assert.ok((await readSearchLags(pool))[0]!.seconds > 86_400);
  await pass(replica(1));
  assert.deepEqual((await find("old", acme)).ids, [old]);
  assert.deepEqual((await find("now", acme)).ids, [id]);
  assertEach(await readSearchLags(pool), ({ seconds }) => seconds, [0, 0]);
});
