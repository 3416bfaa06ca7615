import assert from "node:assert/strict";
import test from "node:test";
import { NOW_MS } from "../test/messages.ts";
import { createVapidTokens } from "./vapid.ts";
import { createVapidKeys } from "./web-push-encryption.ts";

const HOUR_MS = 3_600_000;

test("a token is signed once for an origin and a pair of keys, and again before it ends", async () => {
  let nowMs = NOW_MS;
  const [keys, others] = [createVapidKeys(), createVapidKeys()];
  const tokenFor = createVapidTokens("mailto:ops@example.com", () => nowMs);
  // A signature is random: equal tokens are one signature.
  const [first, same] = await Promise.all([
    tokenFor("https://a.example", keys),
    tokenFor("https://a.example", keys),
  ]);
  assert.equal(same, first);
  assert.notEqual(await tokenFor("https://a.example", others), first);
  assert.notEqual(await tokenFor("https://b.example", keys), first);
  nowMs = NOW_MS + 11 * HOUR_MS - 1;
  assert.equal(await tokenFor("https://a.example", keys), first);
  nowMs += 1;
  const next = await tokenFor("https://a.example", keys);
  assert.notEqual(next, first);
  assert.equal(await tokenFor("https://a.example", keys), next);
});

test("of the tokens for many origins the last 1,000 that were used are kept", async () => {
  const keys = createVapidKeys();
  const tokenFor = createVapidTokens("mailto:ops@example.com", () => NOW_MS);
  const at = (n: number) => tokenFor(`https://${n}.example`, keys);
  const [used, unused] = [await at(0), await at(1)];
  for (let n = 2; n <= 999; n += 1) await at(n);
  assert.equal(await at(0), used);
  await at(1000);
  assert.equal(await at(0), used);
  assert.notEqual(await at(1), unused);
});
