import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { saveUsers } from "@belfry/administration/users/users";
import { addressTerms, ensureSearchKey, termHash } from "@belfry/database/search-terms";
import { anEvent } from "@belfry/testing/rows";
import { type AdminUnderTest, startForOperator } from "../../test/start-admin.ts";

async function world(t: TestContext) {
  const { admin, operator } = await startForOperator(t);
  const acme = await createTenant(admin.db, { name: "Acme" });
  const other = await createTenant(admin.db, { name: "Other & Sons" });
  const owner = await admin.person({
    ...{ email: "owner@example.com", name: "Ona" },
    of: { tenantId: acme.id, role: "owner" },
  });
  return { admin, operator, owner, acme: acme.id, other: other.id };
}

/** Stores an event in the state that the dispatcher's loop leaves. */
async function storeEvent(
  { db, pool, keys }: AdminUnderTest,
  tenantId: string,
  { userId, email, reference }: { userId: string; email: string; reference?: string },
): Promise<string> {
  const of = { tenant_id: tenantId, user_id: userId, event_type: "order.confirmed" };
  const id = await anEvent(pool, { ...of, recipient_email: email, reference: reference ?? null });
  const key = await ensureSearchKey(db, keys);
  const user = termHash(key, "user", tenantId, userId);
  const terms = addressTerms(email).map(({ kind, value }) => termHash(key, kind, tenantId, value));
  await db
    .insertInto("search_terms")
    .values([user, ...terms].map((hash) => ({ hash, event_id: id })))
    .execute();
  await db
    .insertInto("search_users")
    .values({ tenant_id: tenantId, user_id: userId, hash: user })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return id;
}

test("one field on every page finds by an address: an owner in her tenant, an operator in all; what is nowhere is said", async (t) => {
  const { admin, operator, owner, acme, other } = await world(t);
  const ann = { userId: "ann", email: "ann@home.org" };
  const own = await storeEvent(admin, acme, ann);
  const foreign = await storeEvent(admin, other, { ...ann, userId: "ann-2" });
  const base = `/tenants/${acme}`;
  assert.ok((await owner.text(base)).includes(`action="${base}/search"`));
  assert.ok((await operator.text("/tenants")).includes('action="/search"'));
  const html = await owner.text(`${base}/search?q=ANN%40home.org`);
  assert.ok(html.includes(`href="${base}/activity/${own}"`));
  assert.ok(html.includes(`href="${base}/users?user=ann"`));
  assert.ok(!html.includes(foreign) && !html.includes("ann-2") && !html.includes("/search?q=ANN"));
  const all = await operator.text("/search?q=ann%40home.org");
  for (const text of [own, foreign, "Acme", "Other &amp; Sons"])
    assert.ok(all.includes(text), text);
  assert.match(await owner.text(`${base}/search?q=bob%40home.org`), /Nothing found for/);
  assert.equal((await owner.get("/search?q=ann")).status, 403);
  assert.equal((await owner.get(`/tenants/${other}/search?q=ann%40home.org`)).status, 404);
});

test("an id leads straight to its event; what is no search is told beside the field", async (t) => {
  const { admin, owner, acme } = await world(t);
  const ann = { userId: "ann", email: "ann@home.org", reference: "order-7" };
  const id = await storeEvent(admin, acme, ann);
  const base = `/tenants/${acme}`;
  for (const text of [id, id.toUpperCase(), "order-7"]) {
    const answer = await owner.get(`${base}/search?q=${text}`);
    assert.equal(answer.headers.get("location"), `${base}/activity/${id}`, text);
  }
  assert.equal((await owner.get(`${base}/search`)).status, 200);
  const long = await owner.get(`${base}/search?q=${"a".repeat(501)}`);
  assert.equal(long.status, 422);
  assert.match(await long.text(), /Search for must be at most 500 characters/);
  assert.equal((await owner.get(`${base}/search?q=a%00b`)).status, 422);
});

test("a user of whom nothing is known is said to be unknown, and shows no empty inbox", async (t) => {
  const { admin, owner, acme } = await world(t);
  await storeEvent(admin, acme, { userId: "ann", email: "ann@home.org" });
  const page = `/tenants/${acme}/users`;
  const known = await owner.text(`${page}?user=ann`);
  assert.ok(known.includes("belfry-inbox") && known.includes("order.confirmed"));
  assert.ok(!known.includes("Unknown user"));
  const unknown = await owner.text(`${page}?user=anne`);
  assert.match(unknown, /Unknown user/);
  assert.ok(!unknown.includes("<belfry-inbox inline") && !unknown.includes("Nothing was pushed"));
  assert.match(await owner.text(`${page}?user=anne&inbox=1`), /<belfry-inbox inline/);
});

