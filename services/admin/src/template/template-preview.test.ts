import assert from "node:assert/strict";
import { test } from "node:test";
import { readTemplate } from "@belfry/administration/templates/templates";
import { assertEach } from "@belfry/testing/assert-each";
import { anEvent } from "@belfry/testing/rows";
import { publishAgain, publishByForm } from "../../test/publish-by-form.ts";
import { SMS, startTenant } from "../../test/start-tenant.ts";

test("a test of a push is in the inbox of the user that is named, marked, with its links, and few are sent", async (t) => {
  const { admin, operator, base, tenantId } = await startTenant(t);
  const push = {
    ...{ eventType: "order.confirmed", channel: "PUSH", title: "Order {{ id }}", content: "Hello" },
    ...{
      url: "/orders/{{ id }}",
      actionLabel: ["Track", ""],
      actionUrl: ["https://a.example", ""],
    },
    ...{ sampleVariables: '{"id": "7"}', targetChannel: "" },
  };
  const send = async (fields: Record<string, string | string[]>) => {
    const answer = await operator.post(`${base}/templates/test`, { ...push, ...fields });
    return (await answer.json()) as { ok: boolean; text: string };
  };
  assert.deepEqual(await send({ to: "ada" }), {
    ...{
      ok: true,
      text: "It is in the inbox of ada, marked as a test.",
      recorded: { userId: "ada" },
    },
  });
  await send({ to: "ada" });
  const { rows } = await admin.pool.query(
    "select * from notifications where tenant_id = $1 order by channel_offset",
    [tenantId],
  );
  assertEach(rows, (row) => [row.user_id, row.title, row.body, row.url, row.channel_offset], [
    ["ada", "Test: Order 7", "Hello", "/orders/7", "1"],
    ["ada", "Test: Order 7", "Hello", "/orders/7", "2"],
  ]);
  assert.deepEqual(JSON.parse(rows[0].actions), [{ label: "Track", url: "https://a.example" }]);
  assert.deepEqual(
    admin.notifications.map(({ id, offset }) => [id, offset]),
    rows.map((row, index) => [row.id, index + 1]),
  );
  assert.match((await send({ to: " " })).text, /^to should not be empty/);
  assert.match((await send({ to: "ada", targetChannel: "a b" })).text, /^target channel must be/);
  await admin.pool.query("update tenants set delivery_channels = '{EMAIL}'");
  assert.match((await send({ to: "ada" })).text, /may not use PUSH/);
  assert.equal(admin.notifications.length, 2);
});

test("what has no value is marked in the preview where it stands, and a link without an address too", async (t) => {
  const { operator, base } = await startTenant(t);
  const preview = async (fields: Record<string, string>) => {
    const answer = await operator.post(`${base}/templates/preview`, fields);
    return (await answer.json()) as {
      preview: {
        html: string;
        subject: object[];
        text: object[];
        segments: number;
        linksLeftOut?: string[];
      };
      variables: object[];
    };
  };
  const content = [
    "# Hello {{ name }}",
    "",
    "{% for item in items %}",
    "- {{ item.title }}: {{ item.price }}",
    "{% endfor %}",
    "",
    "[Pay](https://example.com/{{ path }})",
    "",
    "[Look]({{ address }})",
  ].join("\n");
  const mail = {
    ...{ eventType: "x", channel: "EMAIL", format: "markdown", subject: "For {{ name }}", content },
    sampleVariables: '{"items": [{"title": "Mug <b>"}]}',
  };
  const { preview: shown, variables } = await preview(mail);
  assert.deepEqual(shown.subject, [
    { text: "For ", unfilled: false },
    { text: "name", unfilled: true },
  ]);
  const mark = (name: string) => `<mark class="belfry-unfilled" title="no value">${name}</mark>`;
  assert.ok(shown.html.includes(`Hello ${mark("name")}`), "in a heading");
  assert.ok(shown.html.includes(`Mug &lt;b&gt;: ${mark("item.price")}`), "in a loop");
  assert.match(shown.html, /href="#"/);
  const told = await preview({ ...mail, sampleVariables: '{"address": "example.com"}' });
  assert.equal(told.preview.linksLeftOut?.length, 1, "an address without a scheme is told");
  assert.ok(!/[\uE0F1\uE0F2]/.test(shown.html), "none is left behind");
  assert.deepEqual(variables, [
    { name: "name", kind: "text", filled: false },
    { name: "items", kind: "list", fields: ["title", "price"], filled: true },
    { name: "path", kind: "text", filled: false },
    { name: "address", kind: "text", filled: false },
  ]);
  const plain = { ...SMS, content: "It’s {{ id }}", sampleVariables: "{}", plainCharacters: "on" };
  assert.deepEqual((await preview(plain)).preview.text, [
    { text: "It's ", unfilled: false },
    { text: "id", unfilled: true },
  ]);
  const text = { ...SMS, content: "Order {{ id }}", sampleVariables: "{}" };
  const { preview: sms } = await preview(text);
  assert.deepEqual(sms.text, [
    { text: "Order ", unfilled: false },
    { text: "id", unfilled: true },
  ]);
  assert.equal(sms.segments, 1, "of what would be sent");
});

test("values of a real event are shown and not kept; of a sensitive one they are not shown", async (t) => {
  const { admin, operator, base, tenantId, address } = await startTenant(t);
  const of = { tenant_id: tenantId, event_type: "order.confirmed" };
  await anEvent(admin.pool, { ...of, variables: '{"id": "real-7"}' });
  const { sampleVariables: _, ...plain } = SMS;
  const path = await publishByForm(operator, base, { ...plain, samplesOf: "event" });
  const html = await operator.text(path);
  assert.match(html, /Filled in from the newest real event/);
  assert.match(html, /real-7/);
  const typed = { ...plain, sampleVariables: '{"id": "real-7"}' };
  await publishAgain(operator, path, { ...typed, samplesOf: "event", content: "Two {{ id }}" });
  assert.equal((await readTemplate(admin.db, address)).sampleVariables, null);
  await publishAgain(operator, path, {
    ...{ ...typed, samplesOf: "event", keepSamples: "on", content: "Three {{ id }}" },
  });
  assert.equal((await readTemplate(admin.db, address)).sampleVariables, '{"id": "real-7"}');
  await admin.pool.query("update templates set sensitive = true, sample_variables = null");
  assert.doesNotMatch(await operator.text(path), /real-7/);
  assert.equal((await operator.get(`${path}/sample`)).status, 404);
});
