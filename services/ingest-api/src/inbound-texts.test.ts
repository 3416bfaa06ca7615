import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { type TestContext, test } from "node:test";
import { OPT_WORDS } from "@belfry/contracts/inbound";
import { inboundOfTenant, storeInbound } from "@belfry/database/inbound";
import { encryptSecret, parseSecretKeys, providerSettingsOwner } from "@belfry/database/secrets";
import { createAbuseLimits } from "@belfry/http-api/abuse-limits";
import { birdSignature } from "@belfry/providers/bird";
import { plivoSignature } from "@belfry/providers/plivo";
import { twilioSignature } from "@belfry/providers/twilio";
import { createHttpServer } from "@belfry/service/http";
import { createLogger } from "@belfry/service/logger";
import { connectedDatabase } from "@belfry/testing/database";
import { SignJWT } from "jose";
import { uuidv7 } from "uuidv7";
import { PAGE_WORDS } from "./pages/page-words.ts";
import { createWebhookKeys, inboundRoute } from "./vendor-webhooks.ts";

const SECRET = "a-signature-secret-of-the-account";
const PUBLIC_URL = "https://mail.example.com/belfry";
const secretKeys = parseSecretKeys(`t1:${Buffer.alloc(32, 7).toString("base64")}`);
const ANN = "+12025550123";
const TELNYX = generateKeyPairSync("ed25519");
const TELNYX_KEY = TELNYX.publicKey.export({ type: "spki", format: "der" }).subarray(-32);

