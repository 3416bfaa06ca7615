import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { Cleanup } from "@belfry/testing/cleanup";
import { actsIn } from "../../test/acts.ts";
import { hold, refusedWith, refusesEach, tenantDatabase } from "../../test/database.ts";
import { eraseUser } from "../erasure/erase-user.ts";
import { openErasure } from "../erasure/erasures.ts";
import { NotFound, TooLate } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import { addToImport, cancelImport, listImports, showImport, startImport } from "./imports.ts";
import { changeMembers, deleteTopic, listMembers, listTopics } from "./topics.ts";
import { knownUser, putUser } from "./users.ts";
import { workImports } from "./work-imports.ts";

const ACTOR = { personId: null, person: "command line (root)", address: "host" };
const DEPS = { actor: ACTOR, disconnect: async () => undefined };
const NEVER = new AbortController().signal;

async function world(t: Cleanup) {
  const { db, pool, tenantId } = await tenantDatabase(t, { maxConnections: 8 });
  const run = actsIn(db, tenantId);
  const postponed: unknown[] = [];
  const rests: number[] = [];
  const work = (signal = NEVER, rest = async (ms: number): Promise<void> => void rests.push(ms)) =>
    workImports({ db, rest, onPostponed: (error) => postponed.push(error) }, signal);
  const users = (file: string, more = false) => run(startImport, { kind: "users", file, more });
  const members = (topic: string, file: string, more = false) =>
    run(startImport, { kind: "members", topic, file, more });
  const shown = (importId: string) => run(showImport, { importId });
  const done = async (importId: string) => {
    await work();
    assert.deepEqual(postponed, []);
    return await shown(importId);
  };
  return { db, pool, tenantId, run, work, users, members, shown, done, postponed, rests };
}

function lines(from: number, count: number): string {
  return Array.from({ length: count }, (_, n) => `user-${from + n}\n`).join("");
}

test("a file of users: what its columns say is written, an empty field says that there is none, what it has no column for stays", async (t) => {
  const { db, tenantId, run, users, done, pool } = await world(t);
  await run(putUser, { userId: "ada", email: "old@example.com", phone: "+12025550100" });
  const { id, state } = await users(
    [
      "E-Mail;User ID;Plan;Quiet hours;Time zone;Language;Chat address",
      "Ada@EXAMPLE.com;ada;gold;22:00-06:00;europe/vienna;DE-at;slack:U1",
      '"bob@example.com";bob;;;;;',
      ";cleo;;;;;",
    ].join("\r\n"),
  );
  assert.equal(state, "waiting");
  const { faults, ...counts } = await done(id);
  assert.deepEqual(
    [
      counts.state,
      counts.lines,
      counts.processed,
      counts.added,
      counts.alreadyThere,
      counts.leftOut,
    ],
    ["done", 3, 3, 2, 1, 0],
  );
  assert.deepEqual(faults, []);
  assert.deepEqual(counts.ignoredColumns, [{ column: "Plan", suggestion: null }]);
  const ada = await knownUser(db, tenantId, "ada");
  assert.deepEqual(
    [ada?.email, ada?.phone, ada?.timezone, ada?.locale, ada?.quietHours],
    ["Ada@EXAMPLE.com", "+12025550100", "Europe/Vienna", "de-AT", { from: "22:00", to: "06:00" }],
  );
  assert.equal(ada?.chat, "slack:U1");
  await done((await users("userId,email\nada,\n")).id);
  assert.deepEqual((await knownUser(db, tenantId, "ada"))?.email, null);
  assert.deepEqual((await knownUser(db, tenantId, "ada"))?.phone, "+12025550100");
  const rows = await pool.sql`select count(*)::integer as count from import_chunks`;
  assert.equal(rows[0].count, 0, "what is written is not kept in the import");
  const { uses_recipients } = await db
    .selectFrom("tenants")
    .select("uses_recipients")
    .executeTakeFirstOrThrow();
  assert.equal(uses_recipients, true);
});

