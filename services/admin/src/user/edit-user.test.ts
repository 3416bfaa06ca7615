import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { findUser } from "@belfry/administration/users/user-rows";
import { knownUser, putUser, saveUsers } from "@belfry/administration/users/users";
import { faultsOf } from "@belfry/contracts/problems";
import { hiddenFields } from "../../test/publish-by-form.ts";
import { startAdmin } from "../../test/start-admin.ts";

async function world(t: Parameters<typeof startAdmin>[0]) {
  const admin = await startAdmin(t);
  await admin.operator();
  const { id: tenantId } = await createTenant(admin.db, { name: "Acme" });
  const member = (role: "editor" | "viewer") =>
    admin.person({ email: `${role}@example.com`, name: role, of: { tenantId, role } });
  const [editor, viewer] = [await member("editor"), await member("viewer")];
  const base = `/tenants/${tenantId}`;
  const entries = () =>
    admin.db
      .selectFrom("audit_log")
      .select(["person", "action", "target", "before", "after"])
      .orderBy("id")
      .execute();
  return { admin, editor, viewer, tenantId, base, entries };
}

const EMPTY = {
  email: "",
  phone: "",
  chat: "",
  locale: "",
  timezone: "",
  quietFrom: "",
  quietTo: "",
};
const ANN = {
  ...{ email: "ann@example.com", phone: "+12025550123", locale: "de-at" },
  ...{ timezone: "europe/vienna", quietFrom: "22:00", quietTo: "06:00" },
  ...{ chat: "slack:U024BE91L", attributes: '{"name": "<b>Ann"}' },
};

test("an editor makes a user by id and edits it; each is in the audit log, with what was before", async (t) => {
  const { admin, editor, tenantId, base, entries } = await world(t);
  assert.match(await editor.text(`${base}/users`), /href="[^"]*\/users\/edit">New user</);
  const made = await editor.post(`${base}/users/edit`, { user: "ann/1", isNew: "yes", ...ANN });
  const page = `${base}/users?user=ann%2F1`;
  assert.equal(made.headers.get("location"), `${page}&done=user-saved`);
  const { createdAt: _, updatedAt, ...ann } = (await knownUser(admin.db, tenantId, "ann/1"))!;
  assert.deepEqual(ann, {
    ...{ userId: "ann/1", email: "ann@example.com", phone: "+12025550123", locale: "de-AT" },
    ...{ timezone: "Europe/Vienna", quietHours: { from: "22:00", to: "06:00" } },
    ...{ chat: "slack:U024BE91L", attributes: { name: "<b>Ann" } },
  });
  assert.match(await editor.text(page), /\{&quot;name&quot;:&quot;&lt;b&gt;Ann&quot;\}/);
  assert.match(await editor.text(page), /href="[^"]*\/users\/edit\?user=ann%2F1">Edit</);

  const form = await editor.text(`${base}/users/edit?user=ann%2F1`);
  assert.match(form, /value="ann@example\.com"[\s\S]*value="slack:U024BE91L"[\s\S]*value="22:00"/);
  const shown = { ...hiddenFields(form), ...EMPTY, email: "Ann.B@example.com" };
  assert.equal((await editor.post(`${base}/users/edit`, shown)).status, 303);
  const after = (await knownUser(admin.db, tenantId, "ann/1"))!;
  assert.deepEqual(
    [after.email, after.phone, after.chat, after.quietHours, after.attributes],
    ["Ann.B@example.com", null, null, null, null],
    "what is empty is forgotten",
  );
  const [first, second, ...more] = await entries();
  assert.deepEqual(more, []);
  assert.match(first?.person ?? "", /editor@example\.com/);
  assert.deepEqual([first?.action, first?.target, first?.before], ["user.create", "ann/1", null]);
  assert.deepEqual(
    (first?.after as { attributes?: string[] } | null)?.attributes,
    ["name"],
    "no value",
  );
  assert.equal(second?.action, "user.update");
  assert.deepEqual(
    [second?.before, second?.after].map((one) => (one as { email: string }).email),
    ["ann@example.com", "Ann.B@example.com"],
  );
  assert.notEqual(updatedAt, after.updatedAt);
});

