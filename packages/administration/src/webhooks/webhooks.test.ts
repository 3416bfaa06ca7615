import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { WEBHOOK_TYPES, type WebhookType } from "@belfry/contracts/webhook-payload";
import { decryptSecret, webhookOwner } from "@belfry/database/secrets";
import { assertHas } from "@belfry/testing/assert-has";
import { TEST_KEYS } from "../../test/database.ts";
import { webhookActs, webhookWorld } from "../../test/webhook-world.ts";
import { NotFound } from "../input-error.ts";
import { searchAuditLog } from "../search-audit-log.ts";
import { createTenant } from "../tenants/tenants.ts";
import {
  changeWebhook,
  deleteWebhook,
  listWebhooks,
  maskedUrl,
  putWebhook,
  rotateSigningSecret,
  showWebhook,
} from "./webhooks.ts";

test("an endpoint is made with a secret that is shown once, and the same URL changes it", async (t) => {
  const { run, db, tenantId, secret, webhookId } = await webhookWorld(t);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const [made] = await run(listWebhooks, {});
  assert.deepEqual(
    [made?.url, made?.types, made?.description, made?.active, made?.disabledAt],
    ["https://example.com/hooks", [], null, true, null],
  );
  assert.equal("secret" in made!, false);
  const row = await db.selectFrom("webhooks").select("secret").executeTakeFirstOrThrow();
  assert.equal(
    await decryptSecret(TEST_KEYS, webhookOwner(tenantId, webhookId), row.secret),
    secret,
  );
  const tenant = await db
    .selectFrom("tenants")
    .select("uses_webhooks")
    .where("id", "=", tenantId)
    .executeTakeFirst();
  assert.equal(tenant?.uses_webhooks, true);

  const url = "HTTPS://Example.COM.:443/hooks";
  const after = await run(putWebhook, { url, types: ["delivery.failed"] });
  assert.deepEqual([after.types, after.id], [["delivery.failed"], webhookId]);
  assert.equal("secret" in after, false);
  const described = await run(putWebhook, { tenantId, url, description: "Orders" });
  assertHas(described, { types: ["delivery.failed"], description: "Orders" });
  await assert.rejects(run(putWebhook, { tenantId, url, only: "new" }), {
    name: "InvalidInput",
    message: "url is that of another endpoint",
  });
  const cleared = await run(putWebhook, { tenantId, url, description: "", types: [] });
  assert.deepEqual([cleared.types, cleared.description], [[], null]);
  assert.equal((await run(listWebhooks, {})).length, 1);
});

const REFUSED: Record<string, string[]> = {
  "must begin with https://": ["http://example.com/", "ftp://example.com/", "javascript:alert(1)"],
  "must be a URL, as https://example.com/webhooks": ["", "example", "https://"],
  "must not hold credentials": ["https://user:pass@example.com/", "https://user@example.com/"],
  "must not have a fragment (#)": ["https://example.com/#part", "https://example.com/#"],
  "must not hold spaces or control characters": [
    ...["https://exa mple.com/", "https://example.com/\n"],
    ...["https://example.com/\u0000", "https://example.com/\ud800"],
  ],
  "must be at a public host name": [
    ...["https://localhost/", "https://localhost./", "https://localhost../"],
    ...["https://a..example.com/", "https://printer.local/"],
    ...["https://intranet/", "https://db.internal./"],
  ],
  "must be at a public address": [
    ...["https://127.0.0.1/", "https://127.1/", "https://2130706433/", "https://0x7f000001/"],
    ...["https://0177.0.0.1/", "https://10.0.0.1./", "https://169.254.169.254/latest"],
    ...["https://[::1]/", "https://[fd00::1]/", "https://[::ffff:127.0.0.1]/"],
    ...["https://[::ffff:7f00:1]/", "https://１２７.０.０.１/"],
  ],
  "must be at most 2048 characters": [`https://example.com/${"x".repeat(2029)}`],
  "must be at most 2048 characters once it is percent-encoded": [
    `https://example.com/${"ü".repeat(400)}`,
  ],
};

