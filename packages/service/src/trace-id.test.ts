import assert from "node:assert/strict";
import { test } from "node:test";
import { newTraceId, parseTraceParent, traceIdOf } from "./trace-id.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const PARENT = `00-${TRACE}-${SPAN}-01`;
const NEW = /^[0-9a-f]{32}$/;
const traceOfParent = (header: string) => parseTraceParent(header)?.traceId;

test("X-Trace-Id wins, then traceparent, then a new one", () => {
  assert.equal(traceIdOf({ "x-trace-id": "mine", traceparent: PARENT }), "mine");
  assert.equal(traceIdOf({ traceparent: PARENT }), TRACE);
  assert.equal(traceIdOf({ "x-trace-id": "not valid", traceparent: PARENT }), TRACE);
  for (const headers of [{}, { "x-trace-id": "not valid", traceparent: "nor this" }]) {
    assert.match(traceIdOf(headers), NEW);
  }
});

test("a traceparent is read as W3C Trace Context says, whatever its flags", () => {
  for (const [flags, sampled] of Object.entries({
    "00": false,
    "01": true,
    "02": false,
    ff: true,
  })) {
    const parent = { traceId: TRACE, spanId: SPAN, sampled };
    assert.deepEqual(parseTraceParent(`00-${TRACE}-${SPAN}-${flags}`), parent);
  }
});

test("a traceparent of a later version counts as far as it is understood", () => {
  assert.equal(traceOfParent(`01-${TRACE}-${SPAN}-01`), TRACE);
  assert.equal(traceOfParent(`cc-${TRACE}-${SPAN}-01-what the future will be like`), TRACE);
  assert.equal(traceOfParent(`fe-${TRACE}-${SPAN}-01-`), TRACE);
  for (const bad of [
    `cc-${TRACE}-${SPAN}-01.what the future will not be like`,
    `cc-${TRACE}-${SPAN}-011`,
    `cc-${TRACE}-${SPAN}`,
  ]) {
    assert.equal(traceOfParent(bad), undefined, bad);
  }
});

test("a malformed traceparent, or more than one, is ignored", () => {
  const bad = [
    "",
    TRACE,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-0`,
    `00-${TRACE}-${SPAN}-0x`,
    `00-${TRACE}-${SPAN}`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `01-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `0A-${TRACE}-${SPAN}-01`,
    `00-${TRACE.slice(1)}-${SPAN}-01`,
    `00-${TRACE}0-${SPAN}-01`,
    `00-${TRACE}-${SPAN.slice(1)}-01`,
    `00_${TRACE}_${SPAN}_01`,
    ` 00-${TRACE}-${SPAN}-01`,
    `${PARENT}, ${PARENT}`,
    `01-${TRACE}-${SPAN}-01, ${PARENT}`,
    `00-${"٣".repeat(32)}-${SPAN}-01`,
    `01-${TRACE}-${SPAN}-01-${"x".repeat(300)}`,
  ];
  for (const header of bad) {
    assert.equal(traceOfParent(header), undefined, header);
    assert.match(traceIdOf({ traceparent: header }), NEW, header);
  }
});

test("no two new trace ids are the same, and each is fit for a traceparent", () => {
  const ids = new Set(Array.from({ length: 2000 }, newTraceId));
  assert.equal(ids.size, 2000);
  for (const id of ids) assert.equal(traceOfParent(`00-${id}-${SPAN}-01`), id);
});
