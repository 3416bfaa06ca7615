import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { type TestContext, test } from "node:test";
import { showEvent } from "@belfry/administration/event-report";
import { createDatabase, createPool } from "@belfry/database/connection";
import { storeReceipts } from "@belfry/database/receipts";
import { providerSettingsOwner } from "@belfry/database/secret-owners";
import { encryptSecret, parseSecretKeys } from "@belfry/database/secrets";
import { createHttpServer } from "@belfry/service/http";
import { createLogger } from "@belfry/service/logger";
import { createTestDatabase } from "@belfry/testing/postgres";
import { SignJWT } from "jose";
import { uuidv7 } from "uuidv7";
import { createWebhookKeys } from "./webhook-keys.ts";
import { webhookRoute } from "./webhook-route.ts";

const SECRET = "a-signature-secret-of-the-account";
const secretKeys = parseSecretKeys(`t1:${Buffer.alloc(32, 7).toString("base64")}`);
const log = createLogger({ service: "test", level: "silent" });

/** Two tenants, `a` and `b`, each with both providers; `a` has keys to verify with. */
async function setUp(t: TestContext) {
  const { url, [Symbol.asyncDispose]: drop } = await createTestDatabase();
  const pool = createPool({ url, applicationName: "test" });
  const db = createDatabase(pool);
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const webhookPublicKey = publicKey.export({ format: "der", type: "spki" }).toString("base64");
  for (const tenantId of ["a", "b"]) {
    await pool.query("insert into tenants (id, name, per_minute) values ($1, $1, 600)", [tenantId]);
  }
  const provider = async (tenantId: string, kind: string, settings: object, name = kind) => {
    const id = uuidv7();
    const owner = providerSettingsOwner(tenantId, id);
    const sealed = await encryptSecret(secretKeys, owner, JSON.stringify(settings));
    await pool.query(
      `insert into providers (id, tenant_id, channel, kind, name, settings, masked_settings)
       values ($1, $2, $3, $4, $5, $6, '{}')`,
      [id, tenantId, kind === "vonage" ? "SMS" : "EMAIL", kind, name, sealed],
    );
  };
  await provider("a", "sendgrid", { webhookPublicKey });
  await provider("a", "vonage", { signatureSecret: SECRET });
  await provider("b", "sendgrid", {});

  const webhookKeys = createWebhookKeys(db, secretKeys);
  const app = createHttpServer({ log, maxBodyBytes: 256 * 1024, jsonBody: "raw" });
  const broken = { database: false };
  webhookRoute(app, {
    webhookKeys,
    storeReceipts: (origin, receipts) =>
      broken.database
        ? Promise.reject(new Error("connection refused"))
        : storeReceipts(pool, origin, receipts),
    now: () => new Date(),
  });
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(async () => {
    await app.close();
    await db.destroy();
    await drop();
  });

  const delivery = async (
    tenantId = "a",
    { channel = "EMAIL", status = "accepted", to = "Ann@Example.com", variables = "{}" } = {},
  ) => {
    const [id, eventId] = [uuidv7(), uuidv7()];
    await pool.query(
      `insert into events (id, tenant_id, event_type, user_id, recipient_email, recipient_phone, variables, trace_id, accepted_at, dispatched_at)
       values ($1, $2, 'order', 'ann', $3, $3, $4, 'trace', now(), now())`,
      [eventId, tenantId, to, variables],
    );
    await pool.query(
      `insert into deliveries (id, event_id, tenant_id, channel, status, template_version_id, due_at, settled_at)
       values ($1, $2, $3, $4, $5, 1, case when $5 = 'waiting' then now() end, case when $5 <> 'waiting' then now() end)`,
      [id, eventId, tenantId, channel, status],
    );
    return { id, eventId };
  };
  const statusOf = async (id: string) => {
    const { rows } = await pool.query("select * from deliveries where id = $1", [id]);
    return rows[0].status as string;
  };
  const suppressions = async () => {
    const { rows } = await pool.query(
      "select tenant_id, channel, address, reason from suppressions order by 1, 2, 3",
    );
    return rows.map((row) => Object.values(row).join(" "));
  };
  const post = async (path: string, body: string, headers: Record<string, string>) => {
    const all = { "content-type": "application/json", ...headers };
    const response = await fetch(address + path, { method: "POST", body, headers: all });
    await response.arrayBuffer();
    return response.status;
  };
  const sendgrid = (events: object[], options: { key?: KeyObject; tenant?: string } = {}) => {
    const body = `${JSON.stringify(events)}\r\n`;
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = sign("sha256", Buffer.from(timestamp + body), options.key ?? privateKey);
    return post(`/webhooks/sendgrid/${options.tenant ?? "a"}`, body, {
      "x-twilio-email-event-webhook-signature": signature.toString("base64"),
      "x-twilio-email-event-webhook-timestamp": timestamp,
    });
  };
  const vonage = async (status: object) => {
    const body = JSON.stringify({ message_uuid: randomUUID(), ...status });
    const payload_hash = createHash("sha256").update(body).digest("hex");
    const token = await new SignJWT({ payload_hash })
      .setProtectedHeader({ alg: "HS256" })
      .setIssuer("Vonage")
      .setIssuedAt()
      .setJti(randomUUID())
      .sign(new TextEncoder().encode(SECRET));
    return post("/webhooks/vonage/a", body, { authorization: `Bearer ${token}` });
  };
  return {
    ...{ pool, db, broken, webhookKeys, provider, delivery, statusOf, suppressions },
    ...{ post, sendgrid, vonage },
  };
}

