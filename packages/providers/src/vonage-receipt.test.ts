import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { test } from "node:test";
import { SignJWT } from "jose";
import { readWebhook } from "../test/read-webhook.ts";
import { vonage } from "./vonage.ts";

const SECRET = "a-signature-secret-of-the-account";
const NOW = new Date("2026-11-20T12:00:00Z");
const deliveryId = randomUUID();
const STATUS = {
  message_uuid: "aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab",
  client_ref: deliveryId,
  status: "delivered",
  timestamp: "2026-11-20T11:59:58Z",
};

interface Changes {
  /** null leaves a claim out. */
  claims?: Record<string, unknown>;
  secret?: string;
  alg?: string;
  authorization?: string;
  body?: string;
}

async function read(status: unknown, changes: Changes = {}) {
  const body = JSON.stringify(status);
  const claims = {
    iss: "Vonage",
    iat: NOW.getTime() / 1000,
    jti: randomUUID(),
    api_key: "abcd1234",
    payload_hash: createHash("sha256").update(body).digest("hex"),
    ...changes.claims,
  };
  const given = Object.fromEntries(Object.entries(claims).filter(([, claim]) => claim !== null));
  const token = await new SignJWT(given)
    .setProtectedHeader({ alg: changes.alg ?? "HS256" })
    .sign(new TextEncoder().encode(changes.secret ?? SECRET));
  const headers = { authorization: changes.authorization ?? `Bearer ${token}` };
  const request = { headers, body: Buffer.from(changes.body ?? body), url: "" };
  return readWebhook(vonage.receipts!, request, ["another-account's-secret", SECRET], NOW);
}

test("each status says what became of its delivery, and a barred number is suppressed", async () => {
  const barred = {
    type: "https://developer.vonage.com/api-errors/messages#1050",
    detail: "barred",
  };
  const cases: [object, string | null, string | null, string | null][] = [
    [{ status: "submitted" }, "accepted", null, null],
    [{ status: "delivered" }, "delivered", null, null],
    [{ status: "read" }, "delivered", null, null],
    [{ status: "undeliverable", error: { error: { title: "1030" } } }, "bounced", null, "1030"],
    [{ status: "rejected", error: barred }, "bounced", "bounced", "1050"],
    [{ status: "rejected", error: { title: 9, detail: "opted out" } }, "bounced", "opted out", "9"],
    [{ status: "undeliverable", error: { type: "https://x#9" } }, "bounced", "opted out", "9"],
    [{ status: "sent by pigeon" }, null, null, null],
    [{ client_ref: "1001" }, null, null, null],
    [{ message_uuid: null }, null, null, null],
  ];
  for (const [change, kind, suppress, code] of cases) {
    const result = await read({ ...STATUS, ...change });
    assert.ok(result.ok, JSON.stringify(change));
    const [receipt] = result.receipts;
    assert.deepEqual(
      [receipt?.kind ?? null, receipt?.suppress ?? null, receipt?.vendorStatus ?? null],
      [kind, suppress, code],
      JSON.stringify(change),
    );
    if (receipt !== undefined) assert.equal(receipt.deliveryId, deliveryId);
  }
});

test("the same status is known again, signed anew or copied; another status of the message is not", async () => {
  const id = async (status: object) => {
    const result = await read(status);
    assert.ok(result.ok);
    return result.receipts[0]?.vendorEvent;
  };
  assert.equal(await id(STATUS), await id(STATUS));
  assert.notEqual(await id(STATUS), await id({ ...STATUS, status: "rejected" }));
});

test("another secret, issuer, algorithm, body or age, or a missing claim, is forged", async () => {
  const seconds = NOW.getTime() / 1000;
  const cases: Changes[] = [
    { secret: "somebody-else's-secret-that-is-long" },
    { claims: { iss: "Somebody" } },
    { alg: "HS512" },
    { body: JSON.stringify({ ...STATUS, status: "rejected" }) },
    { claims: { payload_hash: "00" } },
    { claims: { payload_hash: null } },
    { claims: { jti: null } },
    { claims: { iat: null } },
    { claims: { iat: seconds - 16 * 60 } },
    { claims: { iat: seconds + 16 * 60 } },
    { authorization: "Bearer nonsense" },
    { authorization: `Basic ${SECRET}` },
  ];
  for (const changes of cases) {
    const result = await read(STATUS, changes);
    assert.deepEqual(result, { ok: false, fault: "forged" }, JSON.stringify(changes));
  }
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const authorization = `Bearer ${encoded({ alg: "none" })}.${encoded({ iss: "Vonage" })}.`;
  assert.equal((await read(STATUS, { authorization })).ok, false);
  assert.equal((await read(STATUS, { claims: { iat: seconds - 4 * 60 } })).ok, true);
});

test("a callback without a signature is told from a forged one: it is to come again, signed", async () => {
  const request = { headers: {}, body: Buffer.from(JSON.stringify(STATUS)), url: "" };
  const result = await readWebhook(vonage.receipts!, request, [SECRET], NOW);
  assert.deepEqual(result, { ok: false, fault: "unsigned" });
});
