import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import type { ProviderChannel } from "@belfry/contracts/channels";
import { noteUse } from "@belfry/database/configuration-version";
import { openLink, parseLinkKeys } from "@belfry/database/link-token";
import { startMailServer } from "../test/mail-server.ts";
import { createFixture, EMAIL_TEMPLATE, message, SMS_TEMPLATE } from "../test/sending-fixture.ts";
import { messageLinks } from "./make-message.ts";

const LINK_KEYS = `k1:${randomBytes(32).toString("base64")}`;
const PUBLIC_URL = "https://mail.example.com";
const FIELDS = ["list-id", "list-unsubscribe", "list-unsubscribe-post"];

/** A tenant whose emails arrive at a mail server; event types of the fixture belong to the category, if there is one. */
async function setUp(t: TestContext, category?: { required: boolean }) {
  const fixture = await createFixture(t);
  const server = await startMailServer(t, (take) => take());
  const tenant = await fixture.tenant();
  await fixture.provider(tenant, "EMAIL", "smtp", server.settings);
  await fixture.provider(tenant, "SMS", "sandbox", {});
  if (category !== undefined) {
    await fixture.pool.sql`insert into categories (tenant_id, key, label, description, required)
      values (${tenant}, 'offers', '{"": "Offers"}', '{}', ${category.required})`;
    await fixture.pool.sql`insert into event_type_categories
      values (${tenant}, 'order.confirmed', 'offers')`;
    await noteUse(fixture.db, tenant, "uses_preferences");
  }
  return {
    ...{ fixture, tenant },
    /** Sends one message; returns the email that has arrived. */
    async send(
      template: object,
      links = { PUBLIC_URL, LINK_KEYS },
      channel: ProviderChannel = "EMAIL",
    ) {
      const version = await fixture.template(tenant, { ...template });
      const id = await fixture.delivery(tenant, version, { channel });
      const sender = fixture.sender({ channel, links: messageLinks(links) });
      await sender.handle(message(tenant, [id], channel));
      const row = await fixture.row(id);
      assert.equal(row.status, "accepted", row.reason);
      return { mail: server.messages.at(-1) ?? "", row };
    },
  };
}

/** Header fields by name in lower case, each as often as it occurs, unfolded (RFC 5322, 2.2.3). */
function fieldsOf(mail: string): Map<string, string[]> {
  const head = mail.slice(0, mail.indexOf("\r\n\r\n"));
  for (const line of head.split("\r\n")) {
    assert.ok(line.length <= 998 && !/[\r\n]/.test(line), line);
    assert.match(
      line,
      /^(?:[\x21-\x39\x3b-\x7e]+:|[ \t]+\S)/,
      "a field, or a folded line with a text",
    );
  }
  const fields = new Map<string, string[]>();
  for (const line of head.replace(/\r\n[ \t]+/g, " ").split("\r\n")) {
    const name = line.slice(0, line.indexOf(":")).toLowerCase();
    fields.set(name, [...(fields.get(name) ?? []), line.slice(name.length + 1).trim()]);
  }
  return fields;
}

test("an email of a category arrives with each header field once, and its address turns that category off", async (t) => {
  const { send, tenant } = await setUp(t, { required: false });
  const { mail } = await send(EMAIL_TEMPLATE);
  const fields = fieldsOf(mail);
  const named = [...fields.keys()].filter((name) => /^list-/.test(name));
  assert.deepEqual(named.sort(), FIELDS);
  for (const name of FIELDS) assert.equal(fields.get(name)?.length, 1, name);
  assert.deepEqual(fields.get("list-unsubscribe-post"), ["List-Unsubscribe=One-Click"]);
  assert.deepEqual(fields.get("list-id"), [`<offers.${tenant}.mail.example.com>`]);
  const [url = ""] = fields.get("list-unsubscribe") ?? [];
  const [, token = ""] = /^<https:\/\/mail\.example\.com\/unsubscribe\/([^>]+)>$/.exec(url) ?? [];
  assert.deepEqual(openLink(parseLinkKeys(LINK_KEYS), "unsubscribe", token, new Date()), {
    ...{ tenantId: tenant, userId: "ann", category: "offers", channel: "EMAIL" },
    expiresAt: undefined,
  });
});

