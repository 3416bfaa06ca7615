import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "./load.ts";
import type { VendorMood, VendorRequest } from "./vendors.ts";
import { type Arrivals, DOUBLE_CAUSES, judge, type RecordedAttempt } from "./verdict.ts";

const tenant = { id: "t1", apiKey: "k", users: ["ann"] };
const HEALED_AT = 1000;

function entry(status: number, over: Partial<Entry> = {}): Entry {
  const tries = [{ at: 500, tookMs: 10, status, silent: false }];
  const accepted = status === 200 ? { acceptedAt: 510, eventId: "e1" } : {};
  return { key: "key-a-1", tenant, user: "ann", tries, ...accepted, ...over };
}

const request = (channel: "EMAIL" | "SMS", answer: VendorMood = "accepts"): VendorRequest => ({
  key: "key-a-1",
  channel,
  at: 1200,
  answer,
});

const ALL: Arrivals = {
  email: [request("EMAIL")],
  sms: [request("SMS")],
  push: [{ id: "e1", at: 1300 }],
};

const verdictOf = (one: Entry, arrivals: Arrivals, attempts: RecordedAttempt[] = []) =>
  judge([one], () => arrivals, attempts, HEALED_AT);

test("what arrived everywhere once is neither lost nor doubled", () => {
  const verdict = verdictOf(entry(200), ALL);
  assert.deepEqual([verdict.accepted, verdict.lost, verdict.unexplained], [1, [], []]);
  assert.equal(verdict.lastArrivalMs, 300);
});

test("each channel that an accepted event did not reach is lost, refused by the vendor or not", () => {
  const verdict = verdictOf(entry(200), {
    email: [request("EMAIL", "broken")],
    sms: [],
    push: [],
  });
  assert.deepEqual(verdict.lost, ["key-a-1 EMAIL", "key-a-1 SMS", "key-a-1 PUSH"]);
});

test("a second copy needs an attempt that may have reached the vendor; a refused one is no copy", () => {
  const twice = { ...ALL, email: [request("EMAIL", "hangs"), request("EMAIL")] };
  const attempt = { eventId: "e1", channel: "EMAIL", class: "accepted", reason: null };
  assert.deepEqual(verdictOf(entry(200), twice, [attempt]).unexplained, ["key-a-1 EMAIL"]);
  const ambiguous = {
    ...attempt,
    class: "ambiguous",
    reason: "the request left and no answer came",
  };
  const explained = verdictOf(entry(200), twice, [ambiguous, attempt]);
  assert.deepEqual(explained.unexplained, []);
  assert.deepEqual([...explained.doubled], [[DOUBLE_CAUSES.unanswered, 1]]);
  const refused = { ...ALL, email: [request("EMAIL", "throttled"), request("EMAIL")] };
  assert.deepEqual(verdictOf(entry(200), refused).unexplained, []);
});

test("a publication twice is never explained", () => {
  const twice = { ...ALL, push: [...ALL.push, ...ALL.push] };
  assert.deepEqual(verdictOf(entry(200), twice).unexplained, ["key-a-1 PUSH"]);
});

test("what was refused and sent all the same, and what was met with silence, is told", () => {
  assert.deepEqual(verdictOf(entry(429), ALL).sentThoughRefused, ["key-a-1"]);
  const unsure = (status: number | null) => ({ at: 400, tookMs: 1500, status, silent: false });
  const retried = entry(429);
  retried.tries.unshift(unsure(500));
  assert.deepEqual(verdictOf(retried, ALL).sentThoughRefused, []);
  const twice = { ...ALL, push: [...ALL.push, ...ALL.push] };
  assert.deepEqual(verdictOf(retried, twice).unexplained, ["key-a-1 PUSH"]);
  const silent = entry(200, { tries: [{ at: 500, tookMs: 5500, status: null, silent: true }] });
  assert.equal(verdictOf(silent, ALL).silent, 1);
});