test("what is wrong is said beside its field in the words of the API and the command line, and nothing is stored", async (t) => {
  const { editor, base, entries } = await world(t);
  const bad = {
    ...{ email: "nobody", phone: "12", locale: "no language", timezone: "Nowhere" },
    quietHours: { from: "22:00", to: "" },
  };
  const typed = { ...bad, quietHours: "", quietFrom: "22:00", quietTo: "" };
  const answer = await editor.post(`${base}/users/edit`, { user: "", isNew: "yes", ...typed });
  assert.equal(answer.status, 422);
  const html = (await answer.text()).replaceAll("&#39;", "'");
  const faults = faultsOf(putUser.input, { userId: "", ...bad }, "input", "");
  assert.equal(faults.length, 6);
  for (const { message } of faults) assert.ok(html.includes(message), message);
  assert.match(html, /value="nobody"/, "what was typed is there again");
  assert.deepEqual(await entries(), []);
});

test("a form that is saved as it was opened keeps every digit of the attributes", async (t) => {
  const { admin, editor, tenantId, base } = await world(t);
  const attributes = '{"account":12345678901234567890,"price":10.10,"much":1e400}';
  await editor.post(`${base}/users/edit`, { user: "ann", isNew: "yes", ...EMPTY, attributes });
  const form = await editor.text(`${base}/users/edit?user=ann`);
  const [, shown = ""] = /<textarea[^>]*name="attributes"[^>]*>([^<]*)</.exec(form) ?? [];
  const opened = { ...hiddenFields(form), ...EMPTY, attributes: shown.replaceAll("&quot;", '"') };
  assert.equal((await editor.post(`${base}/users/edit`, opened)).status, 303);
  const user = await findUser(admin.db, tenantId, "ann");
  assert.equal(user?.attributes, attributes);
});

test("attributes that are no JSON object, or too many, are said beside their field", async (t) => {
  const { editor, base, entries } = await world(t);
  const post = async (attributes: string) => {
    const answer = await editor.post(`${base}/users/edit`, { user: "ann", ...EMPTY, attributes });
    return [answer.status, await answer.text()] as const;
  };
  for (const [typed, fault] of [
    ["{name", "must be a JSON object"],
    ["[1]", "must be a JSON object"],
    [JSON.stringify({ a: "x".repeat(4096) }), "must be at most 4096 bytes of JSON"],
  ] as const) {
    const [status, html] = await post(typed);
    assert.equal(status, 422);
    assert.ok(html.includes(`Attributes ${fault}`), html);
    assert.ok(html.includes(typed.replaceAll('"', "&quot;")), "what was typed is there again");
  }
  assert.deepEqual(await entries(), []);
});

test("what somebody else has saved meanwhile is not written over, nor a user who is known by making a new one", async (t) => {
  const { admin, editor, tenantId, base } = await world(t);
  await saveUsers(admin.db, tenantId, [{ userId: "ann", email: "ann@example.com" }]);
  const again = await editor.post(`${base}/users/edit`, { user: "ann", isNew: "yes", ...EMPTY });
  assert.equal(again.status, 422);
  assert.match(await again.text(), /User id is known already/);
  const shown = hiddenFields(await editor.text(`${base}/users/edit?user=ann`));
  await saveUsers(admin.db, tenantId, [{ userId: "ann", email: "new@example.com" }]);
  const late = await editor.post(`${base}/users/edit`, { ...EMPTY, ...shown });
  assert.equal(late.status, 422);
  assert.match(await late.text(), /Not saved: this user was changed meanwhile/);
  assert.equal((await knownUser(admin.db, tenantId, "ann"))?.email, "new@example.com");
});

test("a viewer has no button to edit, and the address is refused", async (t) => {
  const { viewer, base } = await world(t);
  for (const page of [`${base}/users`, `${base}/users?user=ann`]) {
    assert.ok(!(await viewer.text(page)).includes("/users/edit"), page);
  }
  assert.equal((await viewer.get(`${base}/users/edit?user=ann`)).status, 403);
  assert.equal((await viewer.post(`${base}/users/edit`, { user: "ann", ...EMPTY })).status, 403);
});
