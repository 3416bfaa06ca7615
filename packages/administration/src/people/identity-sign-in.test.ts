import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { SCRIPT } from "@belfry/testing/hostile";
import { actsIn } from "../../test/acts.ts";
import { areWaiting, hold, tenantDatabase } from "../../test/database.ts";
import { createTenant } from "../tenants/tenants.ts";
import { parseGroupRoles } from "./group-roles.ts";
import {
  connectIdentity,
  disconnectIdentity,
  identitiesOf,
  insertIdentity,
  type ProviderAccount,
} from "./identities.ts";
import { signInByIdentity } from "./identity-sign-in.ts";
import { changeRole } from "./members.ts";
import type { TenantRole } from "./person-rows.ts";
import {
  insertPerson,
  listMemberships,
  lockPerson,
  putMembership,
  storedPassword,
  updatePerson,
} from "./person-rows.ts";
import { beginSession, listSessions } from "./sessions.ts";

const ISSUER = "https://login.acme.com";
const HERE = { address: "192.0.2.7", userAgent: "test" };

function account(changes: Partial<ProviderAccount> = {}): ProviderAccount {
  const address = { email: "Ann@Acme.com", emailVerified: true };
  return { issuer: ISSUER, subject: "ann-1", ...address, name: "Ann Acme", groups: [], ...changes };
}

/** Signs in where acme.com may, and `staff` are viewers of the tenant, `chiefs` its owners. */
async function house(t: TestContext) {
  const { db, tenantId } = await tenantDatabase(t);
  const { id: other } = await createTenant(db, { name: "Books" });
  const groupRoles = [
    { group: "staff", tenantId, role: "viewer" as const },
    { group: "chiefs", tenantId, role: "owner" as const },
    { group: "staff", tenantId: "gone", role: "editor" as const },
    { group: "readers", tenantId: other, role: "editor" as const },
  ];
  const rules = { allowedDomains: ["acme.com"], groupRoles };
  const signIn = (one: ProviderAccount) => signInByIdentity(db, one, rules, HERE);
  const rolesOf = async (personId: string) =>
    (await listMemberships(db, personId)).map((one) => `${one.tenantName} ${one.role}`);
  const someone = (email: string, operator = false, isSignInTrusted = true) =>
    insertPerson(db, {
      email,
      name: "Somebody",
      password: "a hash",
      operator,
      isSignInTrusted,
    });
  const actions = async () =>
    (await db.selectFrom("audit_log").selectAll().orderBy("id").execute()).map(
      (one) => `${one.action} ${one.target}`,
    );
  return { db, tenantId, other, signIn, rolesOf, someone, actions };
}

test("the first time a verified address finds its person, from then on issuer and subject do, whatever the address", async (t) => {
  const { db, signIn, someone, actions } = await house(t);
  const ann = await someone("ann@acme.com");
  assert.equal((await signIn(account())).personId, ann);
  const changed = { email: "new-name@elsewhere.example", emailVerified: false };
  assert.equal((await signIn(account(changed))).personId, ann);
  assert.equal((await signIn(account({ email: null, emailVerified: false }))).personId, ann);
  const otherIssuer = account({ ...changed, issuer: "https://login.other.example" });
  await assert.rejects(signIn(otherIssuer), { reason: "unverified" });
  const otherCase = account({ ...changed, subject: "Ann-1", emailVerified: true });
  await assert.rejects(signIn(otherCase), { reason: "foreign-domain" });
  const [row] = await db.selectFrom("people").selectAll().where("id", "=", ann).execute();
  assert.deepEqual([row?.email, row?.password, row?.name], ["ann@acme.com", "a hash", "Somebody"]);
  assert.deepEqual(await actions(), ["account.connect ann@acme.com"]);
});

test("an address that was given to somebody else since does not open the account of whoever had it", async (t) => {
  const { signIn, someone } = await house(t);
  await someone("ann@acme.com");
  await signIn(account());
  const successor = account({ subject: "ann-2", groups: ["staff"] });
  await assert.rejects(signIn(successor), { reason: "connected-otherwise" });
});

