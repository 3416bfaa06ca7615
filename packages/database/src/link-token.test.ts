import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";
import { type Link, openLink, parseLinkKeys, sealLink } from "./link-token.ts";

const OLD = `old:${randomBytes(32).toString("base64")}`;
const NEW = `new:${randomBytes(32).toString("base64")}`;
const KEYS = parseLinkKeys(OLD);
const NOW = new Date("2026-11-22T12:00:00Z");
const LINK: Link = {
  tenantId: "acme",
  userId: "ann@example.com",
  category: "offers",
  channel: "EMAIL",
};

test("a link says what it was made with, whatever the user's id is", () => {
  for (const userId of ["ann", 'ünï #,"\\/ 日本語', "😀".repeat(255), "<b>&amp;", "constructor"]) {
    const token = sealLink(KEYS, "unsubscribe", { ...LINK, userId });
    assert.match(token, /^old\.[A-Za-z0-9_-]+$/);
    assert.deepEqual(openLink(KEYS, "unsubscribe", token, NOW), {
      ...LINK,
      userId,
      expiresAt: undefined,
    });
  }
});

test("neither user, tenant nor category can be read off a link, and no two links are alike", () => {
  const tokens = Array.from({ length: 200 }, () => sealLink(KEYS, "unsubscribe", LINK));
  assert.equal(new Set(tokens).size, tokens.length);
  for (const token of tokens) {
    const bytes = Buffer.from(token.slice(4), "base64url").toString("latin1");
    for (const word of [LINK.tenantId, LINK.userId, LINK.category, LINK.channel]) {
      assert.ok(!bytes.includes(word) && !token.includes(word));
    }
  }
});

test("a link that is changed in one place, cut, lengthened or spelled otherwise opens nothing", () => {
  const token = sealLink(KEYS, "unsubscribe", LINK);
  const wrong = new Set<string>();
  for (let at = 0; at < token.length; at += 1) {
    wrong.add(token.slice(0, at));
    for (const sign of ["A", "B", "_", "-", ".", "=", "%", "é"]) {
      wrong.add(token.slice(0, at) + sign + token.slice(at + 1));
    }
  }
  for (const sign of ["A", "=", "==", " ", "\n", ".", "/", "\u0000"]) {
    wrong.add(token + sign);
    wrong.add(sign + token);
  }
  wrong.add(token.replace(".", "."));
  wrong.add(token.replaceAll("_", "/").replaceAll("-", "+").replaceAll(".", "="));
  wrong.add(`old.${"A".repeat(38)}`);
  wrong.add(`old.${"A".repeat(1_000_000)}`);
  wrong.delete(token);
  assert.ok(wrong.size > 700);
  for (const one of wrong) assert.equal(openLink(KEYS, "unsubscribe", one, NOW), undefined, one);
  // The last letter may have bits that no byte takes.
  for (const userId of ["a", "ab", "abc"]) {
    const whole = sealLink(KEYS, "unsubscribe", { ...LINK, userId });
    const opening: string[] = [];
    for (const sign of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
      const one = whole.slice(0, -1) + sign;
      if (openLink(KEYS, "unsubscribe", one, NOW) !== undefined) opening.push(sign);
    }
    assert.deepEqual(opening, [whole.at(-1)]);
  }
});

test("a link opens for its own purpose alone", () => {
  const token = sealLink(KEYS, "unsubscribe", LINK);
  assert.equal(openLink(KEYS, "preferences", token, NOW), undefined);
});

test("a link of an old key opens while the key is there, and no key of the same name opens it", () => {
  const token = sealLink(KEYS, "unsubscribe", LINK);
  const both = parseLinkKeys(`${NEW},${OLD}`);
  assert.match(sealLink(both, "unsubscribe", LINK), /^new\./);
  assert.equal(openLink(both, "unsubscribe", token, NOW)?.userId, LINK.userId);
  assert.equal(openLink(parseLinkKeys(NEW), "unsubscribe", token, NOW), undefined);
  const renamed = parseLinkKeys(NEW.replace("new:", "old:"));
  assert.equal(openLink(renamed, "unsubscribe", token, NOW), undefined);
  const moved = parseLinkKeys(OLD.replace("old:", "new:"));
  assert.equal(openLink(moved, "unsubscribe", token.replace("old", "new"), NOW), undefined);
});

test("a link with a time ends then; one without never does", () => {
  const expiresAt = new Date("2026-12-22T12:00:00Z");
  const token = sealLink(KEYS, "preferences", { ...LINK, expiresAt });
  const just = new Date(expiresAt.getTime() - 1);
  assert.deepEqual(openLink(KEYS, "preferences", token, just)?.expiresAt, expiresAt);
  assert.equal(openLink(KEYS, "preferences", token, expiresAt), undefined);
  const lasting = sealLink(KEYS, "unsubscribe", LINK);
  assert.ok(openLink(KEYS, "unsubscribe", lasting, new Date("2126-01-01T00:00:00Z")));
});
