import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import { PNG } from "@belfry/administration/test/image-samples";
import { putTemplate } from "@belfry/administration/test/templates";
import { putCategory } from "@belfry/administration/users/categories";
import { defaultAlerts } from "@belfry/contracts/alerts";
import { assertHas } from "@belfry/testing/assert-has";
import { auditedTwoFactor } from "../../test/audited-two-factor.ts";
import { auditedWebhooks, type Post } from "../../test/audited-webhooks.ts";
import { hiddenFields, saveDraftByForm } from "../../test/publish-by-form.ts";
import { type AdminUnderTest, startForOperator } from "../../test/start-admin.ts";
import { storeDeadLetters } from "../../test/store-dead-letters.ts";
import { storeWaiting } from "../../test/store-waiting.ts";
import { ACCESS } from "../page/access.ts";

/** Routes that change nothing lasting, or that only sign somebody in. */
const NOT_LOGGED = [
  "POST /sign-in",
  // A recovery code that it uses is: code-sign-in.test.ts.
  "POST /sign-in/code",
  "POST /sign-out",
  // Nothing is on before a code has confirmed it.
  "POST /account/two-factor/begin",
  // The return from the provider is logged instead.
  "POST /account/identities/connect",
  "POST /tenants/:tenantId/templates/preview",
  "POST /tenants/:tenantId/design/preview",
  // The start of the import is.
  "POST /tenants/:tenantId/imports/:importId/parts",
  "POST /tenants/:tenantId/broadcasts/preview",
  "POST /tenants/:tenantId/broadcasts/check",
];

