import assert from "node:assert/strict";
import { test } from "node:test";
import { smsSegments } from "./sms-segments.ts";

const gsm = (segments: number) => ({ encoding: "GSM-7", segments });
const ucs = (segments: number) => ({ encoding: "UCS-2", segments });

test("GSM-7: 160 characters in one segment, 153 in each of several", () => {
  assert.deepEqual(smsSegments("a".repeat(160)), gsm(1));
  assert.deepEqual(smsSegments("a".repeat(161)), gsm(2));
  assert.deepEqual(smsSegments("a".repeat(306)), gsm(2));
  assert.deepEqual(smsSegments("a".repeat(307)), gsm(3));
  assert.deepEqual(smsSegments("à@£Ω\n\r€"), gsm(1));
});

test("a character of the extension table counts double and is not split", () => {
  assert.deepEqual(smsSegments("€".repeat(80)), gsm(1));
  assert.deepEqual(smsSegments("€".repeat(81)), gsm(2));
  // 153 is odd: the 77th sign would stand across the border.
  assert.deepEqual(smsSegments("€".repeat(153)), gsm(3));
  assert.deepEqual(smsSegments(`${"€".repeat(152)}a`), gsm(2));
});

test("one character outside GSM-7 makes the whole text UCS-2: 70 and 67", () => {
  assert.deepEqual(smsSegments("й".repeat(70)), ucs(1));
  assert.deepEqual(smsSegments("й".repeat(71)), ucs(2));
  assert.deepEqual(smsSegments(`${"a".repeat(134)}`), gsm(1));
  assert.deepEqual(smsSegments(`${"a".repeat(133)}ç`), ucs(2));
  assert.deepEqual(smsSegments(`${"a".repeat(134)}’`), ucs(3));
});

test("a surrogate pair is two units and is not split", () => {
  assert.deepEqual(smsSegments("😀".repeat(35)), ucs(1));
  assert.deepEqual(smsSegments("😀".repeat(36)), ucs(2));
  // 67 is odd: 33 pairs a segment.
  assert.deepEqual(smsSegments("😀".repeat(67)), ucs(3));
});
