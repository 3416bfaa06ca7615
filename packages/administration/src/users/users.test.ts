import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf, faultText } from "@belfry/contracts/problems";
import { readConfigurationVersion } from "@belfry/testing/configuration-version";
import { actsIn, programIn } from "../../test/acts.ts";
import { tenantDatabase } from "../../test/database.ts";
import { InvalidInput, NotFound } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import { findUsers, putUser, putUsers, saveUsers, showUser } from "./users.ts";

test("a user is stored in the forms that events have, and written anew whole", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const { createdAt, updatedAt, ...user } = await programIn(db, tenantId)(putUser, {
    ...{ userId: "ann", email: "ann@bücher.example", phone: "+12025550123", locale: "DE-at" },
    ...{ timezone: "europe/vienna", quietHours: { from: "22:00", to: "06:00" } },
    attributes: { name: "Ann" },
  });
  assert.deepEqual(user, {
    ...{ userId: "ann", email: "ann@xn--bcher-kva.example", phone: "+12025550123" },
    ...{
      chat: null,
      locale: "de-AT",
      timezone: "Europe/Vienna",
      quietHours: { from: "22:00", to: "06:00" },
    },
    attributes: { name: "Ann" },
  });
  const again = await programIn(db, tenantId)(putUser, { userId: "ann", phone: "", email: null });
  assert.deepEqual(
    { ...again, updatedAt: "" },
    {
      ...{ userId: "ann", email: null, phone: null, locale: null, timezone: null },
      ...{ chat: null, attributes: null, quietHours: null, createdAt, updatedAt: "" },
    },
  );
  assert.ok(again.updatedAt > updatedAt);
});

test("a zone is one that Postgres has by that name: of its abbreviations only those that are names, too", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  for (const timezone of ["IST", "ist", "PST", "BST", "SystemV/AST4"]) {
    await assert.rejects(
      programIn(db, tenantId)(putUser, { userId: "ann", timezone }),
      /^InvalidInput: timezone must be a time zone such as .* not an abbreviation such as IST$/,
      timezone,
    );
  }
  const { timezone } = await programIn(db, tenantId)(putUser, { userId: "ann", timezone: "CET" });
  assert.equal(timezone, "CET");
});

test("the same id of another tenant is another user", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const other = await createTenant(db, { name: "Other" });
  await programIn(db, tenantId)(putUser, { userId: "ann", email: "ann@example.com" });
  await assert.rejects(programIn(db, other.id)(showUser, { userId: "ann" }), NotFound);
  await programIn(db, other.id)(putUser, { userId: "ann", email: "other@example.com" });
  assert.equal(
    (await programIn(db, tenantId)(showUser, { userId: "ann" })).email,
    "ann@example.com",
  );
});

test("a tenant is known to name users with its first one, and that is a change of configuration once", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const uses = async () =>
    (await db.selectFrom("tenants").select("uses_recipients").executeTakeFirstOrThrow())
      .uses_recipients;
  assert.equal(await uses(), false);
  const before = await readConfigurationVersion(db);
  await assert.rejects(
    programIn(db, tenantId)(putUser, { userId: "ann", email: "no" }),
    InvalidInput,
  );
  assert.equal(await uses(), false);
  await programIn(db, tenantId)(putUser, { userId: "ann" });
  const after = await readConfigurationVersion(db);
  assert.deepEqual([await uses(), after !== before], [true, true]);
  await programIn(db, tenantId)(putUser, { userId: "bob" });
  assert.equal(await readConfigurationVersion(db), after);
});

