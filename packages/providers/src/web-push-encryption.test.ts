import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";
import { createBrowser } from "../test/push-judge.ts";
import {
  createVapidKeys,
  encryptPush,
  MAX_PUSH_PAYLOAD_BYTES,
  vapidPublicKey,
} from "./web-push-encryption.ts";

// The example of RFC 8291, section 5, whose keys are in appendix A.
const EXAMPLE = {
  plaintext: "V2hlbiBJIGdyb3cgdXAsIEkgd2FudCB0byBiZSBhIHdhdGVybWVsb24",
  senderPrivate: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  senderPublic:
    "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
  receiverPrivate: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
  receiverPublic:
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
  body: "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};
const bytes = (text: string) => Buffer.from(text, "base64url");

test("the example of RFC 8291 is encrypted byte by byte as the RFC prints it", () => {
  const keys = { p256dh: EXAMPLE.receiverPublic, auth: EXAMPLE.auth };
  const given = { salt: bytes(EXAMPLE.salt), privateKey: bytes(EXAMPLE.senderPrivate) };
  const body = encryptPush(bytes(EXAMPLE.plaintext), keys, given);
  assert.equal(body.toString("base64url"), EXAMPLE.body);
  assert.equal(vapidPublicKey(EXAMPLE.senderPrivate), EXAMPLE.senderPublic);
});

test("the judge reads the example of RFC 8291", () => {
  const browser = createBrowser(bytes(EXAMPLE.receiverPrivate), bytes(EXAMPLE.auth));
  assert.deepEqual(browser.keys, { p256dh: EXAMPLE.receiverPublic, auth: EXAMPLE.auth });
  assert.equal(browser.read(bytes(EXAMPLE.body)), "When I grow up, I want to be a watermelon");
});

test("a payload of any size up to the largest is read by its browser alone", () => {
  const [browser, other] = [createBrowser(), createBrowser()];
  for (const size of [0, 1, 100, MAX_PUSH_PAYLOAD_BYTES]) {
    const text = randomBytes(size)
      .toString("latin1")
      .replaceAll(/[^a-z]/g, "x");
    const body = encryptPush(Buffer.from(text), browser.keys);
    assert.equal(browser.read(body), text);
    assert.equal(body.length, size + 103, "no byte more than the encryption takes");
    assert.throws(() => other.read(body));
  }
  const most = encryptPush(Buffer.alloc(MAX_PUSH_PAYLOAD_BYTES), browser.keys);
  assert.equal(most.length, 4096);
});

test("no two pushes share a salt or a key of the sender", () => {
  const { keys } = createBrowser();
  const heads = Array.from({ length: 20 }, () => encryptPush(Buffer.from("a"), keys));
  const unique = (from: number, to: number) =>
    new Set(heads.map((body) => body.toString("hex", from, to))).size;
  assert.deepEqual([unique(0, 16), unique(21, 86)], [20, 20]);
});

test("a subscription's key that is no point of the curve is refused", () => {
  const { auth } = createBrowser().keys;
  const p256dh = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 7)]).toString("base64url");
  assert.throws(() => encryptPush(Buffer.from("a"), { p256dh, auth }));
});

test("a pair of keys has the length that browsers expect, whatever its value", () => {
  // One private key in 256 begins with a zero byte.
  for (let n = 0; n < 600; n += 1) {
    const { publicKey, privateKey } = createVapidKeys();
    assert.match(publicKey, /^B[\w-]{86}$/);
    assert.match(privateKey, /^[\w-]{43}$/);
    assert.equal(vapidPublicKey(privateKey), publicKey);
  }
  assert.equal(vapidPublicKey("A".repeat(43)), undefined);
});