const LINKS = {
  ...EMAIL_TEMPLATE,
  html: '<p><a href="{{$unsubscribe_url}}">Off</a> <a href="{{$preferences_url}}">More</a></p>',
  text: "Off: {{$unsubscribe_url}} More: {{$preferences_url}}{%if $list_unsubscribe_url%} Listed{%endif%}",
};

test("a template may contain both addresses; the header has the same one", async (t) => {
  const { send, tenant } = await setUp(t, { required: false });
  const { mail, row } = await send(LINKS);
  assert.deepEqual(row.missing ?? [], []);
  const text = mail.replaceAll("=\r\n", "").replaceAll("=3D", "=");
  const of = (purpose: string) =>
    text.match(new RegExp(`https://mail.example.com/${purpose}/[^"> \r]+`, "g")) ?? [];
  assert.equal(new Set(of("unsubscribe")).size, 1);
  assert.equal(of("unsubscribe").length, 3);
  assert.match(text, /Listed/);
  assert.equal(new Set(of("preferences")).size, 1);
  const token = of("preferences")[0]?.split("/").at(-1) ?? "";
  const opened = openLink(parseLinkKeys(LINK_KEYS), "preferences", token, new Date());
  assert.deepEqual([opened?.tenantId, opened?.userId, opened?.category], [tenant, "ann", "*"]);
});

const NOTHING: [string, { required: boolean } | undefined, Record<string, string>, string[]][] = [
  ["of a required category", { required: true }, {}, ["$unsubscribe_url", "$preferences_url"]],
  [
    "without PUBLIC_URL",
    { required: false },
    { PUBLIC_URL: "" },
    ["$unsubscribe_url", "$preferences_url"],
  ],
  ["without a category", undefined, {}, []],
];
for (const [what, category, config, missing] of NOTHING) {
  test(`an email ${what} has none of the header fields`, async (t) => {
    const { send } = await setUp(t, category);
    const { mail, row } = await send(LINKS, { PUBLIC_URL, LINK_KEYS, ...config });
    assert.deepEqual(
      [...fieldsOf(mail).keys()].filter((name) => /^list-/.test(name)),
      [],
    );
    assert.deepEqual(row.missing ?? [], missing);
    assert.doesNotMatch(mail, /Listed/, "a layout shows no link");
    assert.equal(/\/(unsubscribe|preferences)\//.test(mail), missing.length === 0);
  });
}

test("a tenant's own variable of the same name wins", async (t) => {
  const { fixture, tenant } = await setUp(t, { required: false });
  const version = await fixture.template(tenant, { ...SMS_TEMPLATE, text: "{{$unsubscribe_url}}" });
  const variables = '{"$unsubscribe_url":"https://own.example"}';
  const id = await fixture.delivery(tenant, version, { channel: "SMS", variables });
  const links = messageLinks({ PUBLIC_URL, LINK_KEYS });
  await fixture.sender({ channel: "SMS", links }).handle(message(tenant, [id], "SMS"));
  const rows = await fixture.pool.sql`select text from outbox where delivery_id = ${id}`;
  assert.equal(rows[0].text, "https://own.example");
});

test("an SMS may contain the address of its own channel", async (t) => {
  const { fixture, send, tenant } = await setUp(t, { required: false });
  const { row } = await send({ ...SMS_TEMPLATE, text: "{{$unsubscribe_url}}" }, undefined, "SMS");
  const rows = await fixture.pool.sql`select text from outbox where delivery_id = ${row.id}`;
  const token = rows[0].text.split("/").at(-1);
  const { channel, category, tenantId } = openLink(
    parseLinkKeys(LINK_KEYS),
    "unsubscribe",
    token,
    new Date(),
  )!;
  assert.deepEqual([channel, category, tenantId], ["SMS", "offers", tenant]);
});