/** Tenants `a` and `b`, both with all vendors under one secret; `c` has none. */
async function setUp(t: TestContext, publicUrl = PUBLIC_URL) {
  const { pool, db } = await connectedDatabase(t);
  for (const id of ["a", "b", "c"]) {
    await db.insertInto("tenants").values({ id, name: id, per_minute: 1 }).execute();
  }
  for (const tenantId of ["a", "b"]) {
    for (const [kind, settings] of [
      ["vonage", { signatureSecret: SECRET }],
      ["twilio", { authToken: SECRET }],
      ["plivo", { authToken: SECRET }],
      ["telnyx", { webhookPublicKey: TELNYX_KEY.toString("base64") }],
      ["bird", { signingKey: SECRET }],
    ] as const) {
      const id = uuidv7();
      const owner = providerSettingsOwner(tenantId, id);
      const sealed = await encryptSecret(secretKeys, owner, JSON.stringify(settings));
      await pool.query(
        `insert into providers (id, tenant_id, channel, kind, name, settings, masked_settings)
         values ($1, $2, 'SMS', $3, $3, $4, '{}')`,
        [id, tenantId, kind, sealed],
      );
    }
  }
  const app = createHttpServer({
    log: createLogger({ service: "test", level: "silent" }),
    maxBodyBytes: 256 * 1024,
    jsonBody: "raw",
  });
  const many = 1_000_000;
  const bounds = {
    unknownKeysPerMinute: many,
    otherPerMinute: many,
    receiptsPerMinute: many,
    linksPerMinute: many,
    otherAtATime: 8,
  };
  inboundRoute(app, {
    webhookKeys: createWebhookKeys(db, secretKeys),
    storeInbound: (origin, message) => storeInbound(db, origin, message),
    limits: await createAbuseLimits(app, bounds),
    publicUrl,
    now: () => new Date(),
  });
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => app.close());

  const post = async (path: string, body: string, headers: Record<string, string>) => {
    const response = await fetch(address + path, { method: "POST", body, headers });
    const type = response.headers.get("content-type");
    return { status: response.status, type, body: await response.text() };
  };
  type Sent = readonly [path: string, body: string, headers: Record<string, string>];
  interface From {
    tenant?: string;
    from?: string;
    id?: string;
  }
  const requests = {
    async vonage(text: string, from: From = {}): Promise<Sent> {
      const { tenant = "a", from: sender = ANN, id = randomUUID() } = from;
      const to = "12025550100";
      const body = JSON.stringify({
        channel: "sms",
        message_uuid: id,
        to,
        from: sender.slice(1),
        text,
        message_type: "text",
      });
      const token = await new SignJWT({
        iss: "Vonage",
        iat: Math.floor(Date.now() / 1000),
        jti: randomUUID(),
        payload_hash: createHash("sha256").update(body).digest("hex"),
      })
        .setProtectedHeader({ alg: "HS256" })
        .sign(new TextEncoder().encode(SECRET));
      const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
      return [`/webhooks/vonage/${tenant}/inbound`, body, headers];
    },
    async twilio(text: string, from: From = {}): Promise<Sent> {
      const { tenant = "a", from: sender = ANN, id = randomUUID() } = from;
      const path = `/webhooks/twilio/${tenant}/inbound`;
      const MessageSid = `SM${id.replaceAll("-", "")}`;
      const form = new URLSearchParams({
        MessageSid,
        From: sender,
        To: "+12025550100",
        Body: text,
      });
      const signature = twilioSignature(SECRET, PUBLIC_URL + path, form);
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      return [path, form.toString(), { ...headers, "x-twilio-signature": signature }];
    },
    async plivo(text: string, from: From = {}): Promise<Sent> {
      const { tenant = "a", from: sender = ANN, id = randomUUID() } = from;
      const path = `/webhooks/plivo/${tenant}/inbound`;
      const form = new URLSearchParams({
        MessageUUID: id,
        From: sender.replace(/^\+/, ""),
        To: "12025550100",
        Text: text,
        Type: "sms",
      });
      const nonce = randomUUID();
      const headers = {
        "content-type": "application/x-www-form-urlencoded",
        "x-plivo-signature-v3": plivoSignature(SECRET, PUBLIC_URL + path, nonce, form),
        "x-plivo-signature-v3-nonce": nonce,
      };
      return [path, form.toString(), headers];
    },
    async telnyx(text: string, from: From = {}): Promise<Sent> {
      const { tenant = "a", from: sender = ANN, id = randomUUID() } = from;
      const payload = {
        id,
        from: { phone_number: sender },
        to: [{ phone_number: "+12025550100" }],
        text,
      };
      const body = JSON.stringify({ data: { event_type: "message.received", payload } });
      const time = String(Math.floor(Date.now() / 1000));
      const signature = sign(null, Buffer.from(`${time}|${body}`), TELNYX.privateKey);
      const headers = {
        "content-type": "application/json",
        "telnyx-timestamp": time,
        "telnyx-signature-ed25519": signature.toString("base64"),
      };
      return [`/webhooks/telnyx/${tenant}/inbound`, body, headers];
    },
    async bird(text: string, from: From = {}): Promise<Sent> {
      const { tenant = "a", from: sender = ANN, id = randomUUID() } = from;
      const path = `/webhooks/bird/${tenant}/inbound`;
      const payload = {
        id,
        sender: { contact: { identifierValue: sender } },
        receiver: { connector: { identifierValue: "+12025550100" } },
        body: { type: "text", text: { text } },
      };
      const body = JSON.stringify({ service: "channels", event: "sms.inbound", payload });
      const time = String(Math.floor(Date.now() / 1000));
      const signature = birdSignature(SECRET, time, PUBLIC_URL + path, Buffer.from(body));
      const headers = {
        "content-type": "application/json",
        "messagebird-request-timestamp": time,
        "messagebird-signature": signature.toString("base64"),
      };
      return [path, body, headers];
    },
  };
  const suppressions = async () => {
    const { rows } = await pool.query(
      "select tenant_id, channel, address, reason, source from suppressions order by 1, 2, 3, 4",
    );
    return rows.map((row) => Object.values(row).join(" "));
  };
  const texts = async (tenantId = "a") =>
    (await inboundOfTenant(db, tenantId, { limit: 100 })).map(
      ({ sender, text }) => `${sender}: ${text}`,
    );
  return { db, pool, post, requests, suppressions, texts };
}

const VENDORS = ["vonage", "twilio", "plivo", "telnyx", "bird"] as const;
/** They sign the address too. */
const BY_ADDRESS = ["twilio", "plivo", "bird"] as const;
const IN_XML: readonly string[] = ["twilio", "plivo"];

test("each language of the hosted pages has its words for STOP and START", () => {
  assert.deepEqual(
    Object.keys(OPT_WORDS).sort(),
    PAGE_WORDS.map(({ language }) => language).sort(),
  );
});

