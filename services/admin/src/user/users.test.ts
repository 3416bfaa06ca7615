import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { insertSuppressions } from "@belfry/administration/events/suppression-rows";
import { putTemplate } from "@belfry/administration/test/templates";
import { saveUsers } from "@belfry/administration/users/users";
import { storedReason } from "@belfry/contracts/reasons";
import { storeInbound } from "@belfry/database/inbound";
import { anEvent } from "@belfry/testing/rows";
import { type startAdmin, startForTenant } from "../../test/start-admin.ts";

async function world(t: Parameters<typeof startAdmin>[0]) {
  const { admin, operator, id: tenantId } = await startForTenant(t);
  const member = (role: "editor" | "viewer") =>
    admin.person({ email: `${role}@example.com`, name: role, of: { tenantId, role } });
  const [editor, viewer] = [await member("editor"), await member("viewer")];
  return { admin, operator, editor, viewer, tenantId, base: `/tenants/${tenantId}` };
}

test("a category is made and given an event type, and a user's page shows it and turns it off by hand", async (t) => {
  const { admin, editor, viewer, tenantId, base } = await world(t);
  const sms = { tenantId, channel: "SMS", content: "x" } as const;
  await putTemplate(admin.db, { ...sms, eventType: "sale.began" });
  const made = await editor.post(`${base}/categories`, { label: "Offers & news", defaultOn: "on" });
  const path = `${base}/categories/offers-news`;
  assert.equal(made.headers.get("location"), `${path}?done=added`);
  assert.match(await editor.text(path), /<option value="sale.began">/);
  assert.equal((await editor.post(`${path}/assign`, { eventType: "sale.began" })).status, 303);
  assert.match(await viewer.text(`${base}/categories`), /Offers &amp; news[\s\S]*sale\.began/);

  const page = `${base}/users?user=${encodeURIComponent("ann/1")}`;
  const offered = /role="switch" aria-checked="true" aria-label="Offers &amp; news, Email"/;
  assert.match(await editor.text(page), offered);
  const cell = { user: "ann/1", category: "offers-news", channel: "EMAIL" };
  const off = await editor.post(`${base}/users/preferences`, { ...cell, to: "off" });
  assert.equal(off.headers.get("location"), `${page}&done=turned-off#switch-offers-news-EMAIL`);
  assert.deepEqual(admin.announced, [`${tenantId}/ann/1`]);
  const seen = await viewer.text(page);
  assert.match(
    seen,
    /<span class="badge bad">off<\/span>\s*<\/div>\s*<span class="soft small">by hand, <time/,
  );
  assert.ok(!seen.includes('role="switch"'), "a viewer has no switches");
  const rows = () => admin.db.selectFrom("preferences").select(["enabled", "source"]).execute();
  assert.deepEqual(await rows(), [{ enabled: false, source: "by hand" }]);

  const refused = await editor.post(`${path}/delete`);
  assert.equal(refused.status, 422);
  assert.match(await refused.text(), /Not deleted: it is the category of sale\.began/);
  await editor.post(`${path}/unassign`, { eventType: "sale.began" });
  assert.equal((await editor.post(`${path}/delete`)).status, 303);
  assert.match(await editor.text(page), /there is no such category now/);
  const actions = await admin.db
    .selectFrom("audit_log")
    .select("action")
    .where("action", "<>", "template.save")
    .orderBy("id")
    .execute();
  assert.deepEqual(
    actions.map(({ action }) => action),
    ["create", "assign"]
      .map((verb) => `category.${verb}`)
      .concat("user.preference", "category.unassign", "category.delete"),
  );
});