test("bad lines are left out and told with line, field and rule, without a value of the file", async (t) => {
  const { users, done, db, tenantId } = await world(t);
  const { id } = await users(
    [
      "userId,email,phone,timezone,quietHours",
      "good,good@example.com,,,",
      "bad-mail,secret-value,,,",
      ",nobody@example.com,,,",
      "two,a@b,+1,Mars/Base,25:00-06:00",
      '"open quote,x@example.com,,,',
      "zone,,,IST,",
      "=1+1,formula@example.com,,,",
      "nul\u0000,,,,",
      "lone\ud800,,,,",
      `${"x".repeat(256)},,,,`,
      `${"y".repeat(5000)},,,,`,
      "last,,,,22:00-22:00",
      "night,,,,22:00-06:00",
    ].join("\n"),
  );
  const { faults, ...counts } = await done(id);
  assert.deepEqual([counts.lines, counts.added, counts.leftOut, counts.state], [13, 3, 10, "done"]);
  assert.deepEqual(
    faults.map(({ line, field, message }) => `${line} ${field} ${message.slice(0, 34)}`),
    [
      "3 email must be an email address",
      "4 userId should not be empty",
      "5 email must be an email address",
      "5 phone must be a phone number in E.164 fo",
      "5 timezone must be a time zone such as Europe",
      "5 quietHours from must be a time of day, as 22:",
      "6 line has a quote that does not end",
      "7 timezone must be a time zone such as Europe",
      "9 userId must not contain control character",
      "10 userId must not contain lone surrogates",
      "11 userId must be at most 255 characters",
      "12 line must be at most 4000 characters",
      "13 quietHours from and to must not be the same t",
    ],
  );
  assert.doesNotMatch(JSON.stringify(faults), /secret-value|example\.com|bad-mail/);
  assert.equal((await knownUser(db, tenantId, "=1+1"))?.email, "formula@example.com");
  const many = await users(`userId,email\n${"u,none\n".repeat(600)}`);
  const told = await done(many.id);
  assert.deepEqual([told.leftOut, told.faults.length], [600, 100]);
});

test("columns that are not read are told as soon as they have come, with what they are probably meant as", async (t) => {
  const { users, members, run, shown } = await world(t);
  const told = async (of: Promise<{ id: string; ignoredColumns: unknown }>) => {
    const { id, ignoredColumns } = await of;
    assert.deepEqual((await shown(id)).ignoredColumns, ignoredColumns);
    await run(cancelImport, { importId: id });
    return ignoredColumns;
  };
  assert.deepEqual(await told(users("userId,emial,,Plan,time_zones,,\nada,a,b,c,d\n")), [
    { column: "emial", suggestion: "email" },
    { column: "", suggestion: null },
    { column: "Plan", suggestion: null },
    { column: "time_zones", suggestion: "timezone" },
  ]);
  assert.deepEqual(
    await told(users("userId,E-Mail-Adresse,email,emails\nada,a@example.com,b@example.com\n")),
    [
      { column: "E-Mail-Adresse", suggestion: null },
      { column: "emails", suggestion: null },
    ],
    "email is there",
  );
  assert.deepEqual(await told(members("news", "ada\n")), []);
  const wide = `userId${",x".repeat(1_900)}\nada\n`;
  assert.equal(((await told(users(wide))) as unknown[]).length, 50);
  const long = await users(`userId,${"x".repeat(3_000)}`, true);
  const { importId } = { importId: long.id };
  const part = { importId, part: 2, file: ",mial\nada\n", more: false };
  const { ignoredColumns } = await run(addToImport, part);
  assert.deepEqual(ignoredColumns, [
    { column: "x".repeat(80), suggestion: null },
    { column: "mial", suggestion: "email" },
  ]);
});