for (const vendor of VENDORS) {
  test(`${vendor}: STOP suppresses its sender's number for its tenant, START removes the suppression, and no SMS is sent back`, async (t) => {
    const { post, requests, suppressions, texts } = await setUp(t);
    const send = async (text: string, options = {}) =>
      await post(...(await requests[vendor](text, options)));
    const answer = await send("Stop");
    assert.equal(answer.status, 200);
    const isXml = IN_XML.includes(vendor);
    assert.equal(answer.body, isXml ? "<Response/>" : "{}");
    assert.match(answer.type!, isXml ? /^text\/xml/ : /^application\/json/);
    assert.deepEqual(await suppressions(), [`a SMS ${ANN} opted out ${vendor}`]);
    await send(" opt out! ", { from: "+12025550124" });
    await send("“Arrêt” 🛑", { from: "+12025550124" });
    await send("STOPALL");
    assert.equal((await suppressions()).length, 2);
    await send("START", { tenant: "b" });
    assert.equal((await suppressions()).length, 2);
    await send("unstop");
    assert.deepEqual(await suppressions(), [`a SMS +12025550124 opted out ${vendor}`]);
    assert.deepEqual(await texts(), []);
  });

  test(`${vendor}: any other text suppresses nothing and is stored once for the tenant's people`, async (t) => {
    const { post, requests, suppressions, texts } = await setUp(t);
    const request = await requests[vendor]("please stop calling");
    for (let n = 0; n < 3; n += 1) assert.equal((await post(...request)).status, 200);
    await post(...(await requests[vendor]("größer 🎉 <b>")));
    assert.deepEqual(await suppressions(), []);
    assert.deepEqual(await texts(), [`${ANN}: größer 🎉 <b>`, `${ANN}: please stop calling`]);
    assert.deepEqual(await texts("b"), []);
  });

  test(`${vendor}: a replayed webhook changes nothing, even after its effect was undone`, async (t) => {
    const { post, requests, suppressions } = await setUp(t);
    const stop = await requests[vendor]("STOP");
    const start = await requests[vendor]("START");
    await post(...stop);
    await post(...start);
    assert.equal((await post(...stop)).status, 200);
    assert.deepEqual(await suppressions(), []);
    await post(...(await requests[vendor]("STOP")));
    assert.equal((await post(...start)).status, 200);
    assert.equal((await suppressions()).length, 1);
  });

  test(`${vendor}: a forged webhook changes nothing, and neither does one signed for another tenant`, async (t) => {
    const { post, requests, suppressions, texts } = await setUp(t);
    const [path, body, headers] = await requests[vendor]("STOP");
    const changed = body.replace(ANN.slice(1), "12025550199");
    assert.notEqual(changed, body);
    assert.equal((await post(path, changed, headers)).status, 401);
    const type = { "content-type": headers["content-type"]! };
    assert.ok([401, 503].includes((await post(path, body, type)).status));
    assert.equal((await post(path.replace("/a/", "/c/"), body, headers)).status, 404);
    assert.equal((await post(path.replace("/a/", "/nobody/"), body, headers)).status, 404);
    assert.equal((await post(path.replace(vendor, "sendgrid"), body, headers)).status, 404);
    assert.equal((await post(path, "x".repeat(70_000), headers)).status, 413);
    assert.deepEqual(await suppressions(), []);
    assert.deepEqual(await texts(), []);
  });
}

test("START removes only an opt-out: a bounce, and a suppression by hand, stay", async (t) => {
  for (const vendor of VENDORS) {
    const { post, requests, suppressions, pool } = await setUp(t);
    for (const reason of ["bounced", "by hand", "opted out"]) {
      await pool.query(
        "insert into suppressions (tenant_id, channel, address, reason) values ('a', 'SMS', $1, $2)",
        [ANN, reason],
      );
    }
    await post(...(await requests[vendor]("STOP")));
    assert.equal((await suppressions()).length, 3);
    await post(...(await requests[vendor]("START")));
    assert.deepEqual(await suppressions(), [`a SMS ${ANN} bounced `, `a SMS ${ANN} by hand `]);
  }
});

for (const vendor of BY_ADDRESS) {
  test(`${vendor}: a request that was signed for one tenant's address is refused at another's`, async (t) => {
    const { post, requests, suppressions } = await setUp(t);
    const [path, body, headers] = await requests[vendor]("STOP");
    assert.equal((await post(path.replace("/a/", "/b/"), body, headers)).status, 401);
    assert.deepEqual(await suppressions(), []);
  });
}

test("without the public address nothing of a vendor that signs it can be verified: 404", async (t) => {
  const { post, requests } = await setUp(t, "");
  for (const vendor of BY_ADDRESS) {
    assert.equal((await post(...(await requests[vendor]("STOP")))).status, 404);
  }
  assert.equal((await post(...(await requests.vonage("STOP")))).status, 200);
  assert.equal((await post(...(await requests.telnyx("STOP")))).status, 200);
});

test("a keyword from a sender that is no number is stored as a text, because there is nothing to suppress", async (t) => {
  const { post, requests, suppressions, texts } = await setUp(t);
  assert.equal((await post(...(await requests.twilio("STOP", { from: "ACME" })))).status, 200);
  assert.deepEqual(await suppressions(), []);
  assert.deepEqual(await texts(), ["ACME: STOP"]);
});
