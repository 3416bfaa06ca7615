import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";
import { openLink, parseLinkKeys } from "@belfry/database/link-token";
import { type LinkedMessage, messageLinks } from "./make-message.ts";

const LINK_KEYS = `k1:${randomBytes(32).toString("base64")}`;
const KEYS = parseLinkKeys(LINK_KEYS);
const CONFIG = { PUBLIC_URL: "https://mail.example.com/belfry/", LINK_KEYS };
const NOW = new Date("2026-11-22T12:00:00Z");
const MESSAGE: LinkedMessage = {
  tenantId: "acme",
  userId: "ann@example.com",
  category: "offers.summer",
  channel: "EMAIL",
};

test("a message's links open its own preference cell, and for 30 days all preferences of its user", () => {
  const links = messageLinks(CONFIG)!;
  const unsubscribe = links.unsubscribeUrl(MESSAGE);
  const token = unsubscribe.slice("https://mail.example.com/belfry/unsubscribe/".length);
  const far = new Date("2126-11-22T12:00:00Z");
  assert.deepEqual(openLink(KEYS, "unsubscribe", token, far), {
    ...MESSAGE,
    expiresAt: undefined,
  });
  const preferences = links.preferencesUrl(MESSAGE, NOW);
  const ofPage = preferences.slice("https://mail.example.com/belfry/preferences/".length);
  const cell = { ...MESSAGE, category: "*", channel: "*" };
  const expiresAt = new Date("2026-12-22T12:00:00Z");
  assert.deepEqual(openLink(KEYS, "preferences", ofPage, NOW), { ...cell, expiresAt });
  assert.equal(openLink(KEYS, "preferences", ofPage, expiresAt), undefined);
});

test("the List-Id of an email consists of category, tenant and host, in characters that a header allows", () => {
  const links = messageLinks(CONFIG)!;
  for (const [category, listId] of [
    ["offers", "offers.acme.mail.example.com"],
    ["offers.summer", "offers.summer.acme.mail.example.com"],
    ["a..b._-.", "a.b._-.acme.mail.example.com"],
    ["*", "all.acme.mail.example.com"],
  ] as const) {
    const message = { ...MESSAGE, category };
    const url = links.unsubscribeUrl(message);
    assert.deepEqual(links.listHeaders(message, url), { listUnsubscribe: url, listId });
  }
});

test("an address too long for a header line makes no headers; the longest plain id makes some", () => {
  const links = messageLinks({ ...CONFIG, PUBLIC_URL: `https://${"a".repeat(60)}.example.com` })!;
  const headersOf = (userId: string) => {
    const message = { ...MESSAGE, userId, category: "c".repeat(64) };
    return links.listHeaders(message, links.unsubscribeUrl(message));
  };
  assert.ok(headersOf("a".repeat(255)));
  assert.ok(headersOf("ü".repeat(255)));
  assert.equal(headersOf("😀".repeat(255)), undefined);
});

test("without an address or keys a message has no links", () => {
  assert.equal(messageLinks({ ...CONFIG, PUBLIC_URL: "" }), undefined);
  assert.equal(messageLinks({ ...CONFIG, LINK_KEYS: "" }), undefined);
});
