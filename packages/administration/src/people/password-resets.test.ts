import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "@belfry/database/connection";
import { assertEach } from "@belfry/testing/assert-each";
import { areWaiting, hold, testDatabase } from "../../test/database.ts";
import { createTenant } from "../tenants/tenants.ts";
import { hashPassword } from "./password.ts";
import { makeResetLink, resetPassword, showReset } from "./password-resets.ts";
import { personAtAddress } from "./people.ts";
import type { TenantRole } from "./person-rows.ts";
import { insertPerson, lockPersonAndRoles, putMembership, updatePerson } from "./person-rows.ts";
import { beginSession, checkPassword, listSessions } from "./sessions.ts";

const OLD = "the old sentence";
const NEW = "another quiet sentence";
const HERE = { address: "192.0.2.7", userAgent: "test" };

const CLIENT = { network: "test" };
const hashed = (password: string) => hashPassword(password, CLIENT, { log2N: 10, r: 8, p: 1 });
const HASHED = await hashed(NEW);

/** Two tenants; Olive owns the first, and Eve is its editor. */
async function house(db: Database) {
  const { id: acme } = await createTenant(db, { name: "Acme" });
  const { id: books } = await createTenant(db, { name: "Books" });
  const password = await hashed(OLD);
  const someone = async (name: string, of: Record<string, TenantRole> = {}, operator = false) => {
    const email = `${name.toLowerCase()}@example.com`;
    const personId = await insertPerson(db, { email, name, password, operator });
    for (const [tenantId, role] of Object.entries(of)) {
      await putMembership(db, { personId, tenantId, role });
    }
    return personId;
  };
  const olive = await someone("Olive", { [acme]: "owner" });
  const eve = await someone("Eve", { [acme]: "editor" });
  return { acme, books, someone, olive, eve, asOlive: { personId: olive, ownerOf: acme } };
}

test("an owner makes a link only for a member of no other tenant who is no operator, and never for themselves", async (t) => {
  const db = await testDatabase(t);
  const { acme, books, someone, olive, eve, asOlive } = await house(db);
  const both = await someone("Both", { [acme]: "viewer", [books]: "viewer" });
  const chief = await someone("Chief", { [acme]: "viewer" }, true);
  const stranger = await someone("Stranger", { [books]: "viewer" });
  const editor = { personId: eve, ownerOf: acme };
  const make = (personId: string, maker: Parameters<typeof makeResetLink>[2] = asOlive) =>
    makeResetLink(db, personId, maker);
  assert.equal((await make(eve)).person.email, "eve@example.com");
  for (const person of [both, chief]) {
    await assert.rejects(make(person), /only an operator can make a reset link/);
  }
  for (const nobody of [stranger, "nobody", olive.replace(/^./, "f")]) {
    await assert.rejects(make(nobody), { name: "NotFound" });
  }
  await assert.rejects(make(olive), /person it is you/);
  await assert.rejects(make(olive, editor), /only an operator can make/, "an editor makes none");

  const operator = { personId: await someone("Op", {}, true), ownerOf: null };
  for (const person of [both, chief, stranger, eve]) await make(person, operator);
  await assert.rejects(make(eve, { personId: olive, ownerOf: null }), /only an operator can make/);
  assert.equal((await personAtAddress(db, " Both@Example.com")).id, both);
  await make(both, { personId: null, ownerOf: null });
  const rows = await db.selectFrom("password_resets").select("person_id").execute();
  assert.equal(rows.length, 4, "one of a person");
});

test("a link is judged again when it is used: by what its person and its maker are by then", async (t) => {
  const db = await testDatabase(t);
  const { acme, books, someone, olive, eve, asOlive } = await house(db);
  const use = (token: string) =>
    db.transaction().execute((transaction) => resetPassword(transaction, token, HASHED));
  const isRefused = async (token: string) => {
    await assert.rejects(showReset(db, token), { name: "NotFound" });
    await assert.rejects(use(token), { name: "NotFound" });
    assert.equal((await checkPassword(db, "eve@example.com", OLD, CLIENT))?.personId, eve);
  };
  const { token } = await makeResetLink(db, eve, asOlive);
  await putMembership(db, { personId: eve, tenantId: books, role: "viewer" });
  await isRefused(token);
  await db.deleteFrom("memberships").where("tenant_id", "=", books).execute();
  await updatePerson(db, eve, { operator: true });
  await isRefused(token);
  await updatePerson(db, eve, { operator: false });
  await putMembership(db, { personId: olive, tenantId: acme, role: "editor" });
  await isRefused(token);
  await putMembership(db, { personId: olive, tenantId: acme, role: "owner" });
  await db.deleteFrom("memberships").where("person_id", "=", eve).execute();
  await isRefused(token);

  const op = await someone("Op", {}, true);
  const byOperator = await makeResetLink(db, eve, { personId: op, ownerOf: null });
  await isRefused(token);
  await updatePerson(db, op, { operator: false });
  await isRefused(byOperator.token);
  await updatePerson(db, op, { operator: true });
  assert.equal((await use(byOperator.token)).person.id, eve);
});

test("a membership that is being given while the link is used is waited for, and counts", async (t) => {
  const db = await testDatabase(t);
  const { books, eve, asOlive } = await house(db);
  const { token } = await makeResetLink(db, eve, asOlive);
  await using held = await hold(db, (transaction) =>
    putMembership(transaction, { personId: eve, tenantId: books, role: "owner" }),
  );
  const using = db
    .transaction()
    .execute((transaction) => resetPassword(transaction, token, HASHED));
  const refused = assert.rejects(using, { name: "NotFound" });
  await areWaiting(db, 1);
  await held.commit();
  await refused;
  assert.equal((await checkPassword(db, "eve@example.com", OLD, CLIENT))?.personId, eve);
});

test("a link works once, for one of two at once, for an hour; a new one ends it, and every session ends", async (t) => {
  const db = await testDatabase(t);
  const { eve, asOlive, olive } = await house(db);
  const now = new Date();
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  const use = (token: string, at = now) =>
    db.transaction().execute((transaction) => resetPassword(transaction, token, HASHED, at));
  const first = await makeResetLink(db, eve, asOlive, now);
  const { token, expiresAt } = await makeResetLink(db, eve, asOlive, now);
  assert.deepEqual(expiresAt, after(3600));
  const stored = JSON.stringify(await db.selectFrom("password_resets").selectAll().execute());
  assert.ok(!stored.includes(token));
  await assert.rejects(use(first.token), { name: "NotFound" });
  await assert.rejects(use(token, after(3600)), { name: "NotFound" });
  await beginSession(db, eve, HERE);
  await beginSession(db, eve, HERE);
  await beginSession(db, olive, HERE);
  assert.equal((await showReset(db, token, after(3599))).id, eve);

  // Both have found the link, and neither has used it.
  await using held = await hold(db, (transaction) => lockPersonAndRoles(transaction, eve));
  const both = [use(token, after(3599)), use(token, after(3599))];
  const settled = Promise.allSettled(both);
  await areWaiting(db, 2);
  await held.commit();
  const answers = await settled;
  const won = answers.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  assertEach(won, ({ sessionsEnded }) => sessionsEnded, [2]);
  await assert.rejects(use(token), { name: "NotFound" });
  assert.equal((await listSessions(db, eve)).length, 0);
  assert.equal((await listSessions(db, olive)).length, 1);
  assert.equal(await checkPassword(db, "eve@example.com", OLD, CLIENT), undefined);
  assert.equal((await checkPassword(db, "eve@example.com", NEW, CLIENT))?.personId, eve);
});
