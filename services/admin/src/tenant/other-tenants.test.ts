import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { openErasure } from "@belfry/administration/erasure/erasures";
import { uploadImage } from "@belfry/administration/images/images";
import { invite } from "@belfry/administration/people/invitations";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn, putActiveProvider } from "@belfry/administration/test/acts";
import { PNG } from "@belfry/administration/test/image-samples";
import { putTemplate } from "@belfry/administration/test/templates";
import { putCategory } from "@belfry/administration/users/categories";
import { storeOutboxMessage } from "@belfry/database/outbox";
import { anEvent } from "@belfry/testing/rows";
import { type AdminUnderTest, startAdmin, startForTenant } from "../../test/start-admin.ts";
import { storeBroadcast, storeTopic } from "../../test/store-broadcasts.ts";
import { storeWaiting } from "../../test/store-waiting.ts";
import { storeMessage, storeWebhook } from "../../test/store-webhooks.ts";
import { ACCESS, type RouteKey } from "../page/access.ts";

/** A tenant with one of everything that has an id in an address. */
async function fullTenant(admin: AdminUnderTest, name: string) {
  const { db, pool, keys } = admin;
  const { id } = await createTenant(db, { name });
  const order = { tenantId: id, eventType: "order", channel: "SMS" } as const;
  await putTemplate(db, { ...order, content: "older" });
  const template = await putTemplate(db, { ...order, content: "x" });
  const sandbox = { tenantId: id, channel: "SMS", kind: "sandbox", settings: {} } as const;
  await putActiveProvider(db, { ...sandbox, name: "first" }, { keys });
  const provider = await putActiveProvider(db, { ...sandbox, position: 1 }, { keys });
  const invitation = {
    tenantId: id,
    role: "viewer",
    email: "v@example.com",
    invitedBy: null,
    byOperator: true,
  } as const;
  await invite(db, invitation);
  const image = { name: "logo", data: PNG.toString("base64") };
  const { id: imageId } = await actsIn(db, id, { publicUrl: async () => "" })(uploadImage, image);
  const eventId = await anEvent(pool, { tenant_id: id, event_type: "order" });
  const fileId = randomUUID();
  await pool.query(
    `insert into attachments (id, tenant_id, name, type, bytes, sha256, complete, named, created_at)
     values ($1, $2, 'a.pdf', 'application/pdf', 1, '', true, true, now())`,
    [fileId, id],
  );
  await pool.query("insert into attachment_chunks values ($1, 0, 'x')", [fileId]);
  await pool.query("insert into event_attachments values ($1, 1, $2)", [eventId, fileId]);
  const messageId = await storeOutboxMessage(db, {
    ...{ deliveryId: eventId, tenantId: id, eventId, channel: "EMAIL", to: "a@example.com" },
    ...{ subject: "s", html: "<p>s</p>", text: "s", segments: null },
  });
  const { id: erasureId } = await openErasure(db, { tenantId: id, userId: "ann" });
  await storeWaiting(pool, id, { scheduled: 1, digests: 1 });
  const broadcastId = await storeBroadcast(pool, id);
  await pool.query(
    `insert into imports (id, tenant_id, kind, person, address) values (gen_random_uuid(), $1, 'users', 'Ann', '::1')`,
    [id],
  );
  const topicKey = `topic-of-${name}`;
  await storeTopic(pool, id, topicKey, ["ann"]);
  const { id: webhookId } = await storeWebhook(admin, id);
  const toldId = await storeMessage(
    admin,
    { tenantId: id, webhookId },
    { status: "failed", tries: [500] },
  );
  const categoryKey = name.toLowerCase();
  await actsIn(db, id)(putCategory, { key: categoryKey, label: { "": name } });
  const idOf = async (table: string, column = "id") => {
    const found = await pool.query(`select ${column} as id from ${table} where tenant_id = $1`, [
      id,
    ]);
    return String(found.rows[0]?.id);
  };
  return {
    id,
    ids: async () => ({
      ...{ eventId, position: "1", messageId, templateId: template.id, providerId: provider.id },
      ...{ categoryKey, erasureId, webhookId, toldId, imageId, broadcastId, topicKey },
      keyId: await idOf("api_keys"),
      importId: await idOf("imports"),
      digestId: await idOf("digests"),
      restingId: await idOf("scheduled_events", "event_id"),
      personId: await idOf("memberships", "person_id"),
      invitationId: await idOf("invitations"),
    }),
    /** All that a request could have changed. */
    state: async () => {
      const tables = ["templates", "template_versions", "providers", "api_keys", "memberships"];
      tables.push(
        "invitations",
        "events",
        "outbox",
        "layouts",
        "images",
        "categories",
        "event_type_categories",
      );
      tables.push("template_variants", "template_drafts", "erasures");
      tables.push("scheduled_events", "digests", "deliveries", "webhooks", "webhook_messages");
      tables.push("broadcasts", "topics", "topic_members", "imports");
      const state: Record<string, unknown> = {};
      for (const table of tables) {
        const where = table.startsWith("template_")
          ? "template_id in (select id from templates where tenant_id = $1)"
          : "tenant_id = $1";
        const found = await pool.query(`select * from ${table} where ${where} order by 1, 2`, [id]);
        state[table] = found.rows;
      }
      return state;
    },
  };
}