test("a category's languages are what its form says, and no name is written over", async (t) => {
  const { admin, editor, base } = await world(t);
  await editor.post(`${base}/categories`, { label: "Offers", key: "offers" });
  const path = `${base}/categories/offers`;
  const texts = async () =>
    (
      await admin.db.selectFrom("categories").select(["label", "description", "required"]).execute()
    )[0];
  const save = async (language: string[], label: string[], description: string[]) =>
    await editor.post(path, { language, label, description, required: "on" });
  assert.equal((await save(["", "DE"], ["Offers", "Angebote"], ["Twice a month", ""])).status, 303);
  assert.deepEqual(await texts(), {
    ...{ label: { "": "Offers", de: "Angebote" }, description: { "": "Twice a month" } },
    required: true,
  });
  assert.match(await editor.text(path), /<legend>de<\/legend>/);
  await save(["", "de-AT"], ["Offers", "Aktionen"], ["", ""]);
  assert.deepEqual((await texts())?.label, { "": "Offers", "de-AT": "Aktionen" });
  const wrong = await save(["", "no language"], ["Offers", "x"], ["", ""]);
  assert.equal(wrong.status, 422);
  assert.match(await wrong.text(), /Name \(no language\) must be/);
  const again = await editor.post(`${base}/categories`, { label: "Else", key: "offers" });
  assert.match(await again.text(), /Key is that of another category/);
  const required = { user: "ann", category: "offers", channel: "*", to: "off" };
  assert.equal((await editor.post(`${base}/users/preferences`, required)).status, 422);
  const unsaid = { ...required, to: "default" };
  assert.equal((await editor.post(`${base}/users/preferences`, unsaid)).status, 303);
  assert.deepEqual(admin.announced, [], "what changes nothing is told to nobody");
});

test("a user's page tells what is known, whose addresses get nothing, and why something was not sent", async (t) => {
  const { admin, operator, viewer, tenantId, base } = await world(t);
  const quiet = { quietFrom: "22:00", quietTo: "06:00", timezone: "Europe/Berlin" };
  const settings = { name: "Acme", perMinute: "60", dailyCap: "1000", ...quiet };
  const half = await operator.post(`${base}/settings`, { ...settings, quietTo: "" });
  assert.match(await half.text(), /Quiet hours: to must be/);
  assert.equal((await operator.post(`${base}/settings`, settings)).status, 303);
  const page = `${base}/users?user=ann`;
  assert.match(await viewer.text(page), /22:00 to 06:00 \(your default\)/);

  await saveUsers(admin.db, tenantId, [
    {
      ...{ userId: "ann", email: "Ann@example.com", chat: "slack:U1", timezone: "Europe/Vienna" },
      quietHours: { from: "21:00", to: "07:00" },
    },
  ]);
  const mail = { tenantId, channel: "EMAIL" } as const;
  await insertSuppressions(admin.db, {
    ...mail,
    addresses: ["ann@example.com"],
    reason: "bounced",
    source: null,
  });
  const addresses = ["old@example.com"];
  await insertSuppressions(admin.db, { ...mail, addresses, reason: "complained", source: null });
  const inChat = { tenantId, channel: "CHAT", addresses: ["slack:u1"] } as const;
  await insertSuppressions(admin.db, { ...inChat, reason: "opted out", source: null });
  const others = ["bob@example.com"];
  await insertSuppressions(admin.db, {
    ...mail,
    addresses: others,
    reason: "bounced",
    source: null,
  });
  const off = { label: "Offers", date: "2 Nov 2026", source: "preference page" };
  const skipped = { EMAIL: storedReason("turned-off-category", off), SMS: "no active template" };
  const sale = { tenant_id: tenantId, event_type: "sale", recipient_email: "old@example.com" };
  await anEvent(admin.pool, { ...sale, outcome: JSON.stringify({ skipped }) });
  const html = await viewer.text(page);
  assert.match(html, /Europe\/Vienna[\s\S]*21:00 to 07:00/);
  assert.match(html, /ann@example\.com[\s\S]*bounced[\s\S]*old@example\.com[\s\S]*complained/);
  assert.match(html, /suppressions\?search=slack%3Au1/);
  assert.ok(!html.includes("bob@example.com"));
  assert.match(
    html,
    /Not sent: the user has turned this off for Offers, 2 Nov 2026, preference page\./,
  );
  assert.ok(!html.includes("no active template"), "what was never meant for a channel");
});

