import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { signWebhook } from "./sign-webhook.ts";

const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;
const nowSeconds = () => Math.floor(Date.now() / 1000);

const ID = "0198f6a2-0000-7000-8000-000000000001";
const BODY = JSON.stringify({ type: "delivery.accepted", data: { eventId: "Ünïcode ✓ 😀" } });

function headersOf(secrets: string[], { id = ID, seconds = nowSeconds(), body = BODY } = {}) {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signWebhook({ id, seconds, body, secrets }),
  };
}

test("the standard's own library verifies what is signed, whatever the body holds", () => {
  const secret = newSecret();
  const judge = new Webhook(secret);
  for (const body of [BODY, "", "{}", '"\u0000"', `"${"x".repeat(100_000)}"`]) {
    const headers = headersOf([secret], { body });
    judge.verify(body, headers, { jsonParse: false });
    assert.match(headers["webhook-signature"], /^v1,[A-Za-z0-9+/]{43}=$/);
  }
  assert.deepEqual(judge.verify(BODY, headersOf([secret])), JSON.parse(BODY));
});

test("the signature is that of the standard's library, byte for byte", () => {
  const secret = newSecret();
  const seconds = 1_700_000_000;
  assert.equal(
    signWebhook({ id: ID, seconds, body: Buffer.from(BODY), secrets: [secret] }),
    new Webhook(secret).sign(ID, new Date(seconds * 1000), BODY),
  );
});

test("while a secret rotates both secrets verify, and no third", () => {
  const [current, previous] = [newSecret(), newSecret()];
  const headers = headersOf([current, previous]);
  assert.equal(headers["webhook-signature"].split(" ").length, 2);
  for (const secret of [current, previous]) {
    assert.deepEqual(new Webhook(secret).verify(BODY, headers), JSON.parse(BODY));
  }
  assert.throws(() => new Webhook(newSecret()).verify(BODY, headers), /No matching signature/);
});

test("a damaged secret signs nothing, and the error does not tell it", () => {
  const secret = newSecret();
  const damaged = [
    "",
    "whsec_",
    secret.slice(6),
    `${secret}!`,
    `whsec_ ${secret.slice(6)}`,
    "whsec_a",
  ];
  for (const [at, text] of damaged.entries()) {
    assert.throws(
      () => signWebhook({ id: ID, seconds: 1, body: "", secrets: [secret, text] }),
      { message: "a webhook secret is whsec_ followed by base64" },
      `number ${at}`,
    );
  }
  assert.throws(() => signWebhook({ id: ID, seconds: 1, body: "", secrets: [] }), /at least one/);
});