test("a topic's file names people by id or by address; an address that nobody has, or that several have, and one in the column of ids are told", async (t) => {
  const { run, members, done, db, tenantId } = await world(t);
  const named = { ada: "Ada@Example.com", bob: "both@example.com", cleo: "both@example.com" };
  for (const [userId, email] of Object.entries(named)) await run(putUser, { userId, email });
  await run(putUser, { userId: "dora@example.com" });
  await run(changeMembers, { key: "other", add: ["ed@example.com"] });
  await db
    .insertInto("search_users")
    .values({ tenant_id: tenantId, user_id: "fay@example.com", hash: randomUUID() })
    .execute();
  const tell = async (file: string) => {
    const { added, leftOut, faults } = await done((await members("news", file)).id);
    assert.equal(leftOut, faults.length);
    const { items } = await run(listMembers, { key: "news" });
    await run(changeMembers, { key: "news", remove: items });
    assert.equal(items.length, added);
    return [items, faults.map(({ line, field, message }) => `${line} ${field} ${message}`)];
  };
  const noUser = "is the address of no user";
  assert.deepEqual(
    await tell(
      "Name;E-Mail\nAda;ADA@example.com\nBob;both@example.com\nEve;eve@example.com\n-;none\n-;\n",
    ),
    [
      ["ada"],
      [
        "3 email is the address of several users: give a userId",
        `4 email ${noUser}`,
        "5 email must be an email address",
        "6 userId should not be empty",
      ],
    ],
  );
  assert.deepEqual(await tell("email,userId\nboth@example.com,cleo\nada@example.com,\n"), [
    ["ada", "cleo"],
    [],
  ]);
  const wrong =
    "userId is no known user: name the column email if it holds addresses, or name the users first";
  const ids = ["ada@example.com", "dora@example.com", "ed@example.com", "fay@example.com", "gus"];
  assert.deepEqual(await tell(`${ids.join("\n")}\n`), [ids.slice(1), [`1 ${wrong}`]]);
  assert.deepEqual(await tell(`User\n${ids.join("\n")}\n`), [ids.slice(1), [`2 ${wrong}`]]);
});

test("a line of a quoted empty field, and one with a text behind the last column, are counted and told", async (t) => {
  const { users, members, done } = await world(t);
  const tell = async (of: Promise<{ id: string }>) => {
    const { lines: count, leftOut, faults } = await done((await of).id);
    assert.equal(leftOut, faults.length);
    return [count, ...faults.map(({ line, field, message }) => `${line} ${field} ${message}`)];
  };
  const empty = "userId should not be empty";
  assert.deepEqual(await tell(members("news", 'ada\n""\n\n  ""\nbob\n')), [
    4,
    `2 ${empty}`,
    `4 ${empty}`,
  ]);
  const wide = "line has more fields than the first line";
  assert.deepEqual(await tell(members("news", "ada,,\nbob,Bob\n")), [2, `2 ${wide}`]);
  assert.deepEqual(await tell(users('userId,email,\n"",""\n;\nada,,,\nbob,,,x\ncleo,,x\n')), [
    5,
    `2 ${empty}`,
    `5 ${wide}`,
    `6 ${wide}`,
  ]);
});

test("a file may be cut at any place: the parts say what the whole says, and a part that is sent again changes nothing", async (t) => {
  const { members, run, done } = await world(t);
  const text = `\ufeffName,"External ID"\r\n"A ""x""\r\nB",ann-😀\r\n"open,bob\r\n\r\nC,"cleo"\r\nD,"dora\r\n2"\nE,ed`;
  const whole = await done((await members("whole", text)).id);
  for (const size of [1, 2, 7, 30]) {
    const topic = `by-${size}`;
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
      text.slice(n * size, (n + 1) * size),
    );
    const { id, state } = await members(topic, pieces[0] ?? "", true);
    assert.equal(state, "receiving");
    for (const [at, file] of pieces.entries()) {
      if (at === 0) continue;
      const part = { importId: id, part: at + 1, file, more: at < pieces.length - 1 };
      await run(addToImport, part);
      if (at % 3 === 0 || !part.more) await run(addToImport, part);
    }
    const { lines: count, added, leftOut, faults } = await done(id);
    assert.deepEqual(
      [count, added, leftOut, faults],
      [whole.lines, whole.added, whole.leftOut, whole.faults],
      topic,
    );
    const listed = async (key: string) => (await run(listMembers, { key })).items;
    assert.deepEqual(await listed(topic), await listed("whole"));
  }
  assert.deepEqual((await run(listMembers, { key: "whole" })).items, ["ann-😀", "ed"]);
  assert.deepEqual(
    whole.faults.map(({ line, field }) => [line, field]),
    [
      [4, "line"],
      [7, "userId"],
    ],
  );
});