test("an account that was connected by hand in an untrusted sign-in keeps nobody from being linked by address", async (t) => {
  const { db, signIn, someone, actions } = await house(t);
  const ann = await someone("ann@acme.com");
  const { issuer } = account();
  const byHand = { issuer, subject: "owner", personId: ann, byHand: true, email: "owner@acme.com" };
  await insertIdentity(db, byHand);
  await assert.rejects(signIn(account()), { reason: "connected-otherwise" });
  await db.updateTable("people").set({ sign_in_trusted: false }).where("id", "=", ann).execute();
  assert.equal((await signIn(account())).personId, ann);
  const identities = await identitiesOf(db, ann);
  assertEach(identities, ({ subject }) => subject, [account().subject]);
  const ended = "account.untrusted-end ann@acme.com";
  assert.deepEqual(await actions(), [ended, "account.connect ann@acme.com"]);
});

test("nobody is linked by an address that is not verified, not of an allowed domain, or not written plainly", async (t) => {
  const { db, signIn, someone } = await house(t);
  for (const email of ["ann@acme.com", "kate@acme.com", "ann@evil-acme.com"]) await someone(email);
  const refusals: [string, string | null, boolean][] = [
    ["unverified", "ann@acme.com", false],
    ["unverified", null, true],
    ...[
      "ann@evil-acme.com",
      "ann@acme.com.evil",
      "ann@mail.acme.com",
      "ann@acme.com@evil.example",
      '"ann@acme.com"@evil.example',
      '"x"@acme.com',
      "ann@acme.com.",
      "ann@acme.com ",
      " ann@acme.com",
      "ann@acme.com\n",
      "Ann <ann@acme.com>",
      "ann@acme.com,evil@evil.example",
      "ann@acme。com",
      "ann@аcme.com",
      "ann@ａcme.com",
      // To toLowerCase the Kelvin sign is a k.
      "\u212aate@acme.com",
      "ann@",
      "@acme.com",
      "acme.com",
      "",
      `${"a".repeat(300)}@acme.com`,
    ].map((email): [string, string, boolean] => ["foreign-domain", email, true]),
  ];
  for (const [reason, email, emailVerified] of refusals) {
    const one = account({ email, emailVerified, groups: ["staff"] });
    await assert.rejects(signIn(one), { reason }, JSON.stringify(email));
  }
  assert.deepEqual(await db.selectFrom("person_identities").selectAll().execute(), []);
  const upper = await signIn(account({ email: "KATE@ACME.COM", subject: "k" }));
  assert.equal(typeof upper.personId, "string");
});

test("an operator is let in only by what an operator connected by hand", async (t) => {
  const { db, signIn, someone, actions } = await house(t);
  const olga = await someone("olga@acme.com", true);
  const hers = account({ email: "olga@acme.com", subject: "olga-1" });
  await assert.rejects(signIn(hers), { reason: "operator" });
  await connectIdentity(db, olga, { ...hers, email: "private@elsewhere.example" });
  assert.equal((await signIn(hers)).personId, olga);
  // A person who was linked by an address and later becomes an operator must connect again, too.
  const ann = await someone("ann@acme.com");
  await signIn(account());
  await db.updateTable("people").set({ operator: true }).where("id", "=", ann).execute();
  await assert.rejects(signIn(account()), { reason: "operator" });
  await connectIdentity(db, ann, account());
  assert.equal((await signIn(account())).personId, ann);
  assert.deepEqual(await actions(), ["account.connect ann@acme.com"]);
});

test("somebody new is made without a password, if a group gives a role; a name that is none is not taken over", async (t) => {
  const { db, signIn, rolesOf, actions } = await house(t);
  for (const groups of [[], ["nobodys"], ["STAFF"], ["constructor", "__proto__"], [SCRIPT]]) {
    await assert.rejects(signIn(account({ groups })), { reason: "no-role" }, String(groups));
  }
  const { personId, unknownTenants } = await signIn(account({ groups: ["x", "staff", SCRIPT] }));
  assert.deepEqual(await rolesOf(personId), ["Acme viewer"]);
  assert.deepEqual(unknownTenants, ["gone"]);
  const [ann] = await db.selectFrom("people").selectAll().execute();
  assertHas(ann, { email: "ann@acme.com", name: "Ann Acme", password: null, operator: false });
  const of = "ann@acme.com";
  const done = [`account.create ${of}`, `account.connect ${of}`, `member.join ${of}`];
  assert.deepEqual(await actions(), done);
  const [entry] = await db.selectFrom("audit_log").selectAll().execute();
  assertHas(entry, {
    person_id: personId,
    person: "Ann Acme <ann@acme.com>",
    address: HERE.address,
  });
  for (const [index, name] of [null, "", "a\u0000b", "x".repeat(300)].entries()) {
    const email = `bob${index}@acme.com`;
    const bob = account({ subject: email, email, name, groups: ["staff"] });
    const { personId: id } = await signIn(bob);
    const row = await db.selectFrom("people").select("name").where("id", "=", id).execute();
    assert.equal(row[0]?.name, `bob${index}`);
  }
});