test("what is no public https URL is refused, and nothing is stored", async (t) => {
  const { run, db, deps, tenantId, webhookId } = await webhookWorld(t);
  for (const [message, urls] of Object.entries(REFUSED)) {
    const refused = { name: "InvalidInput", message: `url ${message}` };
    for (const url of urls) {
      await assert.rejects(run(putWebhook, { tenantId, url }), refused, url);
      await assert.rejects(run(changeWebhook, { tenantId, webhookId, url }), refused, url);
    }
  }
  assert.equal((await run(listWebhooks, {})).length, 1);
  const local = webhookActs(db, { ...deps, allowPrivateAddresses: true }, tenantId);
  for (const url of ["http://127.0.0.1:8080/hooks", "https://localhost/", "http://[::1]/"]) {
    assert.equal((await local(putWebhook, { url })).url, url);
  }
  for (const [url, stored] of [
    ["https://münchen.example/?token=a%20b", "https://xn--mnchen-3ya.example/?token=a%20b"],
    ["https://8.8.8.8/", "https://8.8.8.8/"],
    ["https://[2606:4700::1111]/", "https://[2606:4700::1111]/"],
    [`https://example.com/${"x".repeat(2028)}`, `https://example.com/${"x".repeat(2028)}`],
  ] as const) {
    assert.equal((await run(putWebhook, { url })).url, stored);
  }
});

test("every fault of the settings is told at once, each with its field", async (t) => {
  const { run, tenantId, webhookId } = await webhookWorld(t);
  const types = ["delivery.sent"] as string[] as WebhookType[];
  const bad = { url: "http://x", types, description: "x".repeat(256) };
  const told = [
    "url must begin with https://",
    `types must be of ${WEBHOOK_TYPES.join(", ")}`,
    "description must be at most 255 characters",
  ].join("\n");
  await assert.rejects(run(putWebhook, { tenantId, ...bad }), { message: told });
  await assert.rejects(run(changeWebhook, { tenantId, webhookId, ...bad }), { message: told });
  const twice: WebhookType[] = ["delivery.failed", "delivery.failed"];
  await assert.rejects(run(changeWebhook, { tenantId, webhookId, types: twice }), /once/);
  const test = ["webhook.test"] as string[] as WebhookType[];
  await assert.rejects(run(changeWebhook, { tenantId, webhookId, types: test }), /types must/);
});