test("parts come in their order, and only while they are waited for", async (t) => {
  const { members, run, shown, db } = await world(t);
  const { id } = await members("news", "a\n", true);
  const add = (part: number, file = "b\n", more = true) =>
    run(addToImport, { importId: id, part, file, more });
  await refusedWith(add(3), /^part must be 2, the next one$/);
  await add(2);
  await add(3, "c", false);
  await assert.rejects(add(4), { name: TooLate.name, message: /it is waiting/ });
  assert.deepEqual([(await shown(id)).parts, (await shown(id)).lines], [3, 3]);
  const { id: other } = await createTenant(db, { name: "Other" });
  for (const act of [showImport, cancelImport]) {
    await assert.rejects(actsIn(db, other)(act, { importId: id }), NotFound);
    await assert.rejects(run(act, { importId: "none" }), NotFound);
  }
});

test("a file is refused whole where it has no heading, no line, too many lines or bytes; nothing of it stays", async (t) => {
  const { members, run, pool, shown } = await world(t);
  const [ofUsers, ofMembers] = [{ kind: "users" }, { kind: "members", topic: "news" }] as const;
  const noId = /^file must begin with a line that names the column userId, and may name email/;
  const noColumn = /^file must begin with a line that names the column userId or email$/;
  const start = (input: { kind: "users" | "members"; topic?: string; file: string }) =>
    run(startImport, input);
  await refusesEach(start, [
    [{ ...ofUsers, file: "ada,ada@example.com\n" }, noId],
    [{ ...ofUsers, file: '"open\nuserId\nx' }, /^file must begin with a line/],
    [{ ...ofMembers, file: "ada,ada@example.com\n" }, noColumn],
    [{ ...ofMembers, file: "Emial\nann@example.com\n" }, /names the column userId or email$/],
    [{ ...ofMembers, file: " \n\n" }, /^file must have a line$/],
    [{ ...ofUsers, file: "userId\n" }, /^file must have a line$/],
    [{ ...ofUsers, topic: "news", file: "" }, /^topic is for members alone$/],
    [{ kind: "members", file: "a" }, /^topic is missing$/],
    [{ ...ofUsers, file: "x".repeat(500_001) }, /^file must be at most 500000 characters$/],
  ]);
  const rows = await pool.sql`select count(*)::integer as count from imports`;
  assert.equal(rows[0].count, 0);
  assert.deepEqual((await run(listTopics, {})).items, []);

  for (const [column, most, words] of [
    ["bytes", 128 * 1024 * 1024 - 3, /^file must be at most 134217728 bytes$/],
    ["lines", 1_000_000, /^file must have at most 1000000 lines$/],
  ] as const) {
    const { id } = await members("news", "a\n", true);
    await pool.query(`update imports set ${column} = $1 where id = $2`, [most, id]);
    const next = { importId: id, part: 2, file: "bbbb\n", more: true };
    await refusedWith(run(addToImport, next), words);
    assert.equal((await shown(id)).state, "cancelled");
    await assert.rejects(run(addToImport, next), TooLate);
  }
  const left = await pool.query("select count(*)::integer as count from import_chunks");
  assert.equal(left.rows[0].count, 0);
});

test("a tenant has four open imports at most; one that nobody goes on with is given up after an hour", async (t) => {
  const { members, work, shown, pool, run } = await world(t);
  const begun = [];
  for (let n = 0; n < 4; n += 1) begun.push(await members("news", "a\n", true));
  await assert.rejects(
    members("news", "a\n"),
    (error) => error instanceof TooLate && /^4 imports/.test(error.message),
  );
  await assert.rejects(run(deleteTopic, { key: "news" }), /cancel the import first/);
  await work();
  assert.equal((await shown(begun[0]!.id)).state, "receiving");
  await pool.query("update imports set due_at = now() - interval '1 second'");
  await work();
  for (const { id } of begun) assert.equal((await shown(id)).state, "cancelled");
  assert.equal((await run(listImports, { limit: 3 })).items.length, 3);
  await run(deleteTopic, { key: "news" });
});