test("groups give, change and take away what groups gave, and nothing that a person gave", async (t) => {
  const { db, tenantId, other, signIn, rolesOf, someone, actions } = await house(t);
  const ann = await someone("ann@acme.com");
  const after = async (...groups: string[]) => {
    await signIn(account({ groups }));
    return await rolesOf(ann);
  };
  await putMembership(db, { personId: ann, tenantId: other, role: "viewer" });
  assert.deepEqual(await after("staff", "readers"), ["Acme viewer", "Books viewer"]);
  assert.deepEqual(await after("chiefs", "staff", "readers"), ["Acme owner", "Books viewer"]);
  assert.deepEqual(await after("chiefs", "staff"), ["Acme owner", "Books viewer"]);
  assert.deepEqual(await after("staff"), ["Acme viewer", "Books viewer"]);
  assert.deepEqual(await after(), ["Books viewer"]);
  const of = "ann@acme.com";
  assert.deepEqual(await actions(), [
    ...[`account.connect ${of}`, `member.join ${of}`, `member.role ${of}`],
    ...[`member.role ${of}`, `member.remove ${of}`],
  ]);
  // A role that an owner changes by hand no longer follows the groups.
  await after("chiefs");
  const bea = await someone("bea@elsewhere.example");
  await putMembership(db, { personId: bea, tenantId, role: "owner" });
  await actsIn(db, tenantId)(changeRole, { person: ann, role: "editor" });
  assert.deepEqual(await after("staff"), ["Acme editor", "Books viewer"]);
  assert.deepEqual(await after(), ["Acme editor", "Books viewer"]);
});

test("two first visits at once make one person", async (t) => {
  const { db, signIn } = await house(t);
  const both = await Promise.all([1, 2].map(() => signIn(account({ groups: ["staff"] }))));
  assert.equal(both[0]?.personId, both[1]?.personId);
  assert.equal((await db.selectFrom("people").selectAll().execute()).length, 1);
});

test("two first visits of a person who is known are both let in", async (t) => {
  const { db, signIn, someone, actions } = await house(t);
  const ann = await someone("ann@acme.com");
  // Both have found no such account, and wait for the person's row.
  await using held = await hold(db, (transaction) => lockPerson(transaction, ann));
  const both = Promise.all([1, 2].map(() => signIn(account())));
  await areWaiting(db, 2);
  await held.commit();
  assertEach(await both, ({ personId }) => personId, [ann, ann]);
  assert.deepEqual(await actions(), ["account.connect ann@acme.com"]);
});

test("who signs in by an account while it is disconnected waits, and then has none", async (t) => {
  const { db, signIn, someone } = await house(t);
  const ann = await someone("ann@acme.com");
  await connectIdentity(db, ann, account());
  let disconnecting = db;
  await using held = await hold(db, (transaction) => {
    disconnecting = transaction;
    return lockPerson(transaction, ann);
  });
  const signedIn = signIn(account({ emailVerified: false }));
  const refused = assert.rejects(signedIn, { reason: "unverified" });
  await areWaiting(db, 1);
  await disconnectIdentity(disconnecting, ann, ISSUER);
  await held.commit();
  await refused;
});

test("an account opens one person's, a person has one of each provider, and the last way in stays", async (t) => {
  const { db, signIn, someone } = await house(t);
  const [ann, bea] = [await someone("ann@acme.com"), await someone("bea@acme.com")];
  await connectIdentity(db, ann, account());
  await assert.rejects(connectIdentity(db, bea, account()), { reason: "somebody-elses" });
  const second = account({ subject: "ann-2" });
  await assert.rejects(connectIdentity(db, ann, second), { reason: "connected-otherwise" });
  const elsewhere = "https://login.other.example";
  await connectIdentity(db, ann, account({ issuer: elsewhere }));
  await disconnectIdentity(db, ann, ISSUER);
  await connectIdentity(db, bea, account());
  assertEach(await identitiesOf(db, ann), (one) => one.issuer, [elsewhere]);
  await assert.rejects(disconnectIdentity(db, ann, ISSUER), /is not connected/);
  const carl = account({ subject: "carl", email: "carl@acme.com", groups: ["staff"] });
  const { personId } = await signIn(carl);
  await assert.rejects(disconnectIdentity(db, personId, ISSUER), /your only way to sign in/);
});

