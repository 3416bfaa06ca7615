import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { changePreferencesOfUser } from "@belfry/database/preferences";
import type { Cleanup } from "@belfry/testing/cleanup";
import { aRecipient } from "@belfry/testing/rows";
import { rowsRead } from "@belfry/testing/rows-read";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { sql } from "kysely";
import { actsIn } from "../../test/acts.ts";
import { refusal, refusedWith, tenantDatabase } from "../../test/database.ts";
import type { Actor } from "../audited.ts";
import { NotFound } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import { putCategory } from "./categories.ts";
import { importUnsubscribes } from "./import-unsubscribes.ts";
import { showPreferences } from "./preferences.ts";
import { saveUsers } from "./users.ts";

async function* bytesOf(...pieces: Uint8Array[]) {
  yield* pieces;
}

async function world(t: Cleanup) {
  const connected = await tenantDatabase(t);
  const { db, tenantId } = connected;
  const run = actsIn(db, tenantId);
  await run(putCategory, { key: "offers", label: { "": "Offers" } });
  await run(putCategory, { key: "security", label: { "": "Security" }, required: true });
  const importText = (text: string | Buffer) =>
    run(importUnsubscribes, { file: bytesOf(Buffer.from(text)) });
  const said = async (userId: string) =>
    (await run(showPreferences, { userId })).preferences.map(
      ({ category, channel, enabled, source }) => `${category}/${channel} ${enabled} ${source}`,
    );
  return { ...connected, run, importText, said };
}

test("what a file turns off is off, whatever was on; what was off keeps where it came from", async (t) => {
  const { db, tenantId, importText, said } = await world(t);
  for (const [userId, enabled] of [
    ["ann", true],
    ["bob", false],
  ] as const) {
    const changes = [{ category: "offers", channel: "EMAIL", enabled } as const];
    await changePreferencesOfUser(db, { tenantId, userId }, "api", changes);
  }
  const text = [
    "\ufeffUser,Category,Channel",
    "ann,offers,EMAIL",
    "bob , offers , EMAIL",
    "",
    '"o\'neil, ""Pat""",*,*',
    "ann,offers,EMAIL",
    "carl,*,SMS",
  ].join("\r\n");
  assert.deepEqual(await importText(text), {
    lines: 5,
    turnedOff: 3,
    alreadyOff: 1,
    ignoredColumns: [],
  });
  assert.deepEqual(await said("ann"), ["offers/EMAIL false import"]);
  assert.deepEqual(await said("bob"), ["offers/EMAIL false api"]);
  assert.deepEqual(await said('o\'neil, "Pat"'), ["*/* false import"]);
  assert.deepEqual(await said("carl"), ["*/SMS false import"]);
  assert.deepEqual(await importText(text), {
    lines: 5,
    turnedOff: 0,
    alreadyOff: 4,
    ignoredColumns: [],
  });
});

test("every bad line is told with its number, and nothing of the file is done", async (t) => {
  const { importText, said } = await world(t);
  const faults = async (text: string | Buffer) =>
    (await refusal(importText(text))).message.split("\n");
  assert.deepEqual(
    await faults(
      [
        "ann,offers,EMAIL",
        "ann,offers",
        "user,category,channel",
        '"ann,offers,EMAIL',
        ",offers,EMAIL",
        "ann,security,*",
        "ann,offers,FAX",
        `${"x".repeat(5_000)},offers,EMAIL`,
        'ann,"offers" x,EMAIL',
        "bob,offers,EMAIL",
      ].join("\n"),
    ),
    [
      "file line 2: must have three columns, user, category, channel: it has 2",
      'file line 3: category must be * or the key of a category: "category"',
      "file line 3: channel must be *, EMAIL, SMS, PUSH, DEVICE or CHAT",
      "file line 4: has a quote that does not end",
      "file line 5: user should not be empty",
      'file line 6: category is required, and cannot be turned off: "security"',
      "file line 7: channel must be *, EMAIL, SMS, PUSH, DEVICE or CHAT",
      "file line 8: must be at most 4000 characters",
      "file line 9: has something between a quote and the end of its field",
    ],
  );
  const many = await faults(`ann,offers,EMAIL\n${"x\n".repeat(70)}`);
  assert.deepEqual([many.length, many.at(-1)], [51, "file and 20 more"]);
  assert.deepEqual(await faults(Buffer.from([0x61, 0xff, 0x0a])), [
    'file must be UTF-8 (in Excel "CSV UTF-8"): line 1, or one after it, is not',
  ]);
  assert.deepEqual([await said("ann"), await said("bob")], [[], []]);
});

