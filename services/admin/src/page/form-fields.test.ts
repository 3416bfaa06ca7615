import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldMoment, readMoment, readMoments } from "./form-fields.ts";
import { withTimes } from "./words.ts";

test("a moment is understood with its offset, and without one in UTC; what is none is refused", () => {
  const moments = {
    "2026-03-01T10:00": "2026-03-01T10:00:00.000Z",
    "2026-03-01T10:00:05.5Z": "2026-03-01T10:00:05.500Z",
    "2026-03-01T10:00+09:00": "2026-03-01T01:00:00.000Z",
  };
  for (const [text, moment] of Object.entries(moments)) {
    assert.equal(readMoment(text)?.toISOString(), moment, text);
  }
  for (const text of ["", "soon", "2026-02-30T10:00", "2026-03-01", "2026-03-01T25:00"]) {
    assert.equal(readMoment(text), undefined, text);
  }
  assert.equal(fieldMoment("2026-03-01T10:00+09:00"), "2026-03-01T01:00");
  const {
    moments: found,
    shown,
    faults,
  } = readMoments({
    from: "2026-03-01T10:00+09:00",
    to: "soon",
  });
  assert.deepEqual(found, { from: new Date("2026-03-01T01:00Z") });
  assert.deepEqual(shown, { from: "2026-03-01T01:00", to: "soon" });
  assert.deepEqual(faults, { to: "must be a date and time" });
});

test("words are shown with the moments in them as times, and everything else escaped", () => {
  assert.equal(
    String(withTimes("<b>quiet</b> until 2026-03-01T10:00:00+09:00, or 2026-13-01T10:00:00Z")),
    '&lt;b&gt;quiet&lt;/b&gt; until <time datetime="2026-03-01T01:00:00.000Z" data-form="full" ' +
      'title="2026-03-01 01:00:00 UTC">2026-03-01 01:00:00 UTC</time>, or 2026-13-01T10:00:00Z',
  );
  assert.equal(String(withTimes(null)), "");
});
