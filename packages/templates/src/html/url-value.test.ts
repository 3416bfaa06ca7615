import assert from "node:assert/strict";
import { test } from "node:test";
import { styleValue } from "./attribute-slots.ts";
import {
  schemeIsSettled,
  styleUrlRest,
  styleUrlStart,
  urlListRest,
  urlListStart,
  urlRest,
  urlStart,
} from "./url-value.ts";

test("http, https, mailto, tel and sms survive at the beginning of an address", () => {
  for (const url of [
    "https://x.io/a?b=c&d=%20#e",
    "HTTP://x.io",
    "mailto:a@x.io",
    "tel:+12025550123",
    "sms:+12025550123?body=Hi",
    "https://مثال.io/é",
  ]) {
    assert.equal(urlStart(url), url);
  }
  assert.equal(urlStart("  https://x.io/a b\n"), "https://x.io/a%20b");
});

test("every other scheme, hidden or not, becomes #", () => {
  for (const url of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    "java\r\nscript:alert(1)",
    " \u0001javascript:alert(1)",
    "\u0000javascript:alert(1)",
    "\u00a0javascript:alert(1)",
    "\ufeffjavascript:alert(1)",
    "java&#115;cript:alert(1)",
    "javascript&colon;alert(1)",
    "data:text/html,<script>",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://x",
    "//evil.io",
    "/path",
    "x.io",
    "",
    `https://x.io/${"a".repeat(9000)}`,
  ]) {
    assert.equal(urlStart(url), "#", JSON.stringify(url));
  }
});

test("inside an address only what it cannot hold is percent-encoded", () => {
  assert.equal(urlRest("a/b?c=d&e=%20#f"), "a/b?c=d&e=%20#f");
  assert.equal(urlRest('" onload=x\n<>'), "%22%20onload=x%0A%3C%3E");
  assert.equal(urlRest("a".repeat(8192)).length, 8192);
  assert.equal(urlRest("a".repeat(8193)), "");
});

test("a value in a list of addresses begins no other one", () => {
  assert.equal(urlListStart("https://x.io/a,javascript:b"), "https://x.io/a%2Cjavascript:b");
  assert.equal(urlListRest("a, b"), "a%2C%20b");
});

test("a value in a style is a colour, a length or a name, and never more than that", () => {
  for (const value of ["#1a2b3c", "12px", "1.5em -2%", "Arial, sans-serif", ""]) {
    assert.equal(styleValue(value), value);
  }
  for (const sign of [...";:()[]{}<>\"'\\/*@&=!|\n", "é"]) {
    assert.equal(styleValue(`red${sign}`), "", sign);
  }
  assert.equal(styleValue("a".repeat(201)), "");
});

test("an address in a style is http or https and cannot end its string or function", () => {
  assert.equal(styleUrlStart("https://x.io/a.png"), "https://x.io/a.png");
  assert.equal(styleUrlStart("https://x.io/');color:red"), "https://x.io/%27%29%3Bcolor:red");
  assert.equal(styleUrlStart("mailto:a@x.io"), "");
  assert.equal(styleUrlStart("javascript:x"), "");
  assert.equal(styleUrlRest("a')\\b"), "a%27%29%5Cb");
});

test("a template's own text settles the scheme or not", () => {
  for (const prefix of [
    "https://x.io/",
    "mailto:",
    "cid:",
    "/a/",
    "#",
    "?q=",
    "images/",
    " https:",
  ]) {
    assert.equal(schemeIsSettled(prefix), true, prefix);
  }
  for (const prefix of [
    "java",
    "javascript:",
    "data:image/png;base64,",
    "java&#115;",
    "&#106;/",
    "x",
  ]) {
    assert.equal(schemeIsSettled(prefix), false, prefix);
  }
});