test("an import can be cancelled in the middle: what is written stays, the rest is gone", async (t) => {
  const { members, run, work, shown, pool } = await world(t);
  const { id } = await members("news", lines(0, 1_700));
  const stop = new AbortController();
  await work(stop.signal, async () => stop.abort());
  assert.deepEqual([(await shown(id)).state, (await shown(id)).processed], ["running", 500]);
  const cancelled = await run(cancelImport, { importId: id });
  assert.deepEqual(
    [cancelled.state, cancelled.processed, cancelled.added],
    ["cancelled", 500, 500],
  );
  await work();
  assert.equal((await run(listTopics, {})).items[0]?.members, 500);
  await assert.rejects(run(cancelImport, { importId: id }), TooLate);
  const rows = await pool.sql`select count(*)::integer as count from import_chunks`;
  assert.equal(rows[0].count, 0);
  const told = await pool.query(
    "select action, target from audit_log where action like 'import%' order by id",
  );
  assert.deepEqual(told.rows, [
    { action: "import.start", target: "members of news" },
    { action: "import.cancel", target: "members of news" },
  ]);
});

test("two replicas write every line once, with the tenants in turn and a tenant's imports in order", async (t) => {
  const { db, tenantId, work } = await world(t);
  const { id: other } = await createTenant(db, { name: "Other" });
  // The one with much to do comes first.
  const [busy = "", free = ""] = [tenantId, other].sort();
  const [run, inFree] = [actsIn(db, busy), actsIn(db, free)];
  const begin = (file: string) => run(startImport, { kind: "users", file });
  const long = await run(startImport, { kind: "members", topic: "news", file: lines(0, 2_600) });
  const first = await begin("userId,email\nada,first@example.com\n");
  const second = await begin("userId,email\nada,second@example.com\n");
  const file = "userId,email\nbob,bob@example.com\n";
  const short = await inFree(startImport, { kind: "users", file });
  const shown = (importId: string) => run(showImport, { importId });
  const stop = new AbortController();
  let steps = 0;
  await work(stop.signal, async () => {
    steps += 1;
    if (steps === 2) stop.abort();
  });
  assert.equal((await inFree(showImport, { importId: short.id })).state, "done");
  assert.equal((await shown(long.id)).processed, 500);
  assert.equal((await shown(first.id)).state, "waiting");
  await Promise.all([work(), work(), work()]);
  // Replicas that met each other's locks have ended early.
  await work();
  for (const { id } of [long, first, second]) assert.equal((await shown(id)).state, "done");
  const { processed, added, alreadyThere } = await shown(long.id);
  assert.deepEqual([processed, added, alreadyThere], [2_600, 2_600, 0]);
  assert.equal((await run(listTopics, {})).items[0]?.members, 2_600);
  assert.equal((await knownUser(db, busy, "ada"))?.email, "second@example.com");
});

test("a user who is erased after an import was begun is not brought back by it", async (t) => {
  const { db, tenantId, users, members, run, done, work } = await world(t);
  await run(putUser, { userId: "ada", email: "ada@example.com" });
  const both = [
    await users("userId\nada\nbob\n"),
    await members("news", "userId,email\n,ada@example.com\nbob,\n"),
  ];
  await openErasure(db, { tenantId, userId: "ada" });
  await work();
  for (const { id } of both) {
    const { added, leftOut, faults } = await done(id);
    assert.deepEqual([added, leftOut, faults[0]?.line], [1, 1, 2]);
  }
  assert.equal(await knownUser(db, tenantId, "ada"), undefined);
  assert.deepEqual((await run(listMembers, { key: "news" })).items, ["bob"]);
  // One that is sent after it is a wish of its own.
  assert.equal((await done((await members("news", "ada\n")).id)).added, 1);
});

