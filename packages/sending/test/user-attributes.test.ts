import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { noteUse } from "@belfry/database/configuration-version";
import { compileTemplate } from "@belfry/templates/compile";
import { SCRIPT } from "@belfry/testing/hostile";
import { aRecipient } from "@belfry/testing/rows";
import { createDigests } from "./digest-fixture.ts";
import { createFixture, message } from "./sending-fixture.ts";

const TEXT = "{{ user.name }}, {{ user.plan | default: 'no plan' }}";

/** A tenant with a sandbox for SMS and a template that reads `user`. */
async function setUp(t: TestContext, content = TEXT) {
  const fixture = await createFixture(t);
  const { pool } = fixture;
  const tenant = await fixture.tenant();
  await fixture.provider(tenant, "SMS", "sandbox", {});
  const made = await compileTemplate({ kind: "text", content }, { owner: tenant });
  assert.ok(made.ok);
  const version = await fixture.template(tenant, { ...made.compiled });
  await pool.sql`update templates set reads_user = true where tenant_id = ${tenant}`;
  await noteUse(fixture.db, tenant, "uses_recipients");
  const sender = fixture.sender({ channel: "SMS" });
  return {
    fixture,
    user: (attributes: unknown, user_id = "ann") =>
      aRecipient(pool, { tenant_id: tenant, user_id, attributes: JSON.stringify(attributes) }),
    /** Sends one message to each user, all in one batch. Returns the deliveries with their texts. */
    async send(variables: unknown, ...users: string[]) {
      const ids: string[] = [];
      for (const user of users) {
        const more = { channel: "SMS" as const, variables: JSON.stringify(variables) };
        const id = await fixture.delivery(tenant, version, more);
        await pool.sql`update events e set user_id = ${user} from deliveries d
          where d.id = ${id} and e.id = d.event_id`;
        ids.push(id);
      }
      await sender.handle(message(tenant, ids, "SMS"));
      return await pool.sql<{ status: string; reason: string; text: string }>`
        select d.status, reason_in_words(d.reason) as reason, o.text
        from unnest(${ids}::uuid[]) with ordinality i (id, place)
        join deliveries d on d.id = i.id left join outbox o on o.delivery_id = d.id order by i.place`;
    },
    async missing() {
      const rows = await pool.sql`select missing from deliveries order by id limit 1`;
      return rows[0]?.missing;
    },
  };
}

test("each message of a batch reads the attributes of its own user", async (t) => {
  const { user, send } = await setUp(t);
  for (const name of ["Ann", "Bob", "Cid"]) await user({ name, plan: name.length }, name);
  const sent = await send({}, "Bob", "Ann", "Cid", "Ann");
  assert.deepEqual(
    sent.map(({ text }) => text),
    ["Bob, 3", "Ann, 3", "Cid, 3", "Ann, 3"],
  );
});

test("a variable `user` of the event replaces the attributes as a whole", async (t) => {
  const { user, send } = await setUp(t);
  await user({ name: "Ann", plan: "gold" });
  const texts: string[] = [];
  for (const own of [{ name: "Bob" }, { other: 1 }, null, "Cid"]) {
    const [sent] = await send({ user: own }, "ann");
    texts.push(sent!.text);
  }
  assert.deepEqual(texts, ["Bob, no plan", ", no plan", ", no plan", ", no plan"]);
});

test("a missing attribute is like any missing variable: it is named, and stops the message if it is required", async (t) => {
  const { user, send, missing, fixture } = await setUp(t);
  await user({ plan: "gold" });
  const [lacking, unknown] = await send({}, "ann", "nobody");
  assert.deepEqual([lacking?.text, unknown?.text], [", gold", ", no plan"]);
  assert.deepEqual(await missing(), ["user.name"]);
  await fixture.pool.sql`update templates set required_variables = '{user.plan}'`;
  const [has, hasNot] = await send({}, "ann", "nobody");
  assert.equal(has?.status, "accepted");
  assert.deepEqual([hasNot?.status, hasNot?.reason], ["failed", "variable missing: user.plan"]);
});

test("a hostile attribute is a value and no template, and nothing that every object inherits is found", async (t) => {
  const { user, send } = await setUp(
    t,
    "{{ user.name }};{{ user.__proto__ }};{{ user.constructor }};{{ user.deep }}",
  );
  const deep = JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`);
  const named = JSON.parse('{"__proto__":"own","constructor":"mine"}');
  await user({ name: SCRIPT }, "script");
  await user({ name: "{{ $unsubscribe_url }}{% for x in y %}", deep }, "tags");
  await user(Object.assign(Object.defineProperty(named, "name", { value: 1 }), {}), "names");
  await user({ name: "x".repeat(4_000) }, "long");
  const sent = await send({}, "script", "tags", "names", "long");
  assert.deepEqual(
    sent.map(({ text, status }) => text ?? status),
    [
      `${SCRIPT};;;`,
      `{{ $unsubscribe_url }}{% for x in y %};;;${JSON.stringify(deep)}`,
      ";own;mine;",
      "failed",
    ],
  );
  assert.equal(sent[3]?.reason, "rendered content too large");
});

test("the sender's name and the HTML of a mail read the attributes; the HTML escapes them", async (t) => {
  const fixture = await createFixture(t);
  const tenant = await fixture.tenant();
  await fixture.provider(tenant, "EMAIL", "sandbox", {});
  const content = "<p>Hello {{ user.name }}</p>";
  const made = await compileTemplate(
    { kind: "email", subject: "News", content, format: "html" },
    { owner: tenant },
  );
  assert.ok(made.ok);
  const envelope = { fromName: "{{ user.agent }}" };
  const version = await fixture.template(tenant, { ...made.compiled }, { envelope });
  await fixture.pool.sql`update templates set reads_user = true`;
  const attributes = JSON.stringify({ name: SCRIPT, agent: "Bob of Acme" });
  await aRecipient(fixture.pool, { tenant_id: tenant, user_id: "ann", attributes });
  await noteUse(fixture.db, tenant, "uses_recipients");
  const id = await fixture.delivery(tenant, version);
  await fixture.sender().handle(message(tenant, [id]));
  const [mail] = await fixture.pool.sql`select html, headers from outbox where delivery_id = ${id}`;
  assert.match(mail!.html, /Hello &quot;&gt;&lt;script&gt;/);
  assert.match(JSON.stringify(mail!.headers), /Bob of Acme/);
});

test("a digest reads the attributes at its close, and the items keep the variables of their events", async (t) => {
  const digests = await createDigests(t, {
    kind: "email",
    subject: "{{ user.name }}",
    content: "<p>{% for c in $items %}{{ c.by }}{{ c.user.name }};{% endfor %}</p>",
  });
  const { pool, tenant, fixture } = digests;
  await pool.sql`update templates set reads_user = true`;
  await aRecipient(pool, { tenant_id: tenant, user_id: "ann", attributes: '{"name":"Old"}' });
  await noteUse(fixture.db, tenant, "uses_recipients");
  const ids = [await digests.event({ by: "Bob" }), await digests.event({ by: "Cid" })];
  const { deliveryId } = await digests.digest(ids);
  await pool.sql`update recipients set attributes = '{"name":"New"}'`;
  await digests.send(deliveryId);
  const [mail] = await digests.sent(deliveryId);
  assert.deepEqual([mail?.subject, mail?.html], ["New", "<p>Bob;Cid;</p>"]);
});