let events = 0;
function event(delivery: { id: string }, name: string, more: object = {}) {
  events += 1;
  return { event: name, delivery_id: delivery.id, sg_event_id: `e${events}`, ...more };
}

test("receipts move a delivery on, and the timeline tells each in words", async (t) => {
  const { db, delivery, sendgrid, statusOf } = await setUp(t);
  const one = await delivery();
  assert.equal(await sendgrid([event(one, "processed"), event(one, "deferred")]), 200);
  assert.equal(await statusOf(one.id), "accepted");
  assert.equal(await sendgrid([event(one, "delivered", { response: "250 OK" })]), 200);
  assert.equal(await statusOf(one.id), "delivered");
  assert.equal(await sendgrid([event(one, "spamreport")]), 200);
  assert.equal(await statusOf(one.id), "complained");
  const { timeline } = await showEvent(db, one.eventId);
  const words = timeline.map((entry) => entry.what);
  assert.ok(words.includes("receipt of sendgrid: delivered to the recipient: 250 OK"), `${words}`);
  assert.ok(words.includes("receipt of sendgrid: the recipient complained"), `${words}`);
  assert.equal(words.filter((what) => what.includes("complained")).length, 1);
});

test("a late delivered never erases bounced, whatever the order in one request or over several", async (t) => {
  const { delivery, sendgrid, statusOf } = await setUp(t);
  const [one, two, three] = [await delivery(), await delivery(), await delivery()];
  await sendgrid([event(one, "bounce", { type: "bounce" })]);
  await sendgrid([event(one, "delivered"), event(one, "deferred")]);
  await sendgrid([event(two, "bounce", { type: "blocked" }), event(two, "delivered")]);
  // The other way round it bounced all the same: some servers take a mail and send it back.
  await sendgrid([event(three, "delivered")]);
  await sendgrid([event(three, "bounce", { type: "blocked" })]);
  for (const { id } of [one, two, three]) assert.equal(await statusOf(id), "bounced");
});

test("a hard bounce, a complaint and an opt-out suppress the address; a soft bounce does not", async (t) => {
  const { delivery, sendgrid, suppressions, vonage } = await setUp(t);
  const to = (address: string) => delivery("a", { to: address });
  await sendgrid([
    event(await to("Hard@Example.com"), "bounce", { type: "bounce" }),
    event(await to("soft@example.com"), "bounce", { type: "blocked" }),
    event(await to("cross@example.com"), "spamreport"),
    event(await to("quiet@example.com"), "unsubscribe"),
    event(await to("hard@example.com"), "spamreport"),
  ]);
  const sms = await delivery("a", { channel: "SMS", to: "+12025550123" });
  await vonage({ client_ref: sms.id, status: "rejected", error: { title: "1050" } });
  assert.deepEqual(await suppressions(), [
    "a EMAIL cross@example.com complained",
    "a EMAIL hard@example.com bounced",
    "a EMAIL quiet@example.com opted out",
    "a SMS +12025550123 bounced",
  ]);
});

test("an event that comes again is stored once", async (t) => {
  const { delivery, pool, sendgrid } = await setUp(t);
  const again = event(await delivery(), "delivered");
  assert.equal(await sendgrid([again, again]), 200);
  await Promise.all(Array.from({ length: 5 }, () => sendgrid([again])));
  const { rows } = await pool.query("select count(*)::integer as n from receipts");
  assert.equal(rows[0].n, 1);
});