test("users are found by the beginning of their id or address, the very id first, and only those of the tenant", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const other = await createTenant(db, { name: "Other" });
  await saveUsers(db, tenantId, [
    { userId: "a-1", email: "Anna@example.com" },
    { userId: "ann" },
    { userId: "ann-2", email: "bob@example.com" },
    { userId: "Ann-3" },
    { userId: "j", email: "joann@example.com" },
    { userId: "50%_off", email: "50%_off@example.com" },
    { userId: "50x", email: "50xyoff@example.com" },
  ]);
  await saveUsers(db, other.id, [{ userId: "ann-other", email: "anna@example.com" }]);
  await db
    .insertInto("search_users")
    .values({ tenant_id: tenantId, user_id: "ann-of-events", hash: "0".repeat(32) })
    .execute();
  const find = async (search: string, limit?: number) => {
    const { users, more } = await actsIn(db, tenantId)(findUsers, { search, limit });
    return [...users.map(({ userId }) => userId), ...(more ? ["…"] : [])];
  };
  assert.deepEqual(await find("ann"), ["ann", "a-1", "ann-2", "ann-of-events"]);
  assert.deepEqual(await find(" ANN"), ["a-1"], "addresses in any case, ids as they are");
  assert.deepEqual(await find("Ann"), ["Ann-3", "a-1"]);
  assert.deepEqual(await find("Anna <anna@EXAMPLE.com>"), ["a-1"]);
  assert.deepEqual(await find("ann", 2), ["ann", "a-1", "…"]);
  assert.deepEqual(await find("50%"), ["50%_off"]);
  for (const nothing of ["%", "_", "nn", "ann\u{10ffff}"]) {
    assert.deepEqual(await find(nothing), [], nothing);
  }
  await assert.rejects(find("ann\u0000"), /^InvalidInput: search must not contain control/);
});

test("the audit log has what a person says of a user, with what was before, and not what a program says", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const ann = (email: string) => ({ userId: "ann", email });
  await programIn(db, tenantId)(putUser, ann("first@example.com"));
  await programIn(db, tenantId)(putUsers, { users: [ann("second@example.com")] });
  await actsIn(db, tenantId)(putUser, ann("third@example.com"));
  const entries = await db.selectFrom("audit_log").select(["action", "before", "after"]).execute();
  assert.deepEqual(
    entries.map(({ action, before, after }) => [action, before?.email, after?.email]),
    [["user.update", "second@example.com", "third@example.com"]],
  );
});

test("of a batch the last one of a user counts", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  await programIn(db, tenantId)(putUsers, {
    users: [
      { userId: "ann", email: "first@example.com" },
      { userId: "bob", locale: "de" },
      { userId: "ann", email: "last@example.com" },
    ],
  });
  assert.equal(
    (await programIn(db, tenantId)(showUser, { userId: "ann" })).email,
    "last@example.com",
  );
  assert.equal((await programIn(db, tenantId)(showUser, { userId: "bob" })).locale, "de");
  await assert.rejects(programIn(db, "none")(putUsers, { users: [{ userId: "ann" }] }), NotFound);
});

test("every fault of a user is told, naming its field", () => {
  const faultsIn = (input: object) =>
    faultsOf(putUser.input, { userId: "u", ...input }, "input", "");
  const faults = faultsIn({
    ...{ userId: "a\nb", email: "ann", phone: "0123", locale: "german", timezone: "+01:00" },
    quietHours: { from: "22:00", to: "22:00" },
  });
  const told = faults.map(faultText);
  assert.deepEqual(told, [
    "userId must not contain control characters",
    "email must be an email address",
    "phone must be a phone number in E.164 form, as +12025550123",
    "locale must be a language[-Script][-REGION] of BCP 47, as de, de-AT or zh-Hant",
    "timezone must be a time zone such as Europe/Berlin or UTC, not an abbreviation such as IST",
    "quietHours from and to must not be the same time",
  ]);
  for (const timezone of [
    "Mars/Olympus",
    "Europe/Berlin'",
    "EST5EDT4,M3",
    "../etc/passwd",
    "+01",
  ]) {
    assert.equal(faultsIn({ timezone }).length, 1, timezone);
  }
  for (const timezone of ["Europe/Berlin", "UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+5"]) {
    assert.deepEqual(faultsIn({ timezone }), [], timezone);
  }
  for (const quietHours of [{ from: "24:00", to: "06:00" }, { from: "22:00" }, [], "22:00"]) {
    assert.equal(faultsIn({ quietHours }).length, 1);
  }
});

test("every zone that this process knows, the database knows as well", async (t) => {
  const { db } = await tenantDatabase(t);
  const { rows } = await db.executeQuery<{ name: string }>(
    db
      .selectFrom((from) => from.fn<{ name: string }>("pg_timezone_names").as("z"))
      .select("z.name")
      .compile(),
  );
  const known = new Set(rows.map(({ name }) => name));
  const unknown = Intl.supportedValuesOf("timeZone").filter((name) => !known.has(name));
  assert.deepEqual(unknown, []);
});
