import assert from "node:assert/strict";
import { test } from "node:test";
import type { DigestSettings } from "@belfry/contracts/delivery";
import type { Database } from "@belfry/database/connection";
import { assertEach } from "@belfry/testing/assert-each";
import { aDelivery, anEvent } from "@belfry/testing/rows";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import { actsIn } from "../../test/acts.ts";
import { refusedWith, refusesEach, tenantDatabase } from "../../test/database.ts";
import { putTemplate } from "../../test/templates.ts";
import { createTenant, updateTenant } from "../tenants/tenants.ts";
import { publishDraft, putDraft } from "./drafts.ts";
import { readTemplateFile, writeTemplateFile } from "./template-file.ts";
import type { TemplateInput } from "./template-input.ts";
import { readTemplate } from "./templates.ts";

const SMS = { eventType: "comment.new", channel: "SMS", content: "{{ $count }} comments" } as const;
const PUSH = { eventType: "comment.new", channel: "PUSH", title: "Hi", content: "Hi" } as const;
const DAY = 24 * 60 * 60;

async function withTenant(t: Parameters<typeof tenantDatabase>[0]) {
  const { db, tenantId } = await tenantDatabase(t);
  const put = (input: Omit<TemplateInput, "tenantId">) => putTemplate(db, { ...input, tenantId });
  const putSms = (input: Partial<TemplateInput>) => put({ ...SMS, ...input });
  return { db, tenantId, put, putSms };
}

test("what is left out stays, null takes away, and what says the same is no change", async (t) => {
  const { db, put } = await withTenant(t);
  const digest = { windowSeconds: 60, sliding: false, leading: true, days: [] };
  const timing = { digest, throttle: { count: 1, seconds: 60 }, afterUnreadSeconds: 600 };
  const { id } = await put({ ...SMS, ...timing });
  const once = await put({ ...SMS, content: "Other" });
  assert.deepEqual(once.digest, { windowSeconds: 60, leading: true });
  assert.deepEqual([once.throttle, once.afterUnreadSeconds], [{ count: 1, seconds: 60 }, 600]);
  const { updatedAt } = await put({ ...SMS, content: "Other", digest });
  assert.equal(updatedAt, once.updatedAt);
  await put({ ...SMS, locale: "de", throttle: null });
  await put({ ...SMS, digest: null, afterUnreadSeconds: null });
  const none = await readTemplate(db, { id });
  assert.deepEqual([none.digest, none.throttle, none.afterUnreadSeconds], [null, null, null]);
});

test("each fault names its field and its rule", async (t) => {
  const { putSms } = await withTenant(t);
  const digests: [DigestSettings, RegExp][] = [
    [{}, /digest must have either a window/],
    [{ windowSeconds: 60, at: "09:00" }, /digest must have either a window/],
    [{ windowSeconds: 0 }, /digest windowSeconds must be an integer from 1 to 604800/],
    [{ windowSeconds: 604_801 }, /windowSeconds/],
    [{ windowSeconds: 1.5 }, /windowSeconds/],
    [{ at: "9:00" }, /at must be a time of day/],
    [{ at: "24:00" }, /at must be a time of day/],
    [{ at: "09:00", days: [0] }, /days must be of 1 \(Monday\)/],
    [{ windowSeconds: 60, days: [1] }, /days go with/],
    [{ at: "09:00", sliding: true }, /sliding goes with/],
    [{ windowSeconds: 60, maxSeconds: 90 }, /maxSeconds goes with sliding/],
    [{ windowSeconds: 60, sliding: true, maxSeconds: 59 }, /must not be less than the window/],
    [{ windowSeconds: 60, key: " a" }, /key must be the name/],
  ];
  const both = /throttle count must be an integer from 1 to 100\nthrottle seconds must be/;
  await refusesEach(putSms, [
    ...digests.map(([digest, words]) => [{ digest }, words] as const),
    [{ throttle: { count: 101, seconds: 0 } }, both],
    [{ afterUnreadSeconds: 0 }, /afterUnreadSeconds must/],
    [{ ...PUSH, digest: { windowSeconds: 60 } }, /digest is only for EMAIL, SMS, DEVICE or CHAT/],
  ]);
});

test("a digest and a sensitive template of one event type are refused, whichever comes second", async (t) => {
  const { put } = await withTenant(t);
  const digest = { windowSeconds: 60 };
  await refusedWith(
    put({ ...SMS, digest, sensitive: true }),
    /digest does not go with a sensitive template of the event type \(SMS\)/,
  );
  await put({ ...SMS, digest });
  await refusedWith(put({ ...PUSH, sensitive: true }), /sensitive does not go.*\(SMS\)/);
  await put({ ...SMS, digest: null });
  await put({ ...PUSH, sensitive: true });
  await refusedWith(put({ ...SMS, digest }), /digest does not go.*\(PUSH\)/);
  await put({ ...SMS, eventType: "another", digest });
});