test("what an owner may have made ends when the address links, and a session of before it; what an operator gave stays", async (t) => {
  const { db, signIn, someone, actions } = await house(t);
  const [ann, bea] = [await someone("ann@acme.com", false, false), await someone("bea@acme.com")];
  const other = "https://login.other.example";
  for (const personId of [ann, bea]) {
    await connectIdentity(db, personId, account({ issuer: other, subject: personId }));
    await beginSession(db, personId, HERE);
  }
  await signIn(account());
  await signIn(account({ email: "bea@acme.com", subject: "bea-1" }));
  const after = async (personId: string) => ({
    password: await storedPassword(db, personId),
    issuers: (await identitiesOf(db, personId)).map((one) => one.issuer),
    sessions: (await listSessions(db, personId)).length,
  });
  assert.deepEqual(await after(ann), { password: undefined, issuers: [ISSUER], sessions: 1 });
  assert.deepEqual(await after(bea), {
    password: "a hash",
    issuers: [ISSUER, other],
    sessions: 2,
  });
  const linked = ["account.connect ann@acme.com", "account.untrusted-end ann@acme.com"];
  assert.deepEqual(await actions(), [...linked, "account.connect bea@acme.com"]);
  // The same holds for a password set by an owner's reset link.
  await updatePerson(db, ann, { password: "an owner's", sign_in_trusted: false });
  await signIn(account({ email: null }));
  assert.equal(await storedPassword(db, ann), undefined);
});

test("with what a group gives an untrusted sign-in ends, but for the account whose group gives it", async (t) => {
  const { db, tenantId, signIn, rolesOf, someone, actions } = await house(t);
  const ann = await someone("ann@elsewhere.example", false, false);
  const hers = account({ email: null, emailVerified: false });
  await connectIdentity(db, ann, hers);
  await connectIdentity(db, ann, { ...hers, issuer: "https://login.other.example" });
  await putMembership(db, { personId: ann, tenantId, role: "viewer" });
  await signIn(hers);
  assert.equal(await storedPassword(db, ann), "a hash", "nothing was given");
  await signIn({ ...hers, groups: ["readers"] });
  assert.deepEqual(await rolesOf(ann), ["Acme viewer", "Books editor"]);
  assert.equal(await storedPassword(db, ann), undefined);
  assertEach(await identitiesOf(db, ann), (one) => one.issuer, [ISSUER]);
  assert.equal((await listSessions(db, ann)).length, 1, "the one of this sign-in");
  const of = "ann@elsewhere.example";
  assert.deepEqual(await actions(), [`member.join ${of}`, `account.untrusted-end ${of}`]);
});

test("a mapping that cannot be meant is refused, with the entry and what is wrong with it", () => {
  const good = { group: "staff", tenantId: "acme", role: "editor" satisfies TenantRole };
  assert.deepEqual(parseGroupRoles(JSON.stringify([good])), [good]);
  assert.deepEqual(parseGroupRoles(""), []);
  const bad: [unknown, RegExp][] = [
    [{}, /must be a JSON array of/],
    [[good, []], /entry 2: must be an object/],
    [[null], /entry 1: must be an object/],
    [[{ ...good, tenant: "x" }], /entry 1: "tenant" is not one of group, tenantId, role/],
    [[{ ...good, group: "" }], /entry 1: group must be/],
    [[{ ...good, group: 7 }], /entry 1: group must be/],
    [[{ ...good, tenantId: "Acme Inc" }], /entry 1: tenantId must be/],
    [[{ ...good, role: "operator" }], /entry 1: role must be .*operators are connected by hand/],
    [Array(1001).fill(good), /at most 1000 entries/],
  ];
  for (const [value, fault] of bad) {
    assert.throws(() => parseGroupRoles(JSON.stringify(value)), fault);
  }
  assert.throws(() => parseGroupRoles("[{"), /is not JSON/);
});
