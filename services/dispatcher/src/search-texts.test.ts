import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { InvalidInput } from "@belfry/administration/input-error";
import { eventually } from "@belfry/testing/eventually";
import { ODD_TEXTS } from "@belfry/testing/hostile";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { searchUnderTest } from "../test/search-under-test.ts";

/** Texts of others that look the same, and a replica that is killed. */

async function world(t: TestContext) {
  const under = await searchUnderTest(t);
  const acme = await under.tenant({ id: "acme" });
  return { ...under, acme, other: await under.tenant({ id: "other" }) };
}

/** With an event of that user. */
async function withAnn(t: TestContext) {
  const under = await world(t);
  const ann = { userId: "ann", email: "ann@home.org", phone: "+491711234567" };
  const [id = ""] = await under.events(under.acme, ann);
  await under.pass();
  return { ...under, id };
}

test("an address and a number in full-width characters, as Japanese keyboards write them, are found", async (t) => {
  const { acme, id, find } = await withAnn(t);
  for (const text of [
    "\uff41nn\uff20home.org",
    "\uff0b\uff14\uff191711234567",
    "\uff10171 1234567",
  ]) {
    assert.deepEqual((await find(text, acme)).ids, [id], text);
  }
});

test("any pasted text is answered or refused, and finds only events with the same value", async (t) => {
  const { acme, id, find } = await withAnn(t);
  const long = [
    "\ufdfa",
    "e\u0301",
    "\u0344",
    "@",
    "a@",
    "<",
    "0",
    "+",
    ".",
    "\u200b",
    "\u{1f600}",
  ];
  const given = [
    ...[...ODD_TEXTS, "%", "ann%", "_nn", "a.n", "^ann$", "ann\\", "ann'--", "$1", "{ann}", "NULL"],
    ...[
      "ann@home.org, b@x.org",
      "<ann@home.org",
      "ann@home.org>",
      "ann@home.org.",
      "%40",
      "\u0085",
    ],
    ...[
      "00000000-0000-0000-0000-000000000000",
      `${id}0`,
      id.replaceAll("-", ""),
      "+",
      "(0)",
      "tel:",
    ],
    ...long.map((text) => text.repeat(500 / text.length)),
  ];
  for (const text of given) {
    for (const tenant of [acme, undefined]) {
      assert.deepEqual((await find(text, tenant)).ids, [], JSON.stringify(text));
    }
  }
  for (const text of ["", " ", "a".repeat(10_000), "a\u0000", "\ud800", "ann\nann"]) {
    await assert.rejects(find(text, acme), InvalidInput, JSON.stringify(text));
  }
});

test("a number in its national form is found behind a page of newer events to numbers with the same end", async (t) => {
  const { acme, events, pass, find } = await world(t);
  const [id = ""] = await events(acme, { userId: "ann", phone: "+491711234567" });
  await events(acme, ...Array.from({ length: 60 }, () => ({ userId: "x", phone: "+12011234567" })));
  await pass();
  assert.deepEqual((await find("0171 1234567", acme)).ids, [id]);
  assert.equal((await find("11234567", acme)).ids.length, 50);
});

test("a search reads nothing of another tenant's digest, however many events it has", async (t) => {
  const { acme, other, events, pass, find, pool } = await world(t);
  const digest = "01a20000-0000-7000-8000-00000000000d";
  const own = await events(acme, ...Array.from({ length: 50 }, () => ({ userId: digest })));
  const ids = await events(other, ...Array.from({ length: 60 }, () => ({ userId: "bob" })));
  await pool.sql`insert into digests (id, tenant_id, event_type, channel, user_id, locale, key,
      opened_at, window_ends_at)
    values (${digest}, ${other}, 'x', 'EMAIL', 'bob', '', '', now(), now())`;
  await pool.sql`insert into digest_items select ${digest}, unnest(${ids}::uuid[]), now()`;
  await pass();
  assert.deepEqual((await find(digest, acme)).ids, own.toReversed());
  assert.equal((await find(digest, other)).ids.length, 50);
});

test("a replica that dies during a step frees it at once, and the next one repeats it", async (t) => {
  const { acme, events, pass, replica, find, pool, count } = await world(t);
  const [id = ""] = await events(acme, { userId: "ann", email: "ann@home.org" });
  // The deletion holds the lock: the step waits to write.
  const client = await pool.connect();
  await client.query("begin");
  await client.query(
    "select pg_advisory_xact_lock_shared(hashtextextended('belfry search terms', 0))",
  );
  const dying = pass();
  const died = assert.rejects(dying);
  await untilBlocked(pool);
  assert.equal(await replica()(), 0, "another one finds it busy");
  // Postgres sees a kill -9 as a lost connection.
  await pool.query(
    "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and not granted",
  );
  await died;
  await client.query("commit");
  client.release();
  assert.equal(await count("search_terms"), 0);
  // The client learns of the cut a moment before its locks are free.
  await eventually(async () => {
    await pass();
    return (await count("search_terms")) > 0;
  });
  assert.deepEqual((await find("ann@home.org", acme)).ids, [id]);
});
