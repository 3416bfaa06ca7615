import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import test from "node:test";
import { SignJWT } from "jose";
import { readWebhook } from "../test/read-webhook.ts";
import { vonage } from "./vonage.ts";

const SECRET = "a-signature-secret-of-the-account";
const NOW = new Date("2026-11-20T12:00:00Z");
/** The vendor's documented example. */
const INBOUND = {
  channel: "sms",
  message_uuid: "aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab",
  to: "447700900000",
  from: "447700900001",
  timestamp: "2026-11-20T11:59:58Z",
  text: "Please stop calling",
  message_type: "text",
  sms: { num_messages: "1", keyword: "PLEASE" },
  usage: { currency: "EUR", price: "0.0333" },
};

async function read(
  inbound: unknown,
  changes: { secret?: string; hashed?: unknown; iat?: number } = {},
) {
  const body = Buffer.from(JSON.stringify(inbound));
  const hashed = Buffer.from(JSON.stringify(changes.hashed ?? inbound));
  const token = await new SignJWT({
    iss: "Vonage",
    iat: changes.iat ?? NOW.getTime() / 1000,
    jti: randomUUID(),
    payload_hash: createHash("sha256").update(hashed).digest("hex"),
  })
    .setProtectedHeader({ alg: "HS256" })
    .sign(new TextEncoder().encode(changes.secret ?? SECRET));
  const headers = { authorization: `Bearer ${token}` };
  return await readWebhook(vonage.inbound!, { headers, body, url: "" }, [SECRET], NOW);
}

test("a signed message is its sender's, with numbers as they are written everywhere else", async () => {
  assert.deepEqual(await read(INBOUND), {
    ok: true,
    message: {
      vendorId: INBOUND.message_uuid,
      sender: "+447700900001",
      recipient: "+447700900000",
      text: "Please stop calling",
    },
  });
  const named = await read({ ...INBOUND, from: "ACME" });
  assert.equal(named.ok && named.message?.sender, "ACME");
});

test("another body, secret or an old token is forged; none at all is asked for again", async () => {
  const forged = { ok: false, fault: "forged" };
  assert.deepEqual(await read(INBOUND, { secret: "wrong" }), forged);
  assert.deepEqual(await read(INBOUND, { hashed: { ...INBOUND, text: "STOP" } }), forged);
  assert.deepEqual(await read(INBOUND, { iat: NOW.getTime() / 1000 - 3600 }), forged);
  const request = { headers: {}, body: Buffer.from(JSON.stringify(INBOUND)), url: "" };
  assert.deepEqual(await readWebhook(vonage.inbound!, request, [SECRET], NOW), {
    ok: false,
    fault: "unsigned",
  });
});

test("what is signed and holds no text of a person is left out, or refused as unreadable", async () => {
  const nothing = { ok: true, message: undefined };
  const unreadable = { ok: false, fault: "unreadable" };
  assert.deepEqual(await read({ ...INBOUND, text: undefined, message_type: "image" }), nothing);
  assert.deepEqual(await read({ ...INBOUND, channel: "whatsapp" }), nothing);
  for (const bad of [[], "x", 1, { ...INBOUND, from: null }, { ...INBOUND, message_uuid: 5 }]) {
    assert.deepEqual(await read(bad), unreadable);
  }
});