test("the page of a user is found with spaces pasted around the id, and where the id itself has them", async (t) => {
  const { admin, owner, acme } = await world(t);
  await saveUsers(admin.db, acme, [{ userId: "ann" }]);
  await saveUsers(admin.db, acme, [{ userId: " bob" }]);
  for (const [user, id] of [
    ["%20ann%09", "ann"],
    ["%20bob", " bob"],
    ["%20ann%00", undefined],
  ] as const) {
    const html = await owner.text(`/tenants/${acme}/users?user=${user}`);
    const title = /<h1>([^<]*)<\/h1>/.exec(html)?.[1];
    assert.equal(title, id ?? "Users");
    assert.ok(!html.includes("Nothing is known of this user"), user);
  }
});

test("users are listed by their ids, page by page, those of the directory and those of events alone", async (t) => {
  const { admin, owner, acme, other } = await world(t);
  for (let at = 0; at < 40; at += 1) {
    const userId = `e${String(at).padStart(2, "0")}`;
    await storeEvent(admin, acme, { userId, email: `${userId}@home.org` });
  }
  for (let at = 20; at < 60; at += 1) {
    await saveUsers(admin.db, acme, [{ userId: `e${at}`, email: `named${at}@home.org` }]);
  }
  await saveUsers(admin.db, other, [{ userId: "e10-other" }]);
  const page = `/tenants/${acme}/users`;
  const idsOf = (html: string) =>
    [...html.slice(html.indexOf("All users")).matchAll(/\?user=(e\d\d)"/g)].map(([, id]) => id);
  const first = await owner.text(page);
  const second = await owner.text(`${page}?after=${/\?after=(\w+)/.exec(first)?.[1]}`);
  const more = second.slice(second.indexOf("More users"));
  const ids = [...idsOf(first), ...[...more.matchAll(/\?user=(e\d\d)"/g)].map(([, id]) => id)];
  assert.deepEqual(
    ids,
    Array.from({ length: 60 }, (_, at) => `e${String(at).padStart(2, "0")}`),
  );
  assert.match(first, /e05<\/a>\s*<span class="soft small cut">no profile/);
  assert.match(first, /e25<\/a>\s*<span class="soft small cut">named25@home\.org/);
  assert.ok(!first.includes("e10-other"));
});

test("the beginning of an id or an address finds users on both pages; a single user's page opens at once", async (t) => {
  const { admin, operator, owner, acme, other } = await world(t);
  await saveUsers(admin.db, acme, [
    { userId: "u-1", email: "Anna@home.org" },
    { userId: "u-2", email: "annika@home.org" },
    { userId: "bob" },
  ]);
  await saveUsers(admin.db, other, [{ userId: "u-3", email: "anna@home.org" }]);
  const base = `/tenants/${acme}`;
  const idsOf = (html: string) => [...html.matchAll(/users\?user=([\w-]+)"/g)].map(([, id]) => id);
  const found = await owner.text(`${base}/search?q=ANN`);
  assert.deepEqual(idsOf(found), ["u-1", "u-2"]);
  assert.match(found, /Anna@home\.org/);
  assert.deepEqual(idsOf(await operator.text("/search?q=ann")).toSorted(), ["u-1", "u-2", "u-3"]);
  assert.match(await owner.text(`${base}/search?q=nna`), /Nothing found for/);

  const users = await owner.text(`${base}/users?search=ann`);
  assert.deepEqual(
    [...users.matchAll(/href="\?user=([\w-]+)"/g)].map(([, id]) => id),
    ["u-1", "u-2"],
  );
  for (const [search, id] of [
    ["anna", "u-1"],
    ["bo", "bob"],
    ["%25", "%25"],
  ]) {
    const one = await owner.get(`${base}/users?search=${search}`);
    assert.equal(one.headers.get("location"), `${base}/users?user=${id}`);
  }
  const wrong = await owner.get(`${base}/users?search=a%00b`);
  assert.equal(wrong.status, 422);
  assert.match(await wrong.text(), /starts with must not contain control characters/);
});

test("the pages of suppressed addresses that begin so follow one another", async (t) => {
  const { admin, owner, acme } = await world(t);
  const addresses = Array.from({ length: 130 }, (_, at) => `ann${1000 + at}@home.org`);
  await admin.db
    .insertInto("suppressions")
    .values(
      [...addresses, "bob@home.org"].map((address) => ({
        ...{ tenant_id: acme, channel: "EMAIL" as const, address },
        ...{ reason: "bounced" as const },
      })),
    )
    .execute();
  const first = await owner.text(`/tenants/${acme}/suppressions?search=ANN`);
  const next = /href="(\?search=[^"]*)">More/.exec(first)?.[1]?.replaceAll("&amp;", "&");
  const second = await owner.text(`/tenants/${acme}/suppressions${next}`);
  const shown = [...(first + second).matchAll(/<td><code>([^<]*)/g)].map(([, one]) => one);
  assert.deepEqual(shown, addresses);
});