test("receipts of SMS are taken by the token's signature", async (t) => {
  const { delivery, post, statusOf, vonage } = await setUp(t);
  const sms = await delivery("a", { channel: "SMS", to: "+12025550123" });
  assert.equal(await vonage({ client_ref: sms.id, status: "delivered" }), 200);
  assert.equal(await statusOf(sms.id), "delivered");
  assert.equal(await post("/webhooks/vonage/a", "{}", { authorization: "Bearer x.y.z" }), 401);
  // Without a signature it is to come again, signed.
  assert.equal(await post("/webhooks/vonage/a", "{}", {}), 503);
});

test("a receipt of another tenant's delivery, or of another channel's, changes nothing", async (t) => {
  const { delivery, pool, sendgrid, statusOf, suppressions, vonage } = await setUp(t);
  const other = await delivery("b");
  assert.equal(await sendgrid([event(other, "bounce", { type: "bounce" })]), 200);
  assert.equal(await statusOf(other.id), "accepted");
  const mail = await delivery("a");
  assert.equal(await vonage({ client_ref: mail.id, status: "rejected" }), 200);
  assert.equal(await statusOf(mail.id), "accepted");
  assert.deepEqual(await suppressions(), []);
  assert.equal((await pool.query("select from receipts")).rowCount, 0);
});

test("a forged or unsigned request is 401, and nothing of it is stored", async (t) => {
  const { delivery, post, sendgrid, statusOf } = await setUp(t);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const one = await delivery();
  assert.equal(await sendgrid([event(one, "bounce")], { key: privateKey }), 401);
  assert.equal(await post("/webhooks/sendgrid/a", "[]", {}), 401);
  assert.equal(await statusOf(one.id), "accepted");
});

test("an unknown tenant or provider, or one without a key, is 404; a key that is put later is used", async (t) => {
  const { delivery, post, provider, sendgrid, statusOf, webhookKeys } = await setUp(t);
  for (const path of ["sendgrid/nobody", "sendgrid/b", "vonage/b", "pigeon/a", "sendgrid/A%00"]) {
    assert.equal(await post(`/webhooks/${path}`, "[]", {}), 404, path);
  }
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const webhookPublicKey = publicKey.export({ format: "der", type: "spki" }).toString("base64");
  await provider("b", "sendgrid", { webhookPublicKey }, "second account");
  webhookKeys.clear();
  const one = await delivery("b");
  const asB = { key: privateKey, tenant: "b" };
  assert.equal(await sendgrid([event(one, "delivered")], asB), 200);
  assert.equal(await statusOf(one.id), "delivered");
});

test("while the database is away the answer is 5xx, so that the vendor tries again", async (t) => {
  const { broken, delivery, sendgrid, statusOf } = await setUp(t);
  const one = await delivery();
  const delivered = event(one, "delivered");
  broken.database = true;
  assert.equal(await sendgrid([delivered]), 500);
  broken.database = false;
  assert.equal(await sendgrid([delivered]), 200);
  assert.equal(await statusOf(one.id), "delivered");
});

test("a receipt ends a delivery that waits for another try or whose outcome is unknown: it is not sent again", async (t) => {
  const { delivery, pool, sendgrid, statusOf } = await setUp(t);
  const waiting = await delivery("a", { status: "waiting" });
  const unknown = await delivery("a", { status: "unknown" });
  const failed = await delivery("a", { status: "failed" });
  await sendgrid([event(waiting, "processed"), event(unknown, "delivered"), event(failed, "open")]);
  assert.deepEqual(
    [await statusOf(waiting.id), await statusOf(unknown.id), await statusOf(failed.id)],
    ["accepted", "delivered", "failed"],
  );
  const { rows } = await pool.query("select due_at from deliveries where id = $1", [waiting.id]);
  assert.equal(rows[0].due_at, null);
});

test("a batch as large as the vendor makes it is taken", async (t) => {
  const { delivery, sendgrid, statusOf } = await setUp(t);
  const one = await delivery();
  const filler = Array.from({ length: 1_500 }, () =>
    event({ id: randomUUID() }, "delivered", { response: "x".repeat(400) }),
  );
  assert.equal(await sendgrid([...filler, event(one, "delivered")]), 200);
  assert.equal(await statusOf(one.id), "delivered");
});
