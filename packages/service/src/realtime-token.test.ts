import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { parseTokenKeys, signRealtimeToken, verifyRealtimeToken } from "./realtime-token.ts";

const base64 = (fill: string) => Buffer.alloc(32, fill).toString("base64");
const OLD = `k1:${base64("a")}`;
const NEW = `k2:${base64("b")}`;
const keys = parseTokenKeys(OLD);
const NOW = 1_800_000_000;
const at = { nowSeconds: NOW };

function forge(header: object, payload: object, secret = Buffer.alloc(32, "a")): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part(header)}.${part(payload)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

test("a token lives two hours, to the second", async () => {
  const token = await signRealtimeToken(keys, { sub: "a#b,é", tenant: "acme" }, at);
  const claims = { sub: "a#b,é", tenant: "acme", iat: NOW, exp: NOW + 7200 };
  assert.deepEqual(await verifyRealtimeToken(keys, token, NOW + 7199), { ok: true, claims });
  const late = await verifyRealtimeToken(keys, token, NOW + 7200);
  assert.deepEqual(late, { ok: false, fault: "expired" });
});

test("a concealed token says so where it must be understood: a gateway of before refuses it", async () => {
  const holder = { sub: "1", tenant: "acme", concealed: true } as const;
  const token = await signRealtimeToken(keys, holder, at);
  const header = JSON.parse(Buffer.from(token.split(".", 1)[0] ?? "", "base64url").toString());
  assert.deepEqual(header.crit, ["concealed"]);
  const claims = { ...holder, iat: NOW, exp: NOW + 7200 };
  assert.deepEqual(await verifyRealtimeToken(keys, token, NOW), { ok: true, claims });
});

test("an old key verifies until it is retired; the first one signs", async () => {
  const token = await signRealtimeToken(keys, { sub: "1", tenant: "acme" }, at);
  const rotated = parseTokenKeys(`${NEW},${OLD}`);
  assert.equal((await verifyRealtimeToken(rotated, token, NOW)).ok, true);
  assert.equal((await verifyRealtimeToken(parseTokenKeys(NEW), token, NOW)).ok, false);
  const fresh = await signRealtimeToken(rotated, { sub: "1", tenant: "acme" }, at);
  assert.equal((await verifyRealtimeToken(keys, fresh, NOW)).ok, false);
});

test("nothing but an HS256 token of ours with all claims is accepted", async () => {
  const header = { alg: "HS256", kid: "k1" };
  const payload = { sub: "1", tenant: "acme", iat: NOW, exp: NOW + 60 };
  const good = forge(header, payload);
  assert.equal((await verifyRealtimeToken(keys, good, NOW)).ok, true);
  const bad = [
    "",
    "x",
    "a.b.c",
    `${good}x`,
    forge({ alg: "none", kid: "k1" }, payload),
    forge({ alg: "HS512", kid: "k1" }, payload),
    forge({ alg: "HS256" }, payload),
    forge({ alg: "HS256", kid: "__proto__" }, payload),
    forge(header, payload, Buffer.alloc(32, "z")),
    forge(header, { ...payload, sub: 1 }),
    forge(header, { ...payload, sub: "" }),
    forge(header, { ...payload, sub: "a\nb" }),
    forge(header, { ...payload, tenant: "Acme" }),
    forge(header, { ...payload, tenant: "acme.>" }),
    forge(header, { ...payload, exp: undefined }),
    forge(header, { ...payload, exp: "soon" }),
    forge(header, { ...payload, channel: "personal#1" }),
    forge(header, { ...payload, iat: undefined }),
    forge(header, { ...payload, nbf: "now" }),
    forge(header, { ...payload, nbf: 1e300 }),
    forge(header, { ...payload, nbf: NOW + 601 }),
    forge(header, { ...payload, exp: 1e300 }),
    forge(header, { ...payload, exp: NOW + 7201 }),
    forge(header, { ...payload, iat: -1e300 }),
    forge(header, { ...payload, iat: 1e300, exp: 1e300 }),
    forge(header, { ...payload, iat: NOW + 601, exp: NOW + 700 }),
    forge(header, []),
    forge([], payload),
    forge({ ...header, crit: ["x"], x: 1 }, payload),
    forge({ ...header, crit: ["concealed"] }, payload),
    forge({ ...header, concealed: true }, payload),
    forge({ ...header, crit: ["concealed"], concealed: 1 }, payload),
    forge({ ...header, crit: ["concealed", "x"], concealed: true, x: 1 }, payload),
    forge({ ...header, crit: "concealed", concealed: true }, payload),
    forge({ ...header, b64: false }, payload),
    forge({ ...header, kid: 1 }, payload),
    `${good}=`,
    good.replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1)),
    good.replace(".", ".."),
    `${good}.${good}`,
    good.slice(0, good.lastIndexOf(".") + 1),
  ];
  for (const token of bad) {
    const result = await verifyRealtimeToken(keys, token, NOW);
    assert.deepEqual(result, { ok: false, fault: "invalid" }, token);
  }
  const early = forge(header, { ...payload, nbf: NOW + 10 });
  assert.deepEqual(await verifyRealtimeToken(keys, early, NOW), { ok: false, fault: "expired" });
});

test("a token of a clock that is a little ahead is taken, for two hours from then", async () => {
  const payload = { sub: "1", tenant: "acme", iat: NOW + 600, exp: NOW + 7800 };
  const token = forge({ alg: "HS256", kid: "k1" }, payload);
  assert.equal((await verifyRealtimeToken(keys, token, NOW)).ok, true);
});

test("a bad list of keys is refused without showing it", () => {
  for (const text of [
    "",
    "k1",
    "k1:",
    `:${base64("a")}`,
    "k1:c2hvcnQ=",
    `${OLD},${OLD}`,
    `${OLD},`,
  ]) {
    assert.throws(
      () => parseTokenKeys(text),
      (error: Error) =>
        !error.message.includes("c2hvcnQ") && /^realtime token key/.test(error.message),
    );
  }
});
