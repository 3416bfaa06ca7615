import assert from "node:assert/strict";
import { test } from "node:test";
import { erasedUser } from "@belfry/administration/erasure/erase-user";
import { claimErasure, endErasure } from "@belfry/administration/erasure/work-erasures";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { knownUser, saveUsers } from "@belfry/administration/users/users";
import { startAdmin } from "../../test/start-admin.ts";

async function world(t: Parameters<typeof startAdmin>[0]) {
  const admin = await startAdmin(t);
  await admin.operator();
  const { id: tenantId } = await createTenant(admin.db, { name: "Acme" });
  const member = (role: "owner" | "editor" | "viewer") =>
    admin.person({ email: `${role}@example.com`, name: role, of: { tenantId, role } });
  for (const userId of ["ann", "bob"]) await saveUsers(admin.db, tenantId, [{ userId }]);
  const base = `/tenants/${tenantId}`;
  return { admin, member, tenantId, base, erase: `${base}/users/erase` };
}

test("an owner erases a user once the id is typed, sees how far it is, and the audit log says who asked", async (t) => {
  const { admin, member, tenantId, base, erase } = await world(t);
  const owner = await member("owner");
  const page = await owner.text(`${erase}?user=ann`);
  for (const words of ["What is deleted", "What is kept", "backups", "cannot be undone"]) {
    assert.ok(page.includes(words), words);
  }
  const typo = await owner.post(erase, { user: "ann", typed: "Ann" });
  assert.equal(typo.status, 422);
  assert.match(await typo.text(), /must be exactly the user id/);
  assert.notEqual(await knownUser(admin.db, tenantId, "ann"), undefined);

  const asked = await owner.post(erase, { user: "ann", typed: "ann" });
  const progress = asked.headers.get("location") ?? "";
  assert.equal(asked.status, 303);
  assert.equal(await knownUser(admin.db, tenantId, "ann"), undefined);
  assert.match(await owner.text(progress), /Queued: users of a tenant are erased one at a time/);
  assert.ok((await owner.text(`${base}/users?user=ann`)).includes(`href="${progress}"`));
  const second = await owner.post(erase, { user: "bob", typed: "bob" });
  const later = second.headers.get("location") ?? "";
  const again = await owner.post(erase, { user: "ann", typed: "ann" });
  assert.equal(again.headers.get("location"), progress, "asked for once more it is the same");

  const claimed = await claimErasure(admin.db, 60_000, "");
  assert.match(await owner.text(progress), /In progress/);
  assert.match(await owner.text(later), /Queued: /, "one at a time");
  await endErasure(admin.db, claimed!, { events: 7, preferences: 0 });
  const done = await owner.text(progress);
  assert.match(done, /The user has been erased\.[\s\S]*<dt>events<\/dt><dd>7<\/dd>/);
  assert.ok(!(await owner.text(`${base}/users?user=ann`)).includes(progress));

  const entries = await admin.db
    .selectFrom("audit_log")
    .select(["person", "action", "target"])
    .orderBy("id")
    .execute();
  assert.match(entries[0]?.person ?? "", /owner@example\.com/);
  const asks = (userId: string) => ["user.ask-erasure", erasedUser({ tenantId, userId })];
  assert.deepEqual(
    entries.map(({ action, target }) => [action, target]),
    [asks("ann"), asks("bob"), asks("ann")],
  );
});

test("who may not erase has no button to it, and sees how far an erasure is all the same", async (t) => {
  const { member, base, erase } = await world(t);
  const owner = await member("owner");
  assert.ok((await owner.text(`${base}/users?user=ann`)).includes("/users/erase?user=ann"));
  const asked = await owner.post(erase, { user: "ann", typed: "ann" });
  for (const role of ["editor", "viewer"] as const) {
    const person = await member(role);
    assert.ok(!(await person.text(`${base}/users?user=bob`)).includes("/users/erase"), role);
    assert.equal((await person.get(`${erase}?user=bob`)).status, 403);
    assert.equal((await person.post(erase, { user: "bob", typed: "bob" })).status, 403);
    assert.match(await person.text(asked.headers.get("location") ?? ""), /Queued: /);
  }
  assert.equal((await owner.get(`${erase}?user=`)).status, 404);
  assert.equal((await owner.get(`${base}/users/erasures/none`)).status, 404);
});
