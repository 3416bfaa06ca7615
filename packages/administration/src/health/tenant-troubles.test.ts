import assert from "node:assert/strict";
import { test } from "node:test";
import { ALERT_THRESHOLDS } from "@belfry/contracts/alerts";
import type { DeadClass, DeadGroupRow } from "../dead-letters/dead-letter-rows.ts";
import type { ActivitySum } from "./activity-sums.ts";
import { isWrong, troublesOf } from "./tenant-troubles.ts";

const AT = new Date("2026-01-02T10:00:00Z");

function sum(groupedBy: "channel" | "reason", name: string, more: Partial<ActivitySum>) {
  const none = { accepted: 0, sent: 0, delivered: 0, failed: 0, skipped: 0, waiting: 0, read: 0 };
  return { ...none, startsAt: AT, groupedBy, name, latencies: [], ...more };
}

function dead(ofClass: DeadClass, count: number, reason: string): DeadGroupRow {
  const example = { id: "1", eventId: "2", reason, endedAt: AT.toISOString() };
  const group = { tenantId: "a", channel: "EMAIL", provider: "sendgrid", class: ofClass } as const;
  return { ...group, count, oldest: AT, newest: AT, examples: [example] };
}

const shown = (sums: ActivitySum[], letters: DeadGroupRow[]) =>
  troublesOf(sums, letters).map(
    ({ channel, failed, of, code, dead: group }) =>
      `${failed} of ${of} ${channel}: ${group?.reason ?? code}`,
  );

test("each cause is found with how many it hit of all that ended; a few wrong addresses among many are none", () => {
  const sent = sum("channel", "EMAIL", { sent: 8, failed: 42 });
  // The sums' count of dead letters is older than these dead letters.
  const stale = sum("reason", "EMAIL credentials", { failed: 500 });
  assert.deepEqual(shown([sent, stale], [dead("credentials", 42, "SendGrid refused the key")]), [
    "42 of 50 EMAIL: SendGrid refused the key",
  ]);
  const many = sum("channel", "EMAIL", { sent: 1000 });
  assert.deepEqual(shown([many], [dead("permanent", 9, "no such user")]), []);
  assert.deepEqual(shown([sum("channel", "EMAIL", { sent: 10 })], [dead("permanent", 1, "x")]), []);
  assert.deepEqual(shown([], [dead("permanent", 1, "x")]), ["1 of 1 EMAIL: x"]);
});

test("what bounced, has no provider, or no template at all is found too, the worst first", () => {
  const sums = [
    sum("channel", "EMAIL", { sent: 80 }),
    sum("channel", "ALL", { accepted: 40 }),
    sum("reason", "EMAIL bounced", { failed: 20 }),
    sum("reason", "EMAIL discarded", { failed: 90 }),
    sum("reason", "SMS no-provider", { skipped: 30 }),
    sum("reason", "SMS throttled", { skipped: 900 }),
    sum("reason", "ALL no-template", { skipped: 30 }),
  ];
  assert.deepEqual(shown(sums, []), [
    "30 of 30 SMS: no-provider",
    "30 of 40 ALL: no-template",
    "20 of 100 EMAIL: bounced",
  ]);
});

test("what people are told of by mail is wrong on the page to which the mail leads, too", () => {
  const { failedPercent, failedOfMessages: least } = ALERT_THRESHOLDS;
  for (let of = least; of < 10 * least; of += 1) {
    assert.equal(isWrong(Math.ceil((of * failedPercent) / 100), of), true, `of ${of}`);
  }
  const few = Math.ceil((least * failedPercent) / 100) - 1;
  assert.equal(isWrong(few, least), false);
  assert.equal(isWrong(few + 1, 100 * least), false);
});
