import assert from "node:assert/strict";
import { test } from "node:test";
import { openErasure } from "@belfry/administration/erasure/erasures";
import { invite } from "@belfry/administration/people/invitations";
import { makeResetLink } from "@belfry/administration/people/password-resets";
import { insertPerson } from "@belfry/administration/people/person-rows";
import { assertEach } from "@belfry/testing/assert-each";
import { SCRIPT } from "@belfry/testing/hostile";
import { hostileSession, hostileTenant } from "../test/hostile-tenant.ts";
import { hiddenFields } from "../test/publish-by-form.ts";
import { startForOperator } from "../test/start-admin.ts";
import { bucketsOf } from "../test/store-mails.ts";
import { ACCESS } from "./page/access.ts";
import { countActivity } from "./tenant/count-activity.ts";

const ENCODED = encodeURIComponent(SCRIPT);
const ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;";

test("what a tenant, its users or a vendor write is text on every page, in every field", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const tenant = await hostileTenant(admin);
  await hostileSession(admin, "op@example.com");
  const email = "new@example.com";
  const { token } = await invite(admin.db, {
    ...{ tenantId: tenant.id, role: "owner", email, invitedBy: null, byOperator: true },
  });
  const hostile = { email: `${SCRIPT}@example.com`, name: SCRIPT, password: null, operator: false };
  const personId = await insertPerson(admin.db, hostile);
  const reset = await makeResetLink(admin.db, personId, { personId: null, ownerOf: null });
  const base = `/tenants/${tenant.id}`;
  const gone = { tenantId: tenant.id, userId: "gone" };
  const { id: erasureId } = await openErasure(admin.db, gone);
  await admin.db
    .insertInto("tenant_deletions")
    .values({ tenant_id: "gone", name: SCRIPT, person: SCRIPT, address: "::1", deleted: "{}" })
    .execute();
  await countActivity(admin.db, bucketsOf(24 * 60 * 60_000));
  const of = { tenantId: tenant.id, role: "owner" } as const;
  const owner = await admin.person({ email: "olive@example.com", name: "Olive", of });
  /** Pages of each route that show somebody's text. */
  const pages: Record<string, string[]> = {
    "GET /tenants": ["/tenants"],
    "GET /overview": ["/overview", `/overview?by=type&show=${ENCODED}&range=${ENCODED}`],
    "GET /system": ["/system"],
    "GET /audit": ["/audit"],
    "GET /operators": ["/operators"],
    "GET /alerts": ["/alerts"],
    "GET /account": ["/account"],
    "GET /join/:token": [`/join/${token}`],
    "GET /reset/:token": [`/reset/${reset.token}`],
    "GET /tenants/:tenantId": [base, `${base}?by=provider`, `${base}?by=template`],
    "GET /tenants/:tenantId/settings": [`${base}/settings`],
    "GET /search": [`/search?q=${ENCODED}2`],
    "GET /tenants/:tenantId/delete": [`${base}/delete`],
    "GET /deletions/:deletedId": ["/deletions/gone"],
    "GET /tenants/:tenantId/search": [`${base}/search`, `${base}/search?q=${ENCODED}2`],
    "GET /tenants/:tenantId/activity": [
      `${base}/activity`,
      `${base}/activity?event=${ENCODED}2&type=${ENCODED}&user=${ENCODED}&from=${ENCODED}`,
      `${base}/activity?trace=${ENCODED}`,
    ],
    "GET /tenants/:tenantId/activity/:eventId": [
      `${base}/activity/${tenant.eventId}`,
      `${base}/activity/${tenant.restingId}`,
    ],
    "GET /tenants/:tenantId/waiting": [
      `${base}/waiting`,
      `${base}/waiting?why=retry`,
      `${base}/waiting?user=${ENCODED}&digest=${tenant.digestId}&why=${ENCODED}`,
    ],
    "GET /tenants/:tenantId/waiting/:eventId/move": [`${base}/waiting/${tenant.restingId}/move`],
    "GET /tenants/:tenantId/digests/:digestId": [`${base}/digests/${tenant.digestId}`],
    "GET /tenants/:tenantId/outbox": [`${base}/outbox`],
    "GET /tenants/:tenantId/outbox/:messageId": [`${base}/outbox/${tenant.messageId}`],
    "GET /tenants/:tenantId/users": [
      `${base}/users?search=${ENCODED}`,
      `${base}/users`,
      `${base}/users?user=${ENCODED}`,
    ],
    "GET /tenants/:tenantId/users/edit": [
      `${base}/users/edit`,
      `${base}/users/edit?user=${ENCODED}`,
    ],
    "GET /tenants/:tenantId/users/erase": [`${base}/users/erase?user=${ENCODED}`],
    "GET /tenants/:tenantId/users/erasures/:erasureId": [`${base}/users/erasures/${erasureId}`],
    "GET /tenants/:tenantId/users/import": [`${base}/users/import`],
    "GET /tenants/:tenantId/replies": [`${base}/replies`, `${base}/replies?number=${ENCODED}`],
    "GET /tenants/:tenantId/topics": [`${base}/topics?after=${ENCODED}`],
    "GET /tenants/:tenantId/topics/:topicKey": [
      `${base}/topics/news`,
      `${base}/topics/news?search=${ENCODED}&after=${ENCODED}`,
    ],
    "GET /tenants/:tenantId/imports": [`${base}/imports?topic=${ENCODED}&after=${ENCODED}`],
    "GET /tenants/:tenantId/imports/:importId": [`${base}/imports/${tenant.importId}`],
    "GET /tenants/:tenantId/categories": [`${base}/categories`],
    "GET /tenants/:tenantId/categories/:categoryKey": [`${base}/categories/offers`],
    "GET /tenants/:tenantId/dead-letters": [`${base}/dead-letters`],
    "GET /tenants/:tenantId/dead-letters/replay": [`${base}/dead-letters/replay`],
    "GET /tenants/:tenantId/dead-letters/discard": [`${base}/dead-letters/discard`],
    "GET /tenants/:tenantId/broadcasts": [`${base}/broadcasts`],
    "GET /tenants/:tenantId/broadcasts/new": [
      `${base}/broadcasts/new`,
      `${base}/broadcasts/new?eventType=${ENCODED}`,
    ],
    "GET /tenants/:tenantId/broadcasts/:broadcastId": [`${base}/broadcasts/${tenant.broadcastId}`],
    "GET /tenants/:tenantId/suppressions": [
      `${base}/suppressions`,
      `${base}/suppressions?search=${ENCODED}`,
    ],
    "GET /tenants/:tenantId/suppressions/import": [`${base}/suppressions/import`],
    "GET /tenants/:tenantId/templates": [`${base}/templates`],
    "GET /tenants/:tenantId/templates/new": [`${base}/templates/new?eventType=${ENCODED}`],
    "GET /tenants/:tenantId/templates/:templateId": [`${base}/templates/${tenant.templateId}`],
    "GET /tenants/:tenantId/templates/:templateId/versions": [
      `${base}/templates/${tenant.templateId}/versions`,
    ],
    "GET /tenants/:tenantId/templates/:templateId/publish": [
      `${base}/templates/${tenant.templateId}/publish`,
    ],
    "GET /tenants/:tenantId/templates/:templateId/copy": [
      `${base}/templates/${tenant.templateId}/copy`,
    ],
    "GET /tenants/:tenantId/design": [`${base}/design`],
    "GET /platform-keys": ["/platform-keys"],
    "GET /tenants/:tenantId/environment": [`${base}/environment`],
    "GET /tenants/:tenantId/environment/promotion": [`${base}/environment/promotion`],
    "GET /tenants/:tenantId/providers": [`${base}/providers`],
    "GET /tenants/:tenantId/providers/new": [`${base}/providers/new?channel=EMAIL&kind=sendgrid`],
    "GET /tenants/:tenantId/providers/:providerId": [`${base}/providers/${tenant.providerId}`],
    "GET /tenants/:tenantId/keys": [`${base}/keys`],
    "GET /tenants/:tenantId/webhooks": [`${base}/webhooks`],
    "GET /tenants/:tenantId/webhooks/new": [`${base}/webhooks/new`],
    "GET /tenants/:tenantId/webhooks/:webhookId": [
      `${base}/webhooks/${tenant.webhookId}`,
      `${base}/webhooks/${tenant.webhookId}?state=${ENCODED}&before=${ENCODED}`,
    ],
    "GET /tenants/:tenantId/webhooks/:webhookId/edit": [
      `${base}/webhooks/${tenant.webhookId}/edit`,
    ],
    "GET /tenants/:tenantId/webhooks/:webhookId/replay": [
      `${base}/webhooks/${tenant.webhookId}/replay?since=${ENCODED}`,
    ],
    "GET /tenants/:tenantId/webhooks/:webhookId/messages/:messageId": [
      `${base}/webhooks/${tenant.webhookId}/messages/${tenant.webhookMessageId}`,
    ],
    "GET /tenants/:tenantId/members": [`${base}/members`],
    "GET /tenants/:tenantId/alerts": [`${base}/alerts`],
    "GET /tenants/:tenantId/audit": [`${base}/audit`],
  };
  for (const path of Object.values(pages).flat()) {
    // An operator has alerts of all tenants.
    const signedIn = path === `${base}/alerts` ? owner : operator;
    const browser = /^\/(join|reset)/.test(path) ? admin.browser() : signedIn;
    const html = await browser.text(path);
    assert.ok(!html.includes("<script>alert"), path);
    assert.ok(!html.includes("<img src=x"), path);
    // Pages without the tenant's name in their frame show no foreign text.
    const isBare = path === "/system" || /\/providers\/new/.test(path);
    assert.ok(isBare || html.includes(ESCAPED), `nothing to see at ${path}`);
  }
  const others = Object.keys(ACCESS).filter((key) => key.startsWith("GET ") && !(key in pages));
  assert.deepEqual(others, [
    ...["GET /", "GET /*", "GET /assets/*", "GET /sign-in", "GET /sign-in/code"],
    // They lead elsewhere, or say in words of ours why not.
    ...["GET /sign-in/oidc", "GET /sign-in/oidc/callback"],
    ...["GET /preview-frame", "GET /account/two-factor", "GET /account/identities/connect"],
    "GET /tenants/new",
    "GET /tenants/:tenantId/activity/:eventId/document",
    "GET /tenants/:tenantId/activity/:eventId/attachments/:position",
    "GET /tenants/:tenantId/broadcasts/topics",
    "GET /tenants/:tenantId/outbox/:messageId/document",
    "GET /tenants/:tenantId/templates/starter",
    "GET /tenants/:tenantId/templates/:templateId/preview",
    "GET /tenants/:tenantId/templates/:templateId/sample",
    "GET /tenants/:tenantId/images",
  ]);
});

