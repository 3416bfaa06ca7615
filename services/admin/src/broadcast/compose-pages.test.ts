import assert from "node:assert/strict";
import { test } from "node:test";
import { putActiveProvider } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { hiddenFields } from "../../test/publish-by-form.ts";
import { startTenant } from "../../test/start-tenant.ts";
import { storeTopic } from "../../test/store-broadcasts.ts";

const text = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

async function setUp(t: Parameters<typeof startTenant>[0]) {
  const under = await startTenant(t);
  const { admin, tenantId, base } = under;
  const put = (input: object) =>
    putTemplate(admin.db, { tenantId, ...input } as Parameters<typeof putTemplate>[1]);
  const news = { eventType: "news", sampleVariables: '{"title": "A sample"}' };
  await put({ ...news, channel: "PUSH", title: "News", content: "{{ title }}" });
  const mail = { channel: "EMAIL", subject: "{{ title }}", content: "{{ title }}: {{ body }}" };
  await put({ ...news, ...mail, requiredVariables: ["body"] });
  await put({ ...news, channel: "PUSH", title: "Neues", content: "{{ title }}", locale: "de" });
  await put({ eventType: "code", channel: "SMS", content: "{{ code }}", sensitive: true });
  await storeTopic(admin.pool, tenantId, "product-news", ["ann", "bob", "eve"]);
  return { ...under, place: `${base}/broadcasts` };
}