test("a digest that drops events is warned of: duplicates by the automatic key, and a text of the newest alone", async (t) => {
  const { db, tenantId, put } = await withTenant(t);
  const digest = { windowSeconds: 60 };
  const gaps = async (input: Partial<TemplateInput>) =>
    (await put({ ...SMS, ...input })).warnings.map(({ field }) => field);
  const { warnings } = await put({ ...SMS, digest });
  assertEach(warnings, ({ field }) => field, ["digest"]);
  assert.match(warnings[0]!.message, /are one event for 24 hours/);
  const draft = { ...SMS, content: "By {{ author }}" };
  const saved = await actsIn(db, tenantId)(putDraft, draft);
  assertEach(saved.warnings, ({ field }) => field, ["digest", "content"]);
  const published = await actsIn(db, tenantId)(publishDraft, {
    eventType: SMS.eventType,
    channel: SMS.channel,
  });
  assertEach(published.warnings, ({ field }) => field, ["digest", "content"]);
  await updateTenant(db, tenantId, { dedupIncludesVariables: true });
  assert.deepEqual(await gaps({}), []);
  assert.deepEqual(await gaps({ content: "{{ author }}", locale: "de" }), ["content"]);
  assert.deepEqual(await gaps({ content: "{% for x in $items %}{{ x.author }}{% endfor %}" }), []);
  const mail = { channel: "EMAIL", subject: "{{ $count }} new", content: "{{ author }}" } as const;
  assert.deepEqual(await gaps({ ...mail, digest }), ["content"]);
  assert.deepEqual(await gaps({ ...mail, digest: null }), []);
});

test("nothing waits beyond the retention, whichever is set second", async (t) => {
  const { db, tenantId, put, putSms } = await withTenant(t);
  await updateTenant(db, tenantId, { eventRetentionDays: 11, notificationRetentionDays: 12 });
  const window = (windowSeconds: number) => ({ digest: { windowSeconds } });
  await putSms(window(3 * DAY));
  await refusesEach(putSms, [
    [window(3 * DAY + 1), /digest must let nothing wait longer than 3 days/],
    [{ digest: { windowSeconds: 60, sliding: true } }, /digest must let nothing wait/],
    [{ digest: { at: "09:00", days: [1] } }, /digest must let nothing wait/],
    [{ afterUnreadSeconds: 4 * DAY }, /afterUnreadSeconds/],
  ]);
  await refusedWith(
    updateTenant(db, tenantId, { eventRetentionDays: 10 }),
    /eventRetentionDays is too short: events may wait longer for the SMS template of "comment.new"/,
  );
  await put({ ...SMS, digest: { at: "09:00" } });
  await updateTenant(db, tenantId, { eventRetentionDays: 10 });
});

test("a retention is not shortened while an event is scheduled beyond it", async (t) => {
  const { db, tenantId } = await withTenant(t);
  const { id: other } = await createTenant(db, { name: "Other" });
  await schedule(db, tenantId, 12 * DAY);
  await refusedWith(
    updateTenant(db, tenantId, { eventRetentionDays: 19 }),
    /eventRetentionDays is too short: an event is scheduled beyond it, the last for 20\d\d-/,
  );
  await refusedWith(
    updateTenant(db, tenantId, { notificationRetentionDays: 19 }),
    /notificationRetentionDays is too short/,
  );
  await updateTenant(db, tenantId, { eventRetentionDays: 20, notificationRetentionDays: 21 });
  await updateTenant(db, other, { eventRetentionDays: 1 });
});

test("nor while a message gathers beyond it, whatever its template says by now", async (t) => {
  const { db, tenantId } = await withTenant(t);
  const digest = uuidv7();
  await sql`
    insert into digests (id, tenant_id, event_type, channel, user_id, locale, key, opened_at, window_ends_at)
    values (${digest}, ${tenantId}, 'comment.new', 'SMS', 'ann', '', '', now(), now() + interval '4 days')`.execute(
    db,
  );
  const dueAt = new Date(Date.now() + 4 * DAY * 1000);
  await aDelivery(db, { event_id: digest, tenant_id: tenantId, channel: "SMS", due_at: dueAt });
  await refusedWith(
    updateTenant(db, tenantId, { eventRetentionDays: 11 }),
    /eventRetentionDays is too short: a message waits beyond it, the last until 20\d\d-/,
  );
  await updateTenant(db, tenantId, { eventRetentionDays: 13 });
});

test("a file of a template says its timing a line each, and reads it again", () => {
  const digest = { at: "09:00", days: [1, 4], key: "post_id", leading: true };
  const file = { content: "x", digest, throttle: { count: 5, seconds: 60 }, afterUnreadSeconds: 9 };
  const text = writeTemplateFile(file);
  assert.match(
    text,
    /digest-at: 09:00\ndigest-days: mon,thu\ndigest-key: post_id\ndigest-leading: yes\n/,
  );
  assert.match(text, /throttle: 5\/60\nafter-unread-seconds: 9\n/);
  assert.deepEqual(readTemplateFile(text), { ok: true, file });
  const sliding = { content: "x", digest: { windowSeconds: 1, sliding: true, maxSeconds: 2 } };
  assert.deepEqual(readTemplateFile(writeTemplateFile(sliding)), { ok: true, file: sliding });
  for (const line of [
    "throttle: 5",
    "digest-days: someday",
    "digest-sliding: no",
    "digest-window-seconds: 1h",
  ]) {
    const read = readTemplateFile(`---\n${line}\n---\n`);
    assert.ok(!read.ok && /must be/.test(read.faults[0]!.message), line);
  }
});

async function schedule(db: Database, tenantId: string, inSeconds: number): Promise<void> {
  const at = new Date();
  const id = await anEvent(db, { tenant_id: tenantId, accepted_at: at, dispatched_at: null });
  const sendAt = new Date(at.getTime() + inSeconds * 1000);
  await db
    .insertInto("scheduled_events")
    .values({ event_id: id, tenant_id: tenantId, send_at: sendAt, trace_id: "t" })
    .execute();
}