test("a file of many thousands of lines, in whatever pieces it comes, is read whole", async (t) => {
  const { db, run, said } = await world(t);
  const text = Array.from({ length: 12_000 }, (_, n) => `üser-${n % 11_000},offers,EMAIL`).join(
    "\n",
  );
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 1_001) }, (_, at) =>
    bytes.subarray(at * 1_001, (at + 1) * 1_001),
  );
  const result = await run(importUnsubscribes, { file: bytesOf(...pieces) });
  assert.deepEqual(result, { lines: 12_000, turnedOff: 11_000, alreadyOff: 0, ignoredColumns: [] });
  assert.deepEqual(await said("üser-10999"), ["offers/EMAIL false import"]);
  await assert.rejects(actsIn(db, "none")(importUnsubscribes, { file: "" }), NotFound);
  assert.deepEqual(await run(importUnsubscribes, { file: "" }), {
    ...{ lines: 0, turnedOff: 0, alreadyOff: 0, ignoredColumns: [] },
  });
});

test("a heading may name the columns as other senders do, in any order, beside others", async (t) => {
  const { importText, said } = await world(t);
  const text =
    "sep=;\r\nChannel;Added on;External-ID;List\r\nEMAIL;1.2.2026;ann,b;offers\r\n;;;\r\n";
  assert.deepEqual(await importText(text), {
    lines: 1,
    turnedOff: 1,
    alreadyOff: 0,
    ignoredColumns: [{ column: "Added on", suggestion: null }],
  });
  assert.deepEqual(await said("ann,b"), ["offers/EMAIL false import"]);
  const excel = Buffer.from("\ufeffuser\tcategory\tchannel\r\nbob\toffers\tSMS\r\n", "utf16le");
  assert.deepEqual(await importText(excel), {
    lines: 1,
    turnedOff: 1,
    alreadyOff: 0,
    ignoredColumns: [],
  });
});

test("an endpoint is told of each user what the file has turned off, at most a hundred cells at a time", async (t) => {
  const { db, tenantId, importText } = await world(t);
  await db
    .insertInto("webhooks")
    .values({ id: randomUUID(), tenant_id: tenantId, url: "https://example.com", secret: "s" })
    .execute();
  const changes = [{ category: "offers", channel: "EMAIL", enabled: false } as const];
  await changePreferencesOfUser(db, { tenantId, userId: "bob" }, "api", changes);
  const keys = Array.from({ length: 60 }, (_, at) => `c${at}`);
  await db
    .insertInto("categories")
    .values(
      keys.map((key) => ({
        ...{ tenant_id: tenantId, key, label: '{"": "x"}', description: "{}" },
      })),
    )
    .execute();
  await db.deleteFrom("webhook_messages").execute();
  const lines = [
    "bob,offers,EMAIL",
    "bob,offers,SMS",
    ...keys.flatMap((key) => [`ann,${key},EMAIL`, `ann,${key},SMS`]),
    ...Array.from({ length: 5_100 }, (_, at) => `user${at},*,*`),
  ];
  assert.equal((await importText(lines.join("\n"))).turnedOff, 5_221);
  const told = await db
    .selectFrom("webhook_messages")
    .select(["user_id", "type", "payload"])
    .orderBy("user_id")
    .execute();
  assert.equal(told.length, 2 + 1 + 5_100);
  const cells = (user: string) =>
    told
      .filter(({ user_id }) => user_id === user)
      .map(({ payload }) => JSON.parse(payload).data.preferences);
  assert.deepEqual(cells("bob"), [[{ category: "offers", channel: "SMS", enabled: false }]]);
  assert.deepEqual(
    cells("ann")
      .map((some) => some.length)
      .sort((a, b) => a - b),
    [20, 100],
  );
  const named = cells("ann")
    .flat()
    .map(({ category, channel }) => `${category} ${channel}`);
  assert.equal(new Set(named).size, 120);
  const { data } = JSON.parse(told.find(({ user_id }) => user_id === "user7")!.payload);
  assert.deepEqual([data.userId, data.source], ["user7", "import"]);
});