test("nothing of an erased user is left in files that are being imported, whatever comes later", async (t) => {
  const { db, pool, tenantId, users, run, done } = await world(t);
  const ada = { tenantId, userId: "ada" };
  const { id } = await users("email,userId\nada@x.io,ada\nbob@x.io,bob\n", true);
  await users("userId\nbob\n", true);
  await openErasure(db, ada);
  await eraseUser(db, ada, DEPS);
  await run(addToImport, {
    importId: id,
    part: 2,
    file: "ada@x.io,ada\nzoe@x.io,zoe\n",
    more: true,
  });
  const rows = await pool.sql`select records, c.import_id = ${id} as ours from import_chunks c`;
  assert.equal(rows.length, 3);
  assert.ok(rows.every(({ records }) => !records.includes("ada")));
  await run(addToImport, { importId: id, part: 3, file: "eve@x.io,eve\n", more: false });
  const { added, leftOut, faults } = await done(id);
  assert.deepEqual([added, leftOut], [3, 2]);
  assert.deepEqual(
    faults.map(({ line, field, message }) => [line, field, message]),
    [2, 4].map((line) => [line, "userId", "was erased after the import was begun"]),
  );
});

test("an import whose parts keep coming is given up after a day", async (t) => {
  const { members, work, shown, pool, run } = await world(t);
  const { id } = await members("news", "a\n", true);
  await pool.query("update imports set requested_at = now() - interval '24 hours'");
  await run(addToImport, { importId: id, part: 2, file: "b\n", more: true });
  await work();
  assert.equal((await shown(id)).state, "cancelled");
});

test("an import whose connection is lost goes on at once from its last chunk, and an outage never ends it", async (t) => {
  const { pool, members, work, shown, postponed, run } = await world(t);
  const { id } = await members("news", lines(0, 1_200));
  // The connection that writes the second chunk is cut, once; a sequence keeps its count through a rollback.
  await pool.query("create sequence cuts");
  await pool.query(
    `create function cut() returns trigger language plpgsql as $$ begin
       if nextval('cuts') = 1 then perform pg_terminate_backend(pg_backend_pid()); end if;
       return new; end $$`,
  );
  await pool.query(
    `create trigger cut after insert on topic_members for each row when (new.user_id = 'user-700')
     execute function cut()`,
  );
  assert.equal(await work(), 3);
  assert.deepEqual(postponed, []);
  const { state, added, processed } = await shown(id);
  assert.deepEqual([state, added, processed], ["done", 1_200, 1_200]);
  assert.equal((await run(listTopics, {})).items[0]?.members, 1_200);

  await pool.query(
    `create or replace function cut() returns trigger language plpgsql as $$ begin
       raise exception 'full' using errcode = '53100'; end $$`,
  );
  const other = await members("more", "user-700\n");
  for (let time = 1; time <= 11; time += 1) {
    await work();
    assert.equal(postponed.length, time);
    await pool.query("update imports set due_at = now()");
  }
  assert.equal((await shown(other.id)).state, "waiting");
  await pool.query("drop trigger cut on topic_members");
  await work();
  assert.equal((await shown(other.id)).state, "done");
});

test("a chunk that cannot be written is tried again later, and the import ends after ten times", async (t) => {
  const { db, members, work, shown, postponed, pool, run } = await world(t);
  const { id } = await members("news", "ada\nbob\n");
  await pool.query("alter table topic_members add constraint broken check (user_id <> 'bob')");
  for (let time = 1; time <= 10; time += 1) {
    await work();
    assert.equal(postponed.length, time);
    assert.equal((await shown(id)).state, time < 10 ? "waiting" : "failed");
    await work();
    assert.equal(postponed.length, time, "not before a minute");
    await pool.query("update imports set due_at = now()");
  }
  assert.equal((await run(listTopics, {})).items[0]?.members, 0);
  const rows = await pool.sql`select action from audit_log where action = 'import.failed'`;
  assert.equal(rows.length, 1);
  await using held = await hold(db, async (transaction) => {
    await transaction.selectFrom("tenants").select("id").forUpdate().execute();
  });
  assert.equal(await work(), 0, "nobody waits for a tenant that is held");
  await held.commit();
});

test("between two chunks the work rests for as long as the chunk took", async (t) => {
  const { db, members, run } = await world(t);
  await run(changeMembers, { key: "news", add: ["a"] });
  await members("news", lines(0, 1_001));
  let clock = 0;
  const rests: number[] = [];
  const rest = async (ms: number) => void rests.push(ms);
  await workImports({ db, rest, nowMs: () => (clock += 7) }, NEVER);
  assert.deepEqual(rests, [7, 7, 7, 7, 7]);
});