test("a user's page lists the devices without their tokens; an editor removes one, a viewer only looks", async (t) => {
  const { admin, editor, viewer, base } = await world(t);
  const tenant_id = base.split("/")[2]!;
  const of = { tenant_id, user_id: "ann", kind: "fcm", token: "the-token" } as const;
  await admin.db
    .insertInto("devices")
    .values([
      { ...of, id: randomUUID(), device_id: "a", token_hash: "a", name: "Pixel <9>" },
      { ...of, id: randomUUID(), device_id: "b", token_hash: "b", seen_at: new Date() },
    ])
    .execute();
  const page = `${base}/users?user=ann`;
  const html = await viewer.text(page);
  assert.match(html, /Pixel &lt;9&gt;[\s\S]*Not reached yet/);
  assert.match(html, /<strong>b<\/strong>[\s\S]*Last reached/);
  assert.ok(!html.includes("the-token") && !html.includes("devices/delete"));
  const removal = { user: "ann", device: "a" };
  assert.equal((await viewer.post(`${base}/users/devices/delete`, removal)).status, 403);
  assert.match(await editor.text(page), /devices\/delete/);
  assert.equal((await editor.post(`${base}/users/devices/delete`, removal)).status, 303);
  const left = await editor.text(page);
  assert.ok(!left.includes("Pixel") && left.includes("<strong>b</strong>"));
});

test("unsubscribes are imported from lines, all or none, each bad one told with its number", async (t) => {
  const { admin, editor, viewer, base } = await world(t);
  await editor.post(`${base}/categories`, { label: "Offers" });
  const count = async () => (await admin.db.selectFrom("preferences").selectAll().execute()).length;
  const lines = "user,category,channel\r\nann,offers,EMAIL\r\nbob,none,EMAIL\r\ncid,*,FAX\r\n";
  const refused = await editor.post(`${base}/users/import`, { lines });
  assert.equal(refused.status, 422);
  const html = await refused.text();
  assert.match(html, /<li>line 3: category must be[\s\S]*<li>line 4: channel must be/);
  assert.ok(html.includes("bob,none,EMAIL"), "what was typed is there again");
  assert.equal(await count(), 0);
  const good = await editor.post(`${base}/users/import`, {
    lines: "ann,offers,EMAIL\r\nbob,*,*\r\n",
  });
  assert.match(await editor.page(good), /Done: 2 lines\. 2 newly turned off,\s+0 already off/);
  assert.equal(await count(), 2);
  assert.match(await viewer.text(`${base}/users?user=ann`), />import, <time/);
  assert.equal((await viewer.get(`${base}/users/import`)).status, 403);
});

test("the live inbox of a user's page has a token that reads no more than the page shows; a viewer has none", async (t) => {
  const { editor, viewer, base } = await world(t);
  const inbox = await editor.post(`${base}/users/token`, { user: "ann" });
  const { token } = (await inbox.json()) as { token: string };
  assert.match(token, /^token of ann in \w+, concealed$/);
  assert.equal((await viewer.post(`${base}/users/token`, { user: "ann" })).status, 403);
});

test("replies are listed, by number, a page at a time; a keyword is none", async (t) => {
  const { admin, viewer, tenantId, base } = await world(t);
  const origin = { tenantId, providerKind: "twilio", channels: ["SMS"] } as const;
  const text = (at: number, said: string, sender = "+12025550123") =>
    storeInbound(admin.db, origin, {
      ...{ vendorId: `v${at}`, sender, recipient: "+12025550100", text: said },
    });
  for (let at = 0; at < 51; at += 1) await text(at, `please stop calling ${at}.`);
  await text(51, "Who is this?", "+12025550199");
  await text(52, "STOP");
  const first = await viewer.text(`${base}/replies`);
  assert.match(first, /Who is this\?[\s\S]*please stop calling 50\./);
  assert.ok(!first.includes("STOP<"));
  const next = /href="(\?[^"]*before=[^"]*)"/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
  assert.match(await viewer.text(`${base}/replies${next}`), /please stop calling 0\./);
  const ofNumber = await viewer.text(`${base}/replies?number=%2B12025550199`);
  assert.ok(ofNumber.includes("Who is this?") && !ofNumber.includes("please stop"));
  assert.equal((await viewer.get(`${base}/replies?number=nobody`)).status, 422);
});