test("50,000 lines of a new tenant cost a few looks into indexes each", async (t) => {
  const { db, pool, tenantId } = await tenantDatabase(t, { maxConnections: 1 });
  const text = Array.from({ length: 50_000 }, (_, n) => `user-${n},*,EMAIL`).join("\n");
  const result = await actsIn(db, tenantId)(importUnsubscribes, { file: text });
  assert.deepEqual(result, { lines: 50_000, turnedOff: 50_000, alreadyOff: 0, ignoredColumns: [] });
  const read = await rowsRead(pool, ["recipients", "preferences"]);
  assert.ok(read < 10 * 50_000, `${read} rows`);
});

test("an import goes share by share: each row is written once, and a bad line refuses every share", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const run = actsIn(db, tenantId);
  const file = Array.from({ length: 2_501 }, (_, n) => `user-${n},*,EMAIL`).join("\n");
  const done = [];
  for (const part of [1, 2]) done.push(await run(importUnsubscribes, { file, part, parts: 2 }));
  assert.deepEqual(done, [
    { lines: 2_501, turnedOff: 1_251, alreadyOff: 0, ignoredColumns: [] },
    { lines: 2_501, turnedOff: 1_250, alreadyOff: 0, ignoredColumns: [] },
  ]);
  assert.equal((await db.selectFrom("preferences").select("user_id").execute()).length, 2_501);
  const notes = await db.selectFrom("audit_log").select("target").orderBy("id").execute();
  assert.deepEqual(
    notes.map(({ target }) => target),
    [1, 2, 3, 4].map((part) => `2501 lines, part ${part} of 4`),
  );
  const bad = `${file}\nann,*,FAX`;
  await refusedWith(run(importUnsubscribes, { file: bad, part: 1, parts: 2 }), /line 2502/);
  await refusedWith(run(importUnsubscribes, { file, part: 3, parts: 2 }), /^part must be at most/);
});

test("while an import waits, other tenants change users; one that broke off is finished by another import", async (t) => {
  const { db, pool, tenantId } = await tenantDatabase(t);
  const { id: other } = await createTenant(db, { name: "Other" });
  const text = Array.from({ length: 2_500 }, (_, n) => `user-${n + 10_000},*,EMAIL`).join("\n");
  const somebody = { personId: null, person: "a test" };
  const bring = (actor: Actor) =>
    actsIn(db, tenantId, {}, actor)(importUnsubscribes, { file: text });

  const holder = await pool.connect();
  await holder.query("begin");
  await aRecipient(holder, { tenant_id: tenantId, user_id: "user-10500", named: false });
  let parts = 0;
  const broken = bring({
    ...somebody,
    // Read for the entry of each part, in its transaction.
    get address() {
      parts += 1;
      if (parts === 2) throw new Error("the process ends");
      return "127.0.0.1";
    },
  });
  broken.catch(() => undefined);
  await untilBlocked(pool);
  try {
    await db.transaction().execute(async (transaction) => {
      await sql`set local lock_timeout = '5s'`.execute(transaction);
      await saveUsers(transaction, other, [{ userId: "ann", email: "ann@example.com" }]);
    });
  } finally {
    await holder.query("rollback");
    holder.release();
  }
  await assert.rejects(broken, /the process ends/);
  assert.deepEqual(await bring({ ...somebody, address: "127.0.0.1" }), {
    lines: 2_500,
    turnedOff: 1_500,
    alreadyOff: 1_000,
    ignoredColumns: [],
  });
  const notes = await db
    .selectFrom("audit_log")
    .select(["target", "after"])
    .orderBy("id")
    .execute();
  assert.deepEqual(notes[0], {
    ...{ target: "2500 lines, part 1 of 3", after: { turnedOff: 1_000, alreadyOff: 0 } },
  });
  assert.equal(notes.length, 1 + 3);
});
