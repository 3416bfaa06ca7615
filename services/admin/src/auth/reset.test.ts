import assert from "node:assert/strict";
import { test } from "node:test";
import { putMembership } from "@belfry/administration/people/person-rows";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { assertEach } from "@belfry/testing/assert-each";
import { PASSWORD, type TestBrowser } from "../../test/browser.ts";
import { startAdmin, startForOperator } from "../../test/start-admin.ts";

const NEW = "another quiet sentence";

test("an owner hands a member a link that sets a new password once: sessions end, the log keeps who and never the link", async (t) => {
  const lines: string[] = [];
  const admin = await startAdmin(t, { log: { write: (line) => void lines.push(line) } });
  const { id: tenantId } = await createTenant(admin.db, { name: "Acme" });
  const owner = await admin.person({
    ...{ email: "olive@example.com", name: "Olive" },
    of: { tenantId, role: "owner" },
  });
  const eve = await admin.person({
    ...{ email: "eve@example.com", name: "Eve" },
    of: { tenantId, role: "editor" },
  });
  const members = `/tenants/${tenantId}/members`;
  const action = await actionFor(owner, members, "Eve");
  const made = await owner.post(action);
  assert.equal(made.status, 303);
  const html = await owner.page(made);
  assert.match(html, /Send this link to eve@example\.com and to nobody else/);
  const link = linkIn(html);
  assert.doesNotMatch(await owner.text(made.headers.get("location") ?? ""), /\/reset\//, "once");
  assert.doesNotMatch(html, /Create reset link for Olive/, "not for oneself");

  // Scanners and previews look before the person does.
  const guest = admin.browser();
  await guest.raw(link, { method: "HEAD" });
  const form = await guest.get(link);
  assert.equal(form.headers.get("referrer-policy"), "strict-origin");
  assert.match(await form.text(), /value="eve@example\.com"/);
  const set = (password: string, repeated = password) =>
    guest.post(link, { password, repeated }, { from: link });
  assert.match(await (await set(NEW, "x")).text(), /id="repeated-fault">/);
  assert.match(await (await set("short")).text(), /id="password-fault">/);
  assert.equal((await eve.get("/account")).status, 200);
  const done = await set(NEW);
  assert.deepEqual(
    [done.status, done.headers.get("location")],
    [303, "/sign-in?done=password-set"],
  );
  assert.equal(guest.cookies.has("belfry_session"), false, "nobody is signed in by a link");
  assert.equal((await eve.get("/account")).status, 303);
  const signIn = (password: string) =>
    guest.post("/sign-in", { email: "eve@example.com", password, next: "" }, { from: "/sign-in" });
  assert.equal((await signIn(PASSWORD)).status, 422);

  const used = await guest.get(link);
  const unknown = await guest.get(`/reset/${"x".repeat(43)}`);
  assert.deepEqual([used.status, unknown.status], [404, 404]);
  assert.equal(await used.text(), await unknown.text());
  const again = await guest.post(link, { password: NEW, repeated: NEW }, { from: "/sign-in" });
  assert.equal(again.status, 404);
  assert.equal((await signIn(NEW)).status, 303);

  const log = await admin.db.selectFrom("audit_log").selectAll().orderBy("id").execute();
  assertEach(log, (one) => [one.action, one.person, one.target, one.tenant_id], [
    ["account.reset-link", "Olive <olive@example.com>", "eve@example.com", tenantId],
    [
      "account.reset-password",
      "Eve <eve@example.com>, by a reset link",
      "eve@example.com",
      tenantId,
    ],
  ]);
  const token = link.replace("/reset/", "");
  assert.ok(lines.length > 0);
  assert.ok(!`${lines.join("")}${JSON.stringify(log)}`.includes(token));
});

test("whose account reaches further than the tenant is told to ask an operator, who may; wrong links are limited", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const { id: acme } = await createTenant(admin.db, { name: "Acme" });
  const { id: books } = await createTenant(admin.db, { name: "Books" });
  const of = { tenantId: acme, role: "owner" } as const;
  const owner = await admin.person({ email: "olive@example.com", name: "Olive", of });
  await admin.person({ email: "eve@example.com", name: "Eve", of });
  await admin.person({ email: "otto@example.com", name: "Otto", operator: true });
  const { id: personId } = await admin.db
    .selectFrom("people")
    .select("id")
    .where("email", "=", "eve@example.com")
    .executeTakeFirstOrThrow();
  const members = `/tenants/${acme}/members`;
  const action = await actionFor(owner, members, "Eve");
  await putMembership(admin.db, { personId, tenantId: books, role: "viewer" });
  const refused = await owner.post(action);
  assert.equal(refused.status, 422);
  assert.match(
    await refused.text(),
    /role="alert">Not changed: only an operator can make a reset link for this person\./,
  );
  const elsewhere = action.replace(acme, books);
  assert.equal((await owner.post(elsewhere)).status, 404);
  assert.equal((await operator.post(action.replace(personId, books))).status, 404);

  assert.match(linkIn(await operator.page(await operator.post(action))), /^\/reset\/[\w-]{43}$/);
  const forOtto = await actionFor(operator, "/operators", "Otto");
  const link = linkIn(await operator.page(await operator.post(forOtto)));
  assert.equal((await owner.post(forOtto)).status, 403);

  const guest = admin.browser();
  assert.equal((await guest.get("/reset/nothing")).status, 404);
  await admin.db.updateTable("sign_in_tries").set({ count: 49 }).execute();
  assert.equal((await guest.get(link)).status, 200, "a right one is no guess");
  assert.equal((await guest.get("/reset/nothing")).status, 404);
  const last = await guest.get(link);
  assert.deepEqual([last.status, last.headers.has("retry-after")], [429, true]);
});

async function actionFor(browser: TestBrowser, path: string, name: string): Promise<string> {
  const forms = (await browser.text(path)).split("<form").slice(1);
  const form = forms.find((one) => one.includes(`aria-label="Create reset link for ${name}"`));
  return /action="([^"]+)"/.exec(form ?? "")?.[1] ?? "";
}

function linkIn(html: string): string {
  return /http:\/\/admin\.test(\/reset\/[\w-]+)/.exec(html)?.[1] ?? "";
}