test("every change is in the audit log: who, what, before and after without secrets, from where, when", async (t) => {
  const nowMs = Date.UTC(2026, 5, 1);
  const { admin, operator } = await startForOperator(t, { nowMs: () => nowMs });
  const done = new Set<string>();
  const pathOf = (route: string, ids: Readonly<Record<string, string>>) =>
    route.slice(5).replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? "");
  /** Sends a form and remembers its route. */
  const logged = async (
    route: string,
    send: () => Promise<Response>,
    who = "Olga Operator <op@example.com>",
  ) => {
    const before = await entries(admin);
    const answer = await send();
    const html = await operator.page(answer);
    assert.ok([200, 303].includes(answer.status), `${route}: ${answer.status}`);
    const now = await entries(admin);
    assert.equal(now.length, before.length + 1, `${route} is not in the log`);
    const { at, person, address, action } = now[0]!;
    assert.ok(Date.now() - at.getTime() < 60_000);
    assert.deepEqual([person, address], [who, "127.0.0.1"], action);
    done.add(route);
    return { html, id: /([^/]+)$/.exec(answer.headers.get("location")?.split("?")[0] ?? "")?.[1] };
  };
  /** Through the operator's form. */
  const post: Post = (route, ids, fields = {}) =>
    logged(route, () => operator.post(pathOf(route, ids), fields));

  await post("POST /account/name", {}, { name: "Olga Operator" });
  const limits = { name: "Acme", perMinute: "60", dailyCap: "1000" };
  await post("POST /tenants", {}, limits);
  const { id: tenantId } = await createTenant(admin.db, { name: "Books" });
  const of = { tenantId };
  await post("POST /tenants/:tenantId/settings", of, { ...limits, name: "Books", perMinute: "7" });
  const settings = (await entries(admin))[0];
  await post("POST /tenants/:tenantId/defaults", of, { timezone: "Europe/Berlin" });
  assert.deepEqual([settings?.before?.perMinute, settings?.after?.perMinute], [600, 7]);
  await post("POST /tenants/:tenantId/deactivate", of);
  await post("POST /tenants/:tenantId/activate", of);

  const sms = { eventType: "order", channel: "SMS", sampleVariables: "{}" };
  const made = await post("POST /tenants/:tenantId/templates", of, sms);
  const template = { tenantId, templateId: made.id ?? "" };
  const editor = `/tenants/${tenantId}/templates/${made.id}`;
  const typed = async (content: string, locale = "") => ({
    ...hiddenFields(await operator.text(`${editor}?locale=${locale}`)),
    content,
  });
  const publish = async (locale: string) => {
    const fields = hiddenFields(await operator.text(`${editor}/publish`));
    await post("POST /tenants/:tenantId/templates/:templateId/publish", template, {
      ...fields,
      locale,
    });
  };
  // The log has the beginning of a draft, not each pause in typing.
  await saveDraftByForm(operator, editor, { content: "one" });
  await publish("");
  await post("POST /tenants/:tenantId/templates/:templateId", template, await typed("two"));
  await post("POST /tenants/:tenantId/templates/:templateId/discard", template, { locale: "" });
  await post(
    "POST /tenants/:tenantId/templates/:templateId/draft",
    template,
    await typed("zwei", "de"),
  );
  await publish("de");
  await post("POST /tenants/:tenantId/templates/:templateId", template, await typed("three"));
  await publish("");
  await post("POST /tenants/:tenantId/templates/:templateId/same", template, { locale: "de" });
  await post("POST /tenants/:tenantId/templates/:templateId/separate-events", template);
  const ofGerman = { locale: "de" };
  await post("POST /tenants/:tenantId/templates/:templateId/remove-language", template, ofGerman);
  const elsewhere = { eventType: "order.copy" };
  await post("POST /tenants/:tenantId/templates/:templateId/copy", template, elsewhere);
  await post("POST /tenants/:tenantId/design", of, { primaryColor: "#0b6e4f" });
  await post("POST /tenants/:tenantId/design/remove", of);
  await post("POST /tenants/:tenantId/design/restore", of, { version: "1" });
  await post("POST /tenants/:tenantId/templates/:templateId/deactivate", template);
  await post("POST /tenants/:tenantId/templates/:templateId/activate", template);
  await post("POST /tenants/:tenantId/templates/:templateId/restore", template, { version: "1" });

  const mail = { channel: "EMAIL", kind: "sendgrid", "settings.from": "a@example.com" };
  await post("POST /tenants/:tenantId/providers", of, {
    channel: "SMS",
    kind: "sandbox",
    name: "a",
  });
  const account = await post("POST /tenants/:tenantId/providers", of, {
    ...{ channel: "SMS", kind: "sandbox", name: "b" },
  });
  await post("POST /tenants/:tenantId/providers", of, {
    ...mail,
    "settings.apiKey": "SG.0123456789-secret",
  });
  const provider = { tenantId, providerId: account.id ?? "" };
  await post("POST /tenants/:tenantId/providers/:providerId", provider, { name: "c" });
  const [first] = await admin.db
    .selectFrom("providers")
    .select("id")
    .where("name", "=", "a")
    .execute();
  const down = { tenantId, providerId: first?.id ?? "" };
  const to = "+12025550123";
  await post("POST /tenants/:tenantId/providers/:providerId/test", provider, { to });
  await post("POST /tenants/:tenantId/providers/:providerId/activate", provider);
  await post("POST /tenants/:tenantId/providers/:providerId/deactivate", provider);
  await post("POST /tenants/:tenantId/providers/:providerId/make-first", provider);
  await post("POST /tenants/:tenantId/providers/:providerId/move-up", down);
  await post("POST /tenants/:tenantId/templates/test", of, { ...sms, content: "x", to });
  await post("POST /tenants/:tenantId/providers/:providerId/delete", provider);
  await post("POST /tenants/:tenantId/templates/:templateId/delete", template);

  await admin.pool.query(
    "insert into tenants (id, name, per_minute, family, environment) values ('staging', 'Staging', 1, 'shop', 'staging')",
  );
  await actsIn(admin.db, "staging")(putCategory, { key: "news", label: { "": "News" } });
  const environment = { family: "shop", environment: "live", promotesFrom: "staging" };
  await post("POST /tenants/:tenantId/environment", of, environment);
  const promotion = await operator.text(`/tenants/${tenantId}/environment/promotion`);
  const plan = /name="plan" value="(\w+)"/.exec(promotion)?.[1] ?? "";
  await post("POST /tenants/:tenantId/environment/promotion", of, { plan });

  const key = await post("POST /tenants/:tenantId/keys", of);
  await post("POST /tenants/:tenantId/keys/rotate", of, { overlapHours: "1" });
  const keyId = /keys\/([\w-]+)\/revoke/.exec(key.html)?.[1] ?? "";
  await post("POST /tenants/:tenantId/keys/:keyId/revoke", { tenantId, keyId });
  const secret = await post("POST /tenants/:tenantId/webhook-secret", of);
  await post("POST /tenants/:tenantId/webhook-secret/remove", of);

  const address = { channel: "SMS", address: to };
  await post("POST /tenants/:tenantId/suppressions", of, address);
  await post("POST /tenants/:tenantId/suppressions/remove", of, address);
  const many = { channel: "SMS", lines: `${to}\n+12025550124` };
  await post("POST /tenants/:tenantId/suppressions/import", of, many);
  const imported = (await entries(admin))[0];
  assertHas(imported, { target: "SMS 2 lines", after: { added: 2, alreadyThere: 0, leftOut: 0 } });
  await post("POST /tenants/:tenantId/users/disconnect", of, { user: "ada" });
  await post("POST /tenants/:tenantId/users/disconnect-all", of);
  const device = { tenant_id: tenantId, user_id: "ada", device_id: "phone", kind: "fcm" } as const;
  await admin.db
    .insertInto("devices")
    .values({ ...device, id: randomUUID(), token: "", token_hash: "" })
    .execute();
  const ofAda = { user: "ada", device: "phone" };
  await post("POST /tenants/:tenantId/users/devices/delete", of, ofAda);
  await post("POST /tenants/:tenantId/users/token", of, { user: "ada" });
  const topicKey = { tenantId, topicKey: "news" };
  const topic = "/tenants/:tenantId/topics/:topicKey" as const;
  await post("POST /tenants/:tenantId/topics", of, { key: "news", userIds: "ada\nbob" });
  await post(`POST ${topic}/add`, topicKey, { userIds: "cleo" });
  await post(`POST ${topic}/remove`, topicKey, { userId: "bob" });
  const lines = { kind: "members", topic: "news", lines: "userId\ndora" };
  await post("POST /tenants/:tenantId/imports", of, lines);
  const found = await admin.db.selectFrom("imports").select("id").executeTakeFirstOrThrow();
  const importId = { tenantId, importId: found.id };
  await post("POST /tenants/:tenantId/imports/:importId/cancel", importId);
  await post(`POST ${topic}/delete`, topicKey);
  await post("POST /tenants/:tenantId/categories", of, { label: "Offers" });
  const offers = { tenantId, categoryKey: "offers" };
  const category = "/tenants/:tenantId/categories/:categoryKey" as const;
  await post(`POST ${category}`, offers, { label: "Offers and news" });
  await post(`POST ${category}/move`, offers, { place: "1" });
  await post(`POST ${category}/assign`, offers, { eventType: "sale" });
  await post(`POST ${category}/unassign`, offers, { eventType: "sale" });
  const off = { user: "ada", category: "offers", channel: "EMAIL", to: "off" };
  await post("POST /tenants/:tenantId/users/edit", of, { user: "new", email: "new@example.com" });
  await post("POST /tenants/:tenantId/users/erase", of, { user: "new", typed: "new" });
  await post("POST /tenants/:tenantId/users/preferences", of, off);
  await post("POST /tenants/:tenantId/users/import", of, { lines: "ada,offers,SMS" });
  await post(`POST ${category}/delete`, offers);
  await storeDeadLetters(admin, tenantId, 2);
  const [letter, other] = await admin.db.selectFrom("deliveries").select("id").execute();
  await post("POST /tenants/:tenantId/dead-letters/replay", of, { id: letter?.id ?? "" });
  await post("POST /tenants/:tenantId/dead-letters/discard", of, { id: other?.id ?? "" });
  const event = await admin.db.selectFrom("events").select("id").executeTakeFirstOrThrow();
  const eventId = { tenantId, eventId: event.id };
  await post("POST /tenants/:tenantId/activity/:eventId/resend", eventId, {
    channel: "EMAIL",
  });
  const digest = { tenantId, digestId: await storeDigest(admin, tenantId, event.id) };
  await post("POST /tenants/:tenantId/digests/:digestId/release", digest);

  await storeWaiting(admin.pool, tenantId, { scheduled: 1 });
  const rested = await admin.pool.query("select event_id as id from scheduled_events");
  const resting = { tenantId, eventId: rested.rows[0].id };
  const at = new Date(Date.now() + 24 * 60 * 60_000).toISOString().slice(0, 16);
  await post("POST /tenants/:tenantId/waiting/:eventId/move", resting, { at });
  const move = (await entries(admin))[0];
  assert.deepEqual(
    [move?.action, move?.target, move?.after],
    ["event.move", `event ${resting.eventId}`, { sendAt: `${at}:00.000Z` }],
  );
  await post("POST /tenants/:tenantId/waiting/:eventId/release", resting);
  await post("POST /tenants/:tenantId/waiting/:eventId/cancel", resting);

  const news = { eventType: "news", channel: "PUSH", title: "News", content: "News" } as const;
  await putTemplate(admin.db, { tenantId, ...news });
  const sent = await post("POST /tenants/:tenantId/broadcasts", of, {
    ...{ eventType: "news", userIds: "ada\nbob", sampleVariables: "{}" },
  });
  const broadcast = { tenantId, broadcastId: sent.id ?? "" };
  for (const verb of ["pause", "resume", "cancel"] as const) {
    await post(`POST /tenants/:tenantId/broadcasts/:broadcastId/${verb}`, broadcast);
  }
  const cancelled = (await entries(admin))[0];
  assert.deepEqual(
    [cancelled?.action, cancelled?.target],
    ["broadcast.cancel", `broadcast ${sent.id}`],
  );

  const told = await auditedWebhooks(admin, post, tenantId);

  const email = "eve@example.com";
  await post("POST /tenants/:tenantId/members/invite", of, { email, role: "editor" });
  const invitationId = await idOf(admin, "invitations", email);
  const invitation = { tenantId, invitationId };
  await post("POST /tenants/:tenantId/invitations/:invitationId/withdraw", invitation);
  const again = { email, role: "editor" };
  const answer = await operator.post(`/tenants/${tenantId}/members/invite`, again);
  const link = /(\/join\/[\w-]+)/.exec(await operator.page(answer))?.[1] ?? "";
  await admin.browser().join(link, { email, name: "editor" });
  const joined = (await entries(admin))[0];
  assert.deepEqual([joined?.action, joined?.person], ["member.join", "editor <eve@example.com>"]);
  done.add("POST /join/:token");
  const member = { tenantId, personId: await idOf(admin, "people", email) };
  await post("POST /tenants/:tenantId/members/:personId/role", member, { role: "viewer" });
  await post("POST /tenants/:tenantId/members/:personId/reset-link", member);
  await post("POST /tenants/:tenantId/members/:personId/remove", member);
  const madeKey = await post("POST /platform-keys", {}, { name: "pipeline" });
  const platformKey = /bfp_\w{40}/.exec(madeKey.html)?.[0] ?? "none";
  const { id: keyOfPlatform } = await admin.db
    .selectFrom("platform_keys")
    .select("id")
    .executeTakeFirstOrThrow();
  await post("POST /platform-keys/:keyId/revoke", { keyId: keyOfPlatform });
  const others = "otto@example.com";
  await post("POST /operators/invite", {}, { email: others });
  const open = { invitationId: await idOf(admin, "invitations", others) };
  await post("POST /operators/invitations/:invitationId/withdraw", open);
  await admin.pool.query("update people set operator = true where email = $1", [email]);
  const linked = await post("POST /operators/:personId/reset-link", member);
  await post("POST /operators/:personId/remove", member);

  const { id: going } = await createTenant(admin.db, { name: "Going" });
  await post("POST /tenants/:tenantId/delete", { tenantId: going }, { typed: "Going" });
  const sessions = await admin.db.selectFrom("sessions").select(["id", "person_id"]).execute();
  assert.equal(sessions.length, 2);
  await admin.pool.query(
    "update sessions set person_id = (select id from people where email = 'op@example.com')",
  );
  const ended = sessions.find((one) => one.person_id === member.personId);
  await post("POST /account/sessions/:sessionId/end", { sessionId: ended?.id ?? "" });
  await post("POST /account/sessions/end-others", {});
  told.push(...(await auditedTwoFactor(admin, operator, post, { nowMs, member })));
  await admin.pool.query(
    "insert into person_identities (issuer, subject, person_id, by_hand) select 'i', 's', id, true from people where email = 'op@example.com'",
  );
  await post("POST /account/identities/disconnect", {}, { issuer: "i" });
  for (const route of [
    "POST /tenants/:tenantId/members/:personId/disconnect-identity",
    "POST /operators/:personId/disconnect-identity",
  ] as const) {
    await admin.pool.query(
      "insert into person_identities (issuer, subject, person_id, by_hand) values ('i', 's', $1, true)",
      [member.personId],
    );
    await post(route, member);
  }
  const password = "another quiet sentence";
  await post("POST /account/password", {}, { current: "correct horse battery", password });

  const reset = /(\/reset\/[\w-]+)/.exec(linked.html)?.[1] ?? "";
  const twice = { password, repeated: password };
  assert.equal((await admin.browser().post(reset, twice, { from: reset })).status, 303);
  const used = (await entries(admin))[0];
  assert.deepEqual([used?.action, used?.target], ["account.reset-password", email]);
  done.add("POST /reset/:token");

  const all = JSON.stringify(await entries(admin));
  const apiKey = /id="api-key">([^<]+)/.exec(key.html)?.[1] ?? "none";
  const whsec = /id="webhook-secret">([^<]+)/.exec(secret.html)?.[1] ?? "none";
  for (const hidden of [
    "SG.0123456789-secret",
    apiKey,
    platformKey,
    whsec,
    password,
    reset.slice(7),
    ...told,
  ]) {
    assert.ok(hidden.length > 10 && !all.includes(hidden), hidden);
  }
  await post("POST /alerts", {}, { "cap-reached": "on" });
  const [ofAlerts] = await entries(admin);
  assert.deepEqual(
    [ofAlerts?.action, ofAlerts?.target, ofAlerts?.tenant_id, ofAlerts?.after],
    ["account.alerts", "op@example.com", null, { alerts: ["cap-reached"], chat: null }],
  );
  await post("POST /alerts/sender", {}, { tenant: tenantId });
  const [ofSender] = await entries(admin);
  assert.deepEqual(
    [ofSender?.action, ofSender?.before, ofSender?.after],
    ["platform.mail-tenant", { tenantId: null }, { tenantId }],
  );
  const owner = await admin.person({
    ...{ email: "own@example.com", name: "Otto Owner" },
    of: { tenantId, role: "owner" },
  });
  const ofOwn = "POST /tenants/:tenantId/alerts";
  await logged(
    ofOwn,
    () => owner.post(pathOf(ofOwn, of), { "dead-letters": "on" }),
    "Otto Owner <own@example.com>",
  );
  const [ofOwner] = await entries(admin);
  assert.deepEqual(
    [ofOwner?.action, ofOwner?.tenant_id, ofOwner?.after],
    ["account.alerts", tenantId, { alerts: ["dead-letters"], chat: null }],
  );
  assert.deepEqual(ofOwner?.before, { alerts: defaultAlerts("owner"), chat: null });

  const upload = "POST /tenants/:tenantId/images";
  const file = new FormData();
  file.append("_token", await operator.token("/account"));
  file.append("file", new Blob([new Uint8Array(PNG)]), "logo.png");
  await logged(upload, () => operator.raw(pathOf(upload, of), { method: "POST", body: file }));
  const [ofImage] = await entries(admin);
  assert.deepEqual([ofImage?.action, ofImage?.target], ["image.upload", "logo.png"]);
  const imageId = String(ofImage?.after?.id);
  await post("POST /tenants/:tenantId/images/:imageId/delete", { tenantId, imageId });
  const [ofDeleted] = await entries(admin);
  assert.deepEqual([ofDeleted?.action, ofDeleted?.before], ["image.delete", ofImage?.after]);

  const missing = Object.keys(ACCESS).filter(
    (route) => route.startsWith("POST ") && !done.has(route) && !NOT_LOGGED.includes(route),
  );
  assert.deepEqual(missing, []);
  const newest = await operator.text(`/tenants/${tenantId}/audit`);
  const older = /href="(\?before=[^"]+)"/.exec(newest)?.[1] ?? "";
  const html = await operator.text(`/tenants/${tenantId}/audit${older}`);
  assert.match(html, /perMinute<\/code>\s+<del>600<\/del>.*?<ins>7<\/ins>/s);
});

async function entries({ db }: AdminUnderTest) {
  return await db.selectFrom("audit_log").selectAll().orderBy("id", "desc").execute();
}

/** One that is open, of one event. */
async function storeDigest({ pool }: AdminUnderTest, tenantId: string, eventId: string) {
  const { rows } = await pool.query(
    `with g as (
       insert into digests (id, tenant_id, event_type, channel, user_id, locale, key, opened_at, window_ends_at)
       values (gen_random_uuid(), $1, 'sale', 'SMS', 'ada', '', '', now(), now() + interval '1 hour') returning id
     ), i as (
       insert into digest_items (digest_id, event_id, added_at) select id, $2, now() from g
     )
     insert into deliveries (id, event_id, tenant_id, channel, template_version_id, due_at)
     select gen_random_uuid(), id, $1, 'SMS', 1, now() + interval '1 hour' from g returning event_id`,
    [tenantId, eventId],
  );
  return rows[0].event_id as string;
}

async function idOf({ pool }: AdminUnderTest, table: string, email: string): Promise<string> {
  const { rows } = await pool.query(
    `select id from ${table} where email = $1 order by id desc limit 1`,
    [email],
  );
  return rows[0].id;
}
