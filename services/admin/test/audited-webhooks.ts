import assert from "node:assert/strict";
import type { ACCESS } from "../src/page/access.ts";
import type { AdminUnderTest } from "./start-admin.ts";
import { storeMessage } from "./store-webhooks.ts";

/** Posts a form as the operator, and sees to it that one entry more is in the log. */
export type Post = (
  route: keyof typeof ACCESS,
  ids: Record<string, string>,
  fields?: Record<string, string>,
) => Promise<{ html: string; id: string | undefined }>;

/**
 * For the test of the audit log: all that is done with an endpoint and its messages, and what the log says of
 * each. Returns what must be nowhere in the log.
 */
export async function auditedWebhooks(admin: AdminUnderTest, post: Post, tenantId: string) {
  const newest = async () => {
    const log = admin.db.selectFrom("audit_log").orderBy("id", "desc").limit(1);
    return await log.select(["action", "target", "before", "after"]).executeTakeFirstOrThrow();
  };
  const hooks = "https://hooks.example.com";
  const url = `${hooks}/a?token=query-secret-1`;
  const form = { description: "Orders", which: "all" };
  const made = await post("POST /tenants/:tenantId/webhooks", { tenantId }, { ...form, url });
  const of = { tenantId, webhookId: made.id ?? "" };
  const first = {
    ...{ id: of.webhookId, url: `${hooks}/a?…`, types: "all" },
    ...{ description: "Orders", active: true, disabledReason: null },
  };
  const created = { action: "webhook.create", target: first.url, before: null, after: first };
  assert.deepEqual(await newest(), created);

  const path = "/tenants/:tenantId/webhooks/:webhookId" as const;
  const fields = { which: "some", types: "delivery.failed", description: "" };
  await post(`POST ${path}`, of, { ...fields, url: `${hooks}/b?token=query-secret-2` });
  const second = {
    ...first,
    ...{ url: `${hooks}/b?…`, types: ["delivery.failed"], description: null },
  };
  const target = second.url;
  const updated = { action: "webhook.update", target };
  assert.deepEqual(await newest(), { ...updated, before: first, after: second });
  const off = { ...second, active: false };
  await post(`POST ${path}/deactivate`, of);
  assert.deepEqual(await newest(), { ...updated, before: second, after: off });
  await post(`POST ${path}/activate`, of);
  assert.deepEqual(await newest(), { ...updated, before: off, after: second });

  const rotated = await post(`POST ${path}/rotate-secret`, of);
  const { after: ofRotated, ...rotation } = await newest();
  assert.deepEqual(rotation, { action: "webhook.rotate-secret", target, before: null });
  assert.deepEqual(Object.keys(ofRotated ?? {}).sort(), ["secret", "theOneBeforeSignsUntil"]);

  const { id: test = "" } = await post(`POST ${path}/test`, of);
  const tested = { action: "webhook.test", target, before: null, after: { messageId: test } };
  assert.deepEqual(await newest(), tested);
  const messageId = await storeMessage(admin, of, { status: "failed", tries: [500] });
  const sent = await post(`POST ${path}/messages/:messageId/resend`, { ...of, messageId });
  const copied = { messageId: sent.id, headerId: messageId };
  const resent = { action: "webhook.resend", target, before: null, after: copied };
  assert.deepEqual(await newest(), resent);
  await storeMessage(admin, of, { status: "failed", tries: [500] });
  const since = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16);
  await post(`POST ${path}/replay`, of, { since, which: "missed" });
  const replay = {
    since: `${since}:00.000Z`,
    until: "now",
    all: false,
    replayed: 1,
    more: false,
  };
  const replayed = { action: "webhook.replay", target, before: null, after: replay };
  assert.deepEqual(await newest(), replayed);
  await post(`POST ${path}/delete`, of);
  const deleted = { action: "webhook.delete", target, before: second, after: null };
  assert.deepEqual(await newest(), deleted);

  const secrets = [made, rotated].map(
    ({ html }) => /id="webhook-secret">([^<]+)/.exec(html)?.[1] ?? "none",
  );
  return ["query-secret-1", "query-secret-2", ...secrets];
}