test("only event types that may be sent to many can be chosen; the form begins with the template's samples", async (t) => {
  const { admin, operator, tenantId, place } = await setUp(t);
  const types = await operator.text(`${place}/new`);
  assert.match(types, /new\?eventType=news"/);
  assert.doesNotMatch(types, /eventType=code/);
  await admin.pool.query(
    `insert into providers (id, tenant_id, channel, kind, name, settings, masked_settings)
     values (gen_random_uuid(), $1, 'EMAIL', 'sandbox', 'Newsletters', '', '{}'),
            (gen_random_uuid(), $1, 'FAX', 'sandbox', 'Of a later version', '', '{}')`,
    [tenantId],
  );
  const form = await operator.text(`${place}/new?eventType=news`);
  assert.match(form, /<option value="[0-9a-f-]{36}" >Newsletters \(Email\)</);
  assert.doesNotMatch(form, /Of a later version/);
  assert.match(form, /&quot;title&quot;: &quot;A sample&quot;/);
  assert.match(text(form), /product-news 3 members/);
  assert.match(form, /<option value="de" >German</);
  assert.match(text(await operator.text(`${place}/new?eventType=code`)), /Which message is it\?/);
});

test("without scripts: composed, checked, changed, and sent once, however often it is confirmed", async (t) => {
  const { admin, operator, tenantId, place } = await setUp(t);
  await admin.pool.query("update recipients set email = null where user_id = 'eve'");
  const sendAt = "2099-01-01T10:00";
  const fields = {
    ...{ eventType: "news", topics: "product-news", exceptUserIds: "bob\r\nnobody\r\n" },
    sampleVariables: '{"title": "Dark mode", "big": 12345678901234567890}',
  };
  const asked = await operator.post(`${place}/check`, fields);
  assert.equal(asked.status, 303);
  const check = await operator.page(asked);
  assert.match(text(check), /2 of 2 people get it on at least one channel\./);
  assert.match(text(check), /Email get it 0 cannot be reached: there is no active provider 2/);
  assert.match(text(check), /Push get it 2/);
  assert.match(text(check), /the template requires a value for body\./);
  assert.match(text(check), /News Dark mode/);
  assert.equal((await admin.pool.query("select from broadcasts")).rowCount, 0);

  const typed = hiddenFields(check);
  const changed = await operator.page(
    await operator.post(`${place}/check`, { ...typed, change: "1" }),
  );
  assert.match(changed, /value="product-news" checked/);
  assert.ok(changed.includes("bob\nnobody"), "the list is there again");

  const late = await operator.post(`${place}/check`, { ...fields, sendAt });
  assert.equal(late.status, 422);
  assert.match(text(await late.text()), /Begin at \(UTC\) must be at most/);

  for (let again = 0; again < 2; again += 1) {
    const sent = await operator.post(place, { ...fields, key: "one-key" });
    assert.match(text(await operator.page(sent)), /Accepted\. Its progress is shown here\./);
  }
  const { rows } = await admin.pool.query("select tenant_id, topics, variables from broadcasts");
  assert.deepEqual(rows, [
    {
      tenant_id: tenantId,
      topics: ["product-news"],
      variables: '{"title":"Dark mode","big":12345678901234567890}',
    },
  ]);
  const people = await admin.pool.query("select user_id, is_excepted from broadcast_people");
  assert.deepEqual(people.rows.map((row) => row.user_id).sort(), ["bob", "nobody"]);
});

test("what is wrong stands beside its field, and what was typed is there again", async (t) => {
  const { operator, place } = await setUp(t);
  const refused = async (fields: Record<string, string>, fault: RegExp) => {
    for (const path of [`${place}/check`, place]) {
      const answer = await operator.post(path, { eventType: "news", ...fields });
      const html = await answer.text();
      assert.equal(answer.status, 422, text(html));
      assert.match(text(html), fault);
    }
  };
  await refused({}, /Topics: must have either topics or userIds/);
  await refused({ topics: "product-news", userIds: "ann" }, /must have either topics or userIds/);
  await refused(
    { moreTopics: "product-news, nothing" },
    /Topics: nothing: is not the key of a topic/,
  );
  await refused({ userIds: "ann", sampleVariables: "[1]" }, /Variables must be a JSON object/);
  await refused({ userIds: "ann", sendAt: "soon" }, /Begin at \(UTC\) must be a date and time/);
  await refused({ userIds: "ann", locale: "no such" }, /Language must be/);
  await refused({ userIds: "ann", eventType: "code" }, /Event type: has a sensitive template/);
});

test("the preview shows one channel in the language that is chosen, with the values that are typed", async (t) => {
  const { operator, place } = await setUp(t);
  const preview = async (fields: Record<string, string>) =>
    (await (await operator.post(`${place}/preview`, { eventType: "news", ...fields })).json()) as {
      ok: boolean;
      preview: { kind: string; title: unknown };
    };
  const german = await preview({ previewOf: "PUSH", locale: "de-AT", sampleVariables: "{}" });
  assert.deepEqual(german.preview.title, [{ text: "Neues", unfilled: false }]);
  const mail = await preview({ previewOf: "EMAIL", sampleVariables: '{"title": "Hi"}' });
  assert.equal(mail.preview.kind, "email");
  assert.equal((await operator.post(`${place}/preview`, { eventType: "code" })).status, 404);
});

test("the preview of a template with a digest shows one event, because a broadcast's event never joins a digest", async (t) => {
  const { admin, operator, tenantId, place } = await setUp(t);
  await putTemplate(admin.db, {
    ...{ tenantId, eventType: "comments", channel: "SMS", digest: { windowSeconds: 60 } },
    content: "{{ $count }}: {% for item in $items %}{{ item.text }};{% endfor %}",
  });
  const fields = { eventType: "comments", sampleVariables: '{"text": "Hi"}' };
  const answer = await operator.post(`${place}/preview`, fields);
  const { preview } = (await answer.json()) as { preview: { text: object[] } };
  assert.deepEqual(preview.text, [{ text: "1: Hi;", unfilled: false }]);
});

test("a test of the broadcast goes to the person who asks for it, in its language, with its variables, and to nobody else", async (t) => {
  const { admin, tenantId, place } = await setUp(t);
  const [editor, viewer] = await Promise.all(
    (["editor", "viewer"] as const).map((role) =>
      admin.person({ email: `${role}@example.com`, name: role, of: { tenantId, role } }),
    ),
  );
  await putTemplate(admin.db, {
    ...{ tenantId, eventType: "news", channel: "EMAIL", locale: "de" },
    ...{ subject: "Neues: {{ title }}", content: "{{ price | number }} €" },
  });
  const fields = {
    ...{ eventType: "news", topics: "product-news", locale: "de-AT", to: "ann" },
    sampleVariables: '{"title": "Dark mode", "price": 1234.5}',
  };
  const send = async (test: string) =>
    text(await editor!.page(await editor!.post(`${place}/check`, { ...fields, test })));

  assert.match(await send("EMAIL"), /Email Not sent: to cannot be reached: no active provider/);
  const provider = { tenantId, channel: "EMAIL", kind: "sandbox", settings: {} } as const;
  await putActiveProvider(admin.db, provider, { keys: admin.keys });
  assert.match(await send("EMAIL"), /Email Sent\. sandbox: kept in the outbox/);
  assert.match(await send("PUSH"), /Push Sent\. It is in the inbox of ann, marked as a test\./);
  assert.match(await send("SMS"), /Nothing is sent yet\./);
  assert.equal((await viewer!.post(`${place}/check`, { ...fields, test: "EMAIL" })).status, 403);

  const mails = await admin.pool.query("select recipient, subject, text from outbox");
  assert.deepEqual(mails.rows, [
    { recipient: "editor@example.com", subject: "Neues: Dark mode", text: "1.234,5 €" },
  ]);
  const pushes = await admin.pool.query("select user_id, title from notifications");
  assert.deepEqual(pushes.rows, [{ user_id: "ann", title: "Test: Neues" }]);
  const made = await admin.pool.query("select id from broadcasts union all select id from events");
  assert.equal(made.rowCount, 0);
});

test("topics are found by the beginning of their key, a bounded number of them, of this tenant alone", async (t) => {
  const { admin, operator, tenantId, place } = await setUp(t);
  await admin.pool.query(
    "insert into tenants (id, name, per_minute) values ('other', 'Other', 60)",
  );
  await storeTopic(admin.pool, "other", "product-secret", ["ann"]);
  await admin.pool.query(
    `insert into topics (tenant_id, key, deleted_at)
     select $1, 'many-' || lpad(n::text, 3, '0'), case n when 1 then now() end from generate_series(1, 60) n`,
    [tenantId],
  );
  const found = async (search: string) => {
    const answer = await operator.get(`${place}/topics?${new URLSearchParams({ search })}`);
    return ((await answer.json()) as { topics: { key: string }[] }).topics.map(({ key }) => key);
  };
  assert.deepEqual(await found("product"), ["product-news"]);
  assert.deepEqual((await found("many")).length, 20);
  assert.equal((await found("many"))[0], "many-002");
  assert.deepEqual(await found("%"), []);
  const form = await operator.text(`${place}/new?eventType=news`);
  assert.equal([...form.matchAll(/name="topics"/g)].length, 50);
  assert.match(form, /name="moreTopics"/);
});

test("the attributes of users are no variables of a broadcast: the preview shows the template's sample of them", async (t) => {
  const { admin, operator, tenantId, place } = await setUp(t);
  await putTemplate(admin.db, {
    ...{ tenantId, eventType: "greeting", channel: "SMS", content: "{{ word }} {{ user.name }}" },
    ...{ sampleVariables: '{"word": "Hi", "user": {"name": "A Sample"}}' },
    requiredVariables: ["user.plan"],
  });
  const form = await operator.text(`${place}/new?eventType=greeting`);
  assert.match(form, /&quot;word&quot;: &quot;Hi&quot;/);
  assert.doesNotMatch(form, /A Sample|&quot;name&quot;:&quot;user&quot;/);
  const preview = async (sampleVariables: string) => {
    const answer = await operator.post(`${place}/preview`, {
      eventType: "greeting",
      sampleVariables,
    });
    return ((await answer.json()) as { preview: { text: { text: string }[] } }).preview.text
      .map(({ text }) => text)
      .join("");
  };
  assert.equal(await preview('{"word": "Bye"}'), "Bye A Sample");
  assert.equal(await preview('{"word": "Bye", "user": {"name": "Own"}}'), "Bye Own");
  const fields = { eventType: "greeting", topics: "product-news", sampleVariables: "{}" };
  const check = text(await operator.page(await operator.post(`${place}/check`, fields)));
  assert.doesNotMatch(check, /requires a value/);
});
