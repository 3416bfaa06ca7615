import assert from "node:assert/strict";
import { test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { actsIn } from "../../test/acts.ts";
import { tenantDatabase, testDatabase } from "../../test/database.ts";
import { audited } from "../audited.ts";
import { InvalidInput, NotFound } from "../input-error.ts";
import { searchAuditLog } from "../search-audit-log.ts";
import { allTenants } from "../tenants/tenant-rows.ts";
import { createTenant } from "../tenants/tenants.ts";
import {
  acceptAsNewPerson,
  acceptAsPerson,
  firstOperatorToken,
  invite,
  prepareNewPerson,
} from "./invitations.ts";
import { changeRole, removeMember } from "./members.ts";
import { removeOperator } from "./operators.ts";
import { hashPassword, verifyPassword } from "./password.ts";
import { listMembers } from "./person-rows.ts";

const CHEAP = { log2N: 10, r: 8, p: 1 };
const PASSWORD = "correct horse battery";
const CLIENT = { network: "test" };
const HASHED = await hashPassword(PASSWORD, CLIENT, CHEAP);
const ACTOR = { personId: null, person: "Olga", address: "192.0.2.1" };

test("a password is known by its hash alone, and its costs travel with it", async () => {
  const stored = await hashPassword(PASSWORD, CLIENT, CHEAP);
  assert.match(stored, /^scrypt\$10\$8\$1\$/);
  assert.ok(await verifyPassword(PASSWORD, stored, CLIENT));
  assert.ok(!(await verifyPassword("correct horse batterz", stored, CLIENT)));
  assert.ok(!(await verifyPassword(PASSWORD, undefined, CLIENT)));
});

test("two links of a first operator make one operator, and no link works twice", async (t) => {
  const db = await testDatabase(t);
  const [one, two] = [await firstOperatorToken(db), await firstOperatorToken(db)];
  const given = { email: "Olga@Example.com", name: "Olga", password: PASSWORD };
  const person = await prepareNewPerson(db, one!, given, CLIENT);
  assertHas(person, { email: "olga@example.com", name: "Olga" });
  await acceptAsNewPerson(db, one!, person);
  await assert.rejects(acceptAsNewPerson(db, one!, person), NotFound);
  await assert.rejects(
    acceptAsNewPerson(db, two!, { ...person, email: "b@example.com" }),
    NotFound,
  );
  assert.equal(await firstOperatorToken(db), undefined);
});

test("an invitation is for one address, and a tenant keeps an owner", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const token = await firstOperatorToken(db);
  const olga = { email: "olga@example.com", name: "Olga", password: HASHED };
  const { personId } = await acceptAsNewPerson(db, token!, olga);
  const other = await invite(db, {
    tenantId,
    role: "owner",
    email: "else@example.com",
    invitedBy: null,
    byOperator: true,
  });
  await assert.rejects(acceptAsPerson(db, other.token, personId), InvalidInput);
  const own = await invite(db, {
    tenantId,
    role: "owner",
    email: olga.email,
    invitedBy: null,
    byOperator: true,
  });
  await acceptAsPerson(db, own.token, personId);
  assertEach(await listMembers(db, tenantId), (one) => one.role, ["owner"]);
  const run = actsIn(db, tenantId);
  const person = personId;
  for (const leave of [
    () => run(changeRole, { person, role: "viewer" }),
    () => run(removeMember, { person }),
    () => run(removeOperator, { person }),
  ]) {
    await assert.rejects(leave, InvalidInput);
  }
});

test("a change and its entry in the audit log are there together, or neither", async (t) => {
  const db = await testDatabase(t);
  const note = { tenantId: null, action: "tenant.create", target: "Acme" };
  await audited(
    db,
    ACTOR,
    (trx) => createTenant(trx, { name: "Acme" }),
    () => note,
  );
  const fails = audited(
    db,
    ACTOR,
    (trx) => createTenant(trx, { name: "Lost" }),
    () => {
      throw new Error("no entry");
    },
  );
  await assert.rejects(fails, /no entry/);
  assertEach(await allTenants(db), (tenant) => tenant.name, ["Acme"]);
  const { entries } = await searchAuditLog(db, { limit: 10 });
  const [entry, ...rest] = entries;
  assertHas(entry, { person: "Olga", address: "192.0.2.1", action: "tenant.create" });
  assert.deepEqual(rest, []);
});
