import assert from "node:assert/strict";
import { test } from "node:test";
import { BAD_ADDRESSES } from "@belfry/testing/hostile";
import { refusedWith, refusesEach, tenantDatabase } from "../../test/database.ts";
import { putTemplate } from "../../test/templates.ts";
import type { TemplateInput } from "./template-input.ts";

const EMAIL = {
  eventType: "invoice",
  channel: "EMAIL",
  subject: "Hi",
  content: "<p>Hi</p>",
} as const;
const COPIES = { cc: ["c@example.com"], bcc: ["b@example.com"] };
const NO_LINK = /^cc does not go with a link to unsubscribe.*\nbcc does not go with/;

async function withTenant(t: Parameters<typeof tenantDatabase>[0]) {
  const { db, tenantId } = await tenantDatabase(t);
  const put = (input: Omit<TemplateInput, "tenantId">) => putTemplate(db, { ...input, tenantId });
  /** Assigns a category to the event type. */
  const assign = async (required: boolean) => {
    const key = required ? "security" : "offers";
    await db
      .insertInto("categories")
      .values({ tenant_id: tenantId, key, label: '{"":"x"}', description: "{}", required })
      .execute();
    await db
      .insertInto("event_type_categories")
      .values({ tenant_id: tenantId, event_type: EMAIL.eventType, category: key })
      .execute();
  };
  return { put, assign };
}

test("a template's envelope is kept as addresses are, stays where a save does not name it, and goes where it is empty", async (t) => {
  const { put } = await withTenant(t);
  const said = await put({
    ...EMAIL,
    fromName: " {{agent}} of Acme ",
    replyTo: "help@bücher.example",
    cc: ["c@Bücher.example", "C@xn--bcher-kva.example"],
    bcc: ["b@example.com"],
  });
  const envelope = {
    fromName: "{{agent}} of Acme",
    replyTo: "help@xn--bcher-kva.example",
    cc: ["c@xn--bcher-kva.example"],
    bcc: ["b@example.com"],
  };
  const of = ({ fromName, replyTo, cc, bcc }: typeof said) => ({ fromName, replyTo, cc, bcc });
  assert.deepEqual(of(said), envelope);
  assert.deepEqual(of(await put({ ...EMAIL, content: "<p>Other</p>" })), envelope);
  const gone = await put({ ...EMAIL, fromName: "", replyTo: " ", cc: [], bcc: null });
  assert.deepEqual(of(gone), { fromName: null, replyTo: null, cc: null, bcc: null });
});

test("each part that no mail could have is refused, and so is each of another channel", async (t) => {
  const { put } = await withTenant(t);
  const mail = (part: Partial<TemplateInput>) => put({ ...EMAIL, ...part });
  for (const bad of BAD_ADDRESSES.filter(
    (text) => text.trim() !== "" && !/[\0\ud800-\udfff]/.test(text),
  )) {
    if (bad === bad.trim()) await refusesEach(mail, [[{ replyTo: bad }, /^replyTo must /]]);
    await refusesEach(mail, [
      [{ cc: ["a@example.com", bad] }, /^cc must have only email addresses: number 2/],
      [{ bcc: [bad] }, /^bcc must have only email addresses: number 1/],
    ]);
  }
  const sms = { channel: "SMS", subject: undefined } as const;
  await refusesEach(mail, [
    [{ fromName: "a\r\nBcc: evil@x.io" }, /^fromName must not contain control/],
    [{ fromName: "{{a}}\r\nBcc: evil@x.io" }, /^fromName must not contain the character/],
    [{ fromName: "{{a" }, /^fromName /],
    [{ replyTo: "{% if a %}" }, /^replyTo /],
    [{ replyTo: "jörg@example.com" }, /^replyTo .* only ASCII/],
    [{ cc: Array.from({ length: 11 }, (_, n) => `a${n}@x.io`) }, /^cc must have at most 10/],
    [{ ...sms, fromName: "a", cc: ["a@x.io"] }, /^fromName is only for EMAIL\ncc is only/],
  ]);
});

test("copies are refused of a mail that holds its recipient's link to unsubscribe, in whatever order it is saved", async (t) => {
  const { put, assign } = await withTenant(t);
  for (const name of ["$unsubscribe_url", "$preferences_url"]) {
    const content = `<p><a href="{{ ${name} }}">x</a></p>`;
    await refusedWith(put({ ...EMAIL, ...COPIES, content }), NO_LINK);
    const never = `<p>{% if never %}{{ ${name} }}{% endif %}</p>`;
    await refusedWith(put({ ...EMAIL, ...COPIES, content: never }), NO_LINK);
  }
  // The link of the platform's layout is there only for a category.
  const markdown = { ...EMAIL, format: "markdown", content: "Hello" } as const;
  await put({ ...markdown, ...COPIES });
  await refusedWith(put({ ...markdown, content: "[x]({{ $unsubscribe_url }})" }), NO_LINK);
  await assign(false);
  await refusedWith(put({ ...markdown, content: "Hello once more" }), NO_LINK);
  await put({ ...markdown, content: "Hello once more", cc: [], bcc: [] });
});

test("copies go with a required category, whose mails nobody can turn off", async (t) => {
  const { put, assign } = await withTenant(t);
  await assign(true);
  const { cc } = await put({ ...EMAIL, ...COPIES, content: "<p>{{ $unsubscribe_url }}</p>" });
  assert.deepEqual(cc, COPIES.cc);
});