test("what is typed into a form comes back as text, whatever is wrong with it", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const tenant = await hostileTenant(admin);
  const base = `/tenants/${tenant.id}`;
  const fields = Object.fromEntries(
    [
      ...["name", "perMinute", "email", "role", "content", "subject", "title", "eventType"],
      ...["sampleVariables", "targetChannel", "address", "overlapHours", "to", "password"],
      ...["settings.apiKey", "settings.from", "maxPerSecond", "expiresAfterSeconds", "next"],
      ...["url", "actionLabel", "actionUrl", "requiredVariables", "starter", "logoUrl", "address"],
      ...["primaryColor", "footerText", "tenantId"],
      ...["fromName", "replyTo", "cc", "bcc"],
      ...["key", "label", "description", "lines", "category", "quietFrom", "quietTo"],
      ...["at", "from", "user", "phone", "locale", "timezone", "seen"],
      ...["types", "since", "until", "after", "kind", "topic", "userIds"],
      ...["topics", "moreTopics", "exceptUserIds", "sendAt", "channels"],
    ].map((name) => [name, SCRIPT]),
  );
  for (const path of [
    "/tenants",
    "/operators/invite",
    `${base}/settings`,
    `${base}/members/invite`,
    `${base}/templates`,
    `${base}/design`,
    `${base}/providers/${tenant.providerId}`,
    `${base}/providers/${tenant.providerId}/test`,
    `${base}/suppressions`,
    `${base}/keys/rotate`,
    `${base}/categories`,
    `${base}/categories/offers`,
    `${base}/users/import`,
    `${base}/topics`,
    `${base}/imports`,
    `${base}/users/preferences`,
    `${base}/users/edit`,
    `${base}/users/erase`,
    `${base}/waiting/${tenant.restingId}/move`,
    `${base}/broadcasts`,
    `${base}/broadcasts/check`,
    `${base}/webhooks`,
    `${base}/webhooks/${tenant.webhookId}`,
    `${base}/webhooks/${tenant.webhookId}/replay`,
  ]) {
    // The text alone is a valid name of a category.
    const given = path.endsWith("/offers") ? { ...fields, label: SCRIPT.repeat(2) } : fields;
    const answer = await operator.post(path, given);
    assert.equal(answer.status, 422, path);
    const html = await answer.text();
    assert.ok(!html.includes("<script>alert"), path);
    assert.ok(!html.includes("<img src=x"), path);
  }
  const broadcast = {
    ...{ eventType: SCRIPT, userIds: SCRIPT, exceptUserIds: `${SCRIPT}2` },
    sampleVariables: JSON.stringify({ x: SCRIPT }),
  };
  const checked = await operator.post(`${base}/broadcasts/check`, broadcast);
  assert.equal(checked.status, 303);
  const check = await operator.page(checked);
  assert.ok(check.includes(ESCAPED) && check.includes("Who gets it"));
  assert.ok(!check.includes("<script>alert") && !check.includes("<img src=x"));
  // A draft keeps whatever is typed: it comes back on the pages behind it.
  const editor = `${base}/templates/${tenant.templateId}`;
  const shown = { ...fields, ...hiddenFields(await operator.text(editor)) };
  assert.equal((await operator.post(editor, shown)).status, 303);
  const { revision: _, ...stale } = shown;
  const answers = [
    await operator.get(editor),
    await operator.get(`${editor}?locale=de`),
    await operator.get(`${editor}/publish`),
    await operator.post(editor, { ...stale, content: `${SCRIPT} again` }),
    await operator.post(`${editor}/copy`, { eventType: "\u0000", tenantId: tenant.id }),
  ];
  assertEach(answers, ({ status }) => status, [200, 200, 200, 409, 422]);
  for (const answer of answers) {
    const html = await answer.text();
    assert.ok(!html.includes("<script>alert"), answer.url);
    assert.ok(!html.includes("<img src=x"), answer.url);
    assert.ok(html.includes(ESCAPED), answer.url);
  }
  const account = { channel: "EMAIL", kind: "sendgrid" };
  const provider = await operator.post(`${base}/providers`, { ...fields, ...account });
  assert.equal(provider.status, 422);
  assert.ok(!(await provider.text()).includes("<script>alert"));
  const guest = await admin
    .browser()
    .post("/sign-in", { ...fields, email: `2${SCRIPT}` }, { from: "/sign-in" });
  assert.equal(guest.status, 422);
  assert.ok(!(await guest.text()).includes("<script>alert"));
});

test("a mail is shown under a policy of its own: no script, no form, no origin", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const tenant = await hostileTenant(admin);
  const path = `/tenants/${tenant.id}/outbox/${tenant.messageId}`;
  assert.match(await operator.text(path), /<iframe class="mail" sandbox=""/);
  const mail = await operator.get(`${path}/document`);
  const policy = mail.headers.get("content-security-policy") ?? "";
  assert.match(
    policy,
    /^sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data: https:/,
  );
  assert.match(policy, /form-action 'none'; frame-ancestors 'self'/);
  assert.ok((await mail.text()).includes("<script>alert"), "as it was sent");
  const frame = await operator.get("/preview-frame");
  assert.match(frame.headers.get("content-security-policy") ?? "", /^sandbox allow-scripts; /);
});