test("the 21st endpoint is refused, also of two that come at once; two of one URL are one", async (t) => {
  const { run, tenantId } = await webhookWorld(t);
  const same = { tenantId, url: "https://same.example/" };
  const both = await Promise.all([run(putWebhook, same), run(putWebhook, same)]);
  assert.equal(both[0]?.id, both[1]?.id);
  assert.equal(both.filter(({ secret }) => secret !== undefined).length, 1);
  for (let n = 3; n <= 19; n += 1) {
    await run(putWebhook, { tenantId, url: `https://example.com/${n}` });
  }
  const last = await Promise.allSettled(
    ["a", "b"].map((path) => run(putWebhook, { tenantId, url: `https://example.com/${path}` })),
  );
  assert.deepEqual(last.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  const [refused] = last.filter((one) => one.status === "rejected");
  assert.equal(
    refused?.reason.message,
    "url is one more than the 20 endpoints that a tenant may have",
  );
  assert.equal((await run(listWebhooks, {})).length, 20);
  await run(putWebhook, { ...same, types: ["delivery.failed"] });
});

test("an endpoint of another tenant is none, whatever is asked of it", async (t) => {
  const { run, db, webhookId, tenantId } = await webhookWorld(t);
  const { id: foreign } = await createTenant(db, { name: "Other" });
  const of = { tenantId: foreign, webhookId };
  const calls = (id: string) => [
    run(showWebhook, { tenantId: foreign, webhookId: id }),
    run(changeWebhook, { ...of, webhookId: id, active: false }),
    run(deleteWebhook, { ...of, webhookId: id }),
    run(rotateSigningSecret, { ...of, webhookId: id }),
  ];
  for (const id of [webhookId, randomUUID(), "", "x", "%", "'; --", `${webhookId} `]) {
    for (const result of await Promise.allSettled(calls(id))) {
      assert.ok(result.status === "rejected" && result.reason instanceof NotFound, id);
      assert.equal(result.reason.field, "webhookId");
    }
  }
  await assert.rejects(run(listWebhooks, { tenantId: "nobody" }), NotFound);
  await assert.rejects(
    run(putWebhook, { tenantId: "nobody", url: "https://a.example/" }),
    NotFound,
  );
  assert.equal((await run(showWebhook, { tenantId, webhookId })).active, true);
  // The same URL is free to everybody.
  await run(putWebhook, { tenantId: foreign, url: "https://example.com/hooks" });
});

test("switched on, or at another URL, it begins anew", async (t) => {
  const { run, db, of, tenantId } = await webhookWorld(t);
  const fail = () =>
    db
      .updateTable("webhooks")
      .set({ active: false, disabled_at: new Date(), disabled_reason: "it answered 410 Gone" })
      .set({ failing_since: new Date(), failures: 30, paused_until: new Date() })
      .execute();
  const state = async () => {
    const { failures } = await db
      .selectFrom("webhooks")
      .select("failures")
      .executeTakeFirstOrThrow();
    const { active, disabledAt, disabledReason, failingSince, pausedUntil } = await run(
      showWebhook,
      of,
    );
    return [active, disabledAt, disabledReason, failingSince, pausedUntil, failures];
  };
  await fail();
  await run(changeWebhook, { ...of, active: true });
  assert.deepEqual(await state(), [true, null, null, null, null, 0]);
  await fail();
  await run(putWebhook, { tenantId, url: "https://example.com/hooks", active: true });
  assert.deepEqual(await state(), [true, null, null, null, null, 0]);
  await fail();
  await run(changeWebhook, { ...of, description: "x" });
  assert.deepEqual(
    (await state()).filter((one) => one === null || one === 0),
    [],
  );
  await run(changeWebhook, { ...of, url: "https://other.example/" });
  const [active, , reason, ...rest] = await state();
  assert.deepEqual([active, reason, rest], [false, "it answered 410 Gone", [null, null, 0]]);
  await run(changeWebhook, { ...of, active: true });
  const off = await run(changeWebhook, { ...of, active: false });
  assert.ok(off.disabledAt !== null && off.disabledReason === null);
});

test("the secret before signs for 24 hours; two rotations at once take nothing from it", async (t) => {
  const { run, db, of, secret, tenantId, webhookId } = await webhookWorld(t);
  const stored = async () => {
    const row = await db.selectFrom("webhooks").selectAll().executeTakeFirstOrThrow();
    const read = (text: string) =>
      decryptSecret(TEST_KEYS, webhookOwner(tenantId, webhookId), text);
    return [await read(row.secret), await read(row.previous_secret ?? "")];
  };
  const first = await run(rotateSigningSecret, of);
  assert.match(first.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(await stored(), [first.secret, secret]);
  const { updatedAt } = await run(showWebhook, { tenantId, webhookId });
  assert.equal(Date.parse(first.previousSecretUntil) - Date.parse(updatedAt), 86_400_000);
  const again = await run(rotateSigningSecret, of);
  assert.deepEqual(await stored(), [again.secret, secret], "the first answer was lost");
  await db
    .updateTable("webhooks")
    .set({ previous_secret_until: new Date(Date.parse(again.previousSecretUntil) - 660_000) })
    .execute();
  const later = await run(rotateSigningSecret, of);
  assert.deepEqual(await stored(), [later.secret, again.secret]);
});

test("the audit log tells of every change, and of no secret", async (t) => {
  const { run, db, of, tenantId, secret } = await webhookWorld(t);
  const url = "https://example.com/hooks?token=very-secret";
  const changed = await run(changeWebhook, { ...of, url, types: ["delivery.failed"] });
  const rotated = await run(rotateSigningSecret, of);
  await run(deleteWebhook, of);
  const { entries } = await searchAuditLog(db, { tenantId, limit: 10 });
  entries.pop(); // made by the world
  const target = "https://example.com/hooks?…";
  assert.deepEqual(
    entries.map((one) => [one.action, one.target]),
    ["webhook.delete", "webhook.rotate-secret", "webhook.update"].map((action) => [action, target]),
  );
  assert.deepEqual(entries[2]?.before?.types, "all");
  assert.deepEqual(entries[2]?.after?.types, ["delivery.failed"]);
  const told = JSON.stringify(entries);
  for (const hidden of [secret, rotated.secret, "very-secret", "whsec_"]) {
    assert.ok(!told.includes(hidden), hidden);
  }
  assert.equal(changed.url, url);
  assert.equal(maskedUrl("https://example.com/"), "https://example.com/");
});

test("a deleted endpoint takes its messages along, and another one's stay", async (t) => {
  const { run, db, of, tenantId, tell, settle } = await webhookWorld(t);
  await run(putWebhook, { tenantId, url: "https://other.example/" });
  const told = await tell();
  await settle(told, "failed");
  for (let n = 0; n < 3; n += 1) await tell();
  await run(deleteWebhook, of);
  const rows = await db.selectFrom("webhook_messages").select(["id", "webhook_id"]).execute();
  assert.equal(rows.length, 4);
  assert.ok(rows.every((row) => row.webhook_id !== of.webhookId));
  const deliveries = await db.selectFrom("deliveries").select("event_id").execute();
  assert.deepEqual(deliveries.map((one) => one.event_id).sort(), rows.map((one) => one.id).sort());
});