test("another tenant's id in any address is as unknown as none, and nothing of theirs changes", async (t) => {
  const admin = await startAdmin(t);
  const own = await fullTenant(admin, "Own");
  const other = await fullTenant(admin, "Other");
  await admin.operator();
  const owner = await admin.person({
    ...{ email: "owner@example.com", name: "owner", of: { tenantId: own.id, role: "owner" } },
  });
  await admin.person({
    ...{ email: "editor@example.com", name: "editor", of: { tenantId: other.id, role: "editor" } },
  });
  const before = await other.state();
  const ids: Record<string, string> = await other.ids();
  const _token = await owner.token("/account");
  // Operators' routes are refused to an owner, whatever the id.
  const routes = (Object.keys(ACCESS) as RouteKey[])
    .filter((key) => /\/:tenantId\/.*:/.test(key))
    .filter((key) => ACCESS[key] !== "operator");
  assert.ok(routes.length > 20);
  const wrong: string[] = [];
  for (const key of routes) {
    const [method, pattern = ""] = key.split(" ");
    const path = pattern
      .replace(":tenantId", own.id)
      .replaceAll(/:(\w+)/g, (_, name: string) => idOf(ids, key, name) ?? assert.fail(name));
    const body = new URLSearchParams({
      _token,
      role: "owner",
      to: "+12025550123",
      version: "1",
      eventType: "x",
    });
    const answer =
      method === "GET" ? await owner.get(path) : await owner.raw(path, { method: "POST", body });
    if (answer.status !== (OWN[key] ?? 404)) wrong.push(`${key}: ${answer.status}`);
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual(await other.state(), before);
  assert.equal(admin.published.length, 0);

  // The same addresses with ids of one's own are there: it is the tenant that is missing.
  const mine: Record<string, string> = await own.ids();
  for (const key of routes.filter((route) => route.startsWith("GET "))) {
    const path = (key.split(" ")[1] ?? "")
      .replace(":tenantId", own.id)
      .replaceAll(/:(\w+)/g, (_, name: string) => idOf(mine, key, name) ?? "");
    const { status } = await owner.get(path);
    // The event was dispatched to nobody: it has no mail to show.
    assert.equal(status, path.endsWith(`${mine.eventId}/document`) ? 404 : 200, key);
  }
});

/**
 * Routes that never reach another tenant's data: a user is added to one's own topic with that key, and a bad upload is
 * refused before its topic or import is looked up.
 */
const OWN: Partial<Record<RouteKey, number>> = {
  "POST /tenants/:tenantId/topics/:topicKey/add": 303,
  "POST /tenants/:tenantId/topics/:topicKey/remove": 422,
  "POST /tenants/:tenantId/imports/:importId/parts": 422,
};

/** The event that is named where something waits is one that rests; the message of an endpoint is no mail. */
function idOf(ids: Readonly<Record<string, string>>, route: string, name: string) {
  if (route.includes("/waiting/") && name === "eventId") return ids.restingId;
  return ids[route.includes("/webhooks/") && name === "messageId" ? "toldId" : name];
}

test("nobody ends another's session, and a person who is no member of the tenant cannot be changed in it", async (t) => {
  const { admin, operator, id } = await startForTenant(t);
  const owner = await admin.person({
    ...{ email: "owner@example.com", name: "owner", of: { tenantId: id, role: "owner" } },
  });
  const sessions = await admin.db
    .selectFrom("sessions as s")
    .innerJoin("people as p", "p.id", "s.person_id")
    .select(["s.id", "p.id as personId", "p.email"])
    .execute();
  const olga = sessions.find(({ email }) => email === "op@example.com");
  await owner.post(`/account/sessions/${olga?.id}/end`);
  assert.equal((await operator.get("/tenants")).status, 200);
  const remove = await owner.post(`/tenants/${id}/members/${olga?.personId}/remove`);
  assert.equal(remove.status, 404);
});
