import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { TemplateSource } from "@belfry/templates/source";
import { createDigests } from "./digest-fixture.ts";

/** The message of a digest of these events, rendered by a template. */
async function messageOf(t: TestContext, source: TemplateSource, events: readonly unknown[]) {
  const digests = await createDigests(t, source);
  const ids: string[] = [];
  for (const variables of events) ids.push(await digests.event(variables));
  const { deliveryId } = await digests.digest(ids);
  const row = await digests.send(deliveryId);
  assert.equal(row.status, "accepted", row.reason);
  const [message] = await digests.sent(deliveryId);
  return { ...message!, ids };
}

const plain = (subject: string, content: string): TemplateSource => {
  return { kind: "email", format: "text", subject, content };
};

test("a digest of 250 events shows the oldest 100 and counts all", async (t) => {
  const all = Array.from({ length: 250 }, (_, n) => ({ n }));
  const source = plain("{{$count}} newest {{n}}", "{% for c in $items %}{{c.n}},{% endfor %}");
  const { subject, text } = await messageOf(t, source, all);
  assert.equal(subject, "250 newest 249");
  assert.equal(text.trim(), `${all.slice(0, 100).map(({ n }) => n)},`);
});

test("a digest shows at most 1 MiB of variables, and counts all events", async (t) => {
  const all = Array.from({ length: 10 }, (_, n) => ({ n, large: "x".repeat(200 * 1024) }));
  const source = plain("{{$count}}", "{% for c in $items %}{{c.n}},{% endfor %}");
  const { subject, text } = await messageOf(t, source, all);
  assert.equal(subject, "10");
  assert.equal(text.trim(), "0,1,2,3,4,");
});

test("each event has the time when it was accepted, or when it became due", async (t) => {
  const digests = await createDigests(
    t,
    plain(
      "{{$count}} {{by}}",
      "{% for c in $items %}{{c.by}} {{c.$at}} {{c.$event_id}}\n{% endfor %}",
    ),
  );
  const scheduled = await digests.event(
    { by: "Sue" },
    { acceptedAt: new Date("2026-11-01T00:00:00Z") },
  );
  const early = await digests.event(
    { by: "Ann" },
    { acceptedAt: new Date("2026-11-02T10:00:00Z") },
  );
  await digests.pool.sql`update events set released_at = '2026-11-02T11:00:00Z'
    where id = ${scheduled}`;
  const { deliveryId } = await digests.digest([scheduled, early]);
  await digests.send(deliveryId);
  const [mail] = await digests.sent(deliveryId);
  assert.equal(mail?.subject, "2 Sue");
  assert.deepEqual(mail?.text.trim().split("\n"), [
    `Ann 2026-11-02T10:00:00.000Z ${early}`,
    `Sue 2026-11-02T11:00:00.000Z ${scheduled}`,
  ]);
});

test("a tenant's own variables of the same names win", async (t) => {
  const own = { $items: "mine", $count: 7, $at: "then" };
  const { subject, text } = await messageOf(t, plain("{{$count}}", "{{$items}} {{$at}}"), [
    {},
    own,
  ]);
  assert.equal(subject, "7");
  assert.equal(text.trim(), "mine then");
  const loop = plain("{{$count}}", "{% for c in $items %}{{c.$at}};{% endfor %}");
  const item = await messageOf(t, loop, [{ $at: "then" }, { $event_id: "x" }]);
  assert.match(item.text, /^then;20\d\d-/);
});

test("erased or unreadable variables of one event do not affect the others", async (t) => {
  const digests = await createDigests(
    t,
    plain("{{$count}}", "{% for c in $items %}{{c.by}};{% endfor %}"),
  );
  const ids = [
    await digests.event({}, { text: "[" }),
    await digests.event({ by: "Bob" }),
    await digests.event({ by: "Cid" }),
  ];
  await digests.pool.sql`update events set variables = null where id = ${ids[2]}`;
  const whole = await digests.event({ by: "Dan" });
  const { deliveryId } = await digests.digest([...ids, whole]);
  await digests.send(deliveryId);
  const [mail] = await digests.sent(deliveryId);
  assert.deepEqual([mail?.subject, mail?.text.trim()], ["4", ";Bob;;Dan;"]);
});

const HOSTILE = '<script>alert("1")</script> **bold** [link](javascript:1) {{by}} {% if x %}';
const ESCAPED =
  "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; **bold** [link](javascript:1) {{by}} {% if x %}";

test("a hostile item is escaped in HTML, MJML and Markdown, like every value", async (t) => {
  const loop = "{% for c in $items %}{{c.by}}{% endfor %}";
  const mails: TemplateSource[] = [
    { kind: "email", format: "html", subject: "s", content: `<p>${loop}</p>` },
    {
      kind: "email",
      format: "mjml",
      subject: "s",
      content: `<mjml><mj-body><mj-section><mj-column><mj-text>${loop}</mj-text></mj-column></mj-section></mj-body></mjml>`,
    },
    { kind: "email", format: "markdown", subject: "s", content: loop },
  ];
  for (const source of mails) {
    const { html } = await messageOf(t, source, [{ by: HOSTILE }, { by: "Bob" }]);
    assert.ok(html.includes(ESCAPED), html);
    assert.ok(!html.includes("<script>alert"), html);
  }
});

test("an SMS shows a hostile item unchanged, once", async (t) => {
  const source: TemplateSource = {
    kind: "text",
    content: "{{$count}}: {% for c in $items %}{{c.by}};{% endfor %}",
  };
  const { text } = await messageOf(t, source, [{ by: HOSTILE }, { by: "Bob" }]);
  assert.equal(text, `2: ${HOSTILE};Bob;`);
});
