import assert from "node:assert/strict";
import { test } from "node:test";
import { emailAddress } from "@belfry/contracts/addresses";
import type { Envelope } from "@belfry/contracts/envelope";
import { noteUse } from "@belfry/database/configuration-version";
import { BAD_ADDRESSES } from "@belfry/testing/hostile";
import { startMailServer } from "../test/mail-server.ts";
import { createFixture, EMAIL_TEMPLATE, message } from "../test/sending-fixture.ts";
import { mailEnvelope } from "./mail-envelope.ts";
import { messageLinks } from "./make-message.ts";

const MAIL = { to: "ann@example.com", variables: {}, settings: {}, hasOwnLink: false };

function made(
  template: Envelope | null,
  event: Envelope | null = null,
  mail: Partial<typeof MAIL> = {},
) {
  return mailEnvelope({ template, event, suppressed: null }, { ...MAIL, ...mail });
}

test("what the event says goes before what its template says, field by field", () => {
  const template = {
    ...{ fromName: "Shop", replyTo: "shop@example.com" },
    ...{ cc: ["c@example.com"], bcc: ["b@example.com"] },
  };
  assert.deepEqual(made(template, { fromName: "Ann", bcc: [] }), {
    fields: { fromName: "Ann", replyTo: "shop@example.com", cc: ["c@example.com"] },
    warnings: [],
  });
  assert.deepEqual(made(null, { replyTo: "x@example.com" }).fields, { replyTo: "x@example.com" });
});

test("a template's name and reply address hold variables; a trigger's are values, never templates", () => {
  const names = { fromName: "{{agent}} of {{shop | upcase}}", replyTo: "{{agent}}@example.com" };
  const variables = { agent: "bob", shop: "acme" };
  assert.deepEqual(made(names, null, { variables }), {
    fields: { fromName: "bob of ACME", replyTo: "bob@example.com" },
    warnings: [],
  });
  assert.equal(made(null, { fromName: "{{agent}}" }, { variables }).fields.fromName, "{{agent}}");
});

test("what a template's variables make of an address is judged: no header field can be added by one", () => {
  const template = { fromName: "{{name}}", replyTo: "{{address}}" };
  for (const address of BAD_ADDRESSES) {
    const { fields, warnings } = made(template, null, { variables: { name: "Ann", address } });
    // A line end becomes a space.
    assert.ok(!/[\p{Cc}\u2028\u2029]/u.test(fields.replyTo ?? ""), JSON.stringify(address));
    assert.equal(emailAddress(fields.replyTo ?? "a@x.io"), fields.replyTo ?? "a@x.io");
    if (fields.replyTo === undefined && address.trim() !== "") {
      assert.match(warnings.join(), /^reply address left out/);
    }
  }
  for (const end of ["\r\n", "\n", "\u0085", "\u2028", "\u0000"]) {
    const name = `Ann${end}Bcc: evil@x.io`;
    const { fields } = made(template, null, { variables: { name, address: "a@x.io" } });
    assert.equal(fields.fromName, "Ann Bcc: evil@x.io");
  }
  const long = made(template, null, { variables: { name: "x".repeat(256), address: "" } });
  assert.deepEqual(long, {
    fields: {},
    warnings: ["sender's name left out: it is too long or no name"],
  });
});

test("nobody gets two copies: not the recipient, and none that is named twice in any case of letters", () => {
  const cc = ["Ann@Example.com", "c@example.com", "C@example.com"];
  const { fields } = made(null, { cc, bcc: ["c@EXAMPLE.com", "b@example.com"] });
  assert.deepEqual(fields, { cc: ["c@example.com"], bcc: ["b@example.com"] });
  assert.deepEqual(made(null, { cc: ["ANN@example.com"] }), { fields: {}, warnings: [] });
});

test("a mail with its recipient's own link has no copies, and says so", () => {
  const envelope = { fromName: "Shop", cc: ["c@example.com"], bcc: ["b@example.com"] };
  for (const [template, event] of [
    [envelope, null],
    [null, envelope],
  ] as const) {
    assert.deepEqual(made(template, event, { hasOwnLink: true }), {
      fields: { fromName: "Shop" },
      warnings: [
        "cc left out: the mail has its recipient's link to unsubscribe",
        "bcc left out: the mail has its recipient's link to unsubscribe",
      ],
    });
  }
});

test("suppressed addresses are left out, and counted", () => {
  const event = { cc: ["C@example.com", "d@example.com"], bcc: ["b@example.com"] };
  const suppressed = { "c@example.com": "bounced", "b@example.com": "complained" } as const;
  assert.deepEqual(mailEnvelope({ template: null, event, suppressed }, MAIL), {
    fields: { cc: ["d@example.com"] },
    warnings: ["cc: 1 left out, as suppressed", "bcc: 1 left out, as suppressed"],
  });
});

const LINKS = {
  PUBLIC_URL: "https://mail.example.com",
  LINK_KEYS: `k1:${Buffer.alloc(32, 3).toString("base64")}`,
};

/** A tenant whose mails arrive at a mail server: `send` returns to whom one went, and what it said. */
async function setUp(t: Parameters<typeof createFixture>[0]) {
  const fixture = await createFixture(t);
  const server = await startMailServer(t);
  const tenant = await fixture.tenant();
  await fixture.provider(tenant, "EMAIL", "smtp", server.settings);
  return {
    ...{ fixture, tenant },
    async send(
      envelopes: { template?: Envelope; event?: Envelope },
      { compiled = EMAIL_TEMPLATE, variables = '{"name":"Ann"}' } = {},
    ) {
      const { template: said, event } = envelopes;
      const version = await fixture.template(tenant, compiled, said && { envelope: said });
      const id = await fixture.delivery(tenant, version, {
        variables,
        ...(event && { envelope: event }),
      });
      const before = server.recipients.length;
      await fixture.sender({ links: messageLinks(LINKS) }).handle(message(tenant, [id]));
      const row = await fixture.row(id);
      assert.equal(row.status, "accepted", row.reason);
      const mail = server.messages.at(-1) ?? "";
      return { to: server.recipients.slice(before), mail, warnings: row.warnings };
    },
  };
}

test("a mail leaves with the envelope of its template and its event, and without one as ever", async (t) => {
  const { send } = await setUp(t);
  const bare = await send({});
  assert.deepEqual([bare.to, bare.warnings], [["ann@example.com"], null]);
  assert.doesNotMatch(bare.mail, /^(cc|bcc|reply-to):/im);
  const { to, mail, warnings } = await send({
    template: { fromName: "{{name}}'s shop", cc: ["c@example.com"] },
    event: { replyTo: "help@example.com", bcc: ["b@example.com", "ann@example.com"] },
  });
  assert.deepEqual(to, ["ann@example.com", "c@example.com", "b@example.com"]);
  assert.match(mail, /^From: "?Ann's shop"? </m);
  assert.match(mail, /^Reply-To: help@example\.com/m);
  assert.match(mail, /^Cc: c@example\.com/m);
  assert.doesNotMatch(mail, /^bcc:/im);
  assert.equal(warnings, null);
});

test("a suppressed copy gets nothing, and the timeline says so: as it is in the moment of the claim", async (t) => {
  const { fixture, tenant, send } = await setUp(t);
  await fixture.pool.query(
    `insert into suppressions (tenant_id, channel, address, reason, source) values
     ($1, 'EMAIL', 'c@example.com', 'bounced', 'x'), ($1, 'EMAIL', 'b@example.com', 'opted out', 'x'),
     ($2, 'EMAIL', 'd@example.com', 'bounced', 'x'), ($1, 'SMS', 'd@example.com', 'bounced', 'x')`,
    [tenant, await fixture.tenant()],
  );
  const { to, mail, warnings } = await send({
    template: { bcc: ["B@example.com"] },
    event: { cc: ["C@Example.com", "d@example.com"] },
  });
  assert.deepEqual(to, ["ann@example.com", "d@example.com"]);
  assert.doesNotMatch(mail, /\bc@example/i);
  assert.deepEqual(warnings, ["cc: 1 left out, as suppressed", "bcc: 1 left out, as suppressed"]);
});

test("no copy ever holds the recipient's link: not of a category, not of a text that names one", async (t) => {
  const { fixture, tenant, send } = await setUp(t);
  const event = { cc: ["c@example.com"], bcc: ["b@example.com"] };
  const told = [
    "cc left out: the mail has its recipient's link to unsubscribe",
    "bcc left out: the mail has its recipient's link to unsubscribe",
  ];
  for (const name of ["$unsubscribe_url", "$preferences_url"]) {
    const compiled = { ...EMAIL_TEMPLATE, html: `<p><a href="{{${name}}}">x</a></p>` };
    const { to, mail, warnings } = await send({ event }, { compiled });
    assert.match(
      mail.replaceAll("=\r\n", ""),
      /https:\/\/mail\.example\.com\/(unsubscribe|preferences)\//,
    );
    assert.deepEqual([to, warnings], [["ann@example.com"], told]);
  }
  await fixture.pool.sql`insert into categories (tenant_id, key, label, description, required)
    values
    (${tenant}, 'offers', '{"": "Offers"}', '{}', false)`;
  await fixture.pool.sql`insert into event_type_categories
    values (${tenant}, 'order.confirmed', 'offers')`;
  await noteUse(fixture.db, tenant, "uses_preferences");
  const ofCategory = await send({ template: event });
  assert.match(ofCategory.mail, /^List-Unsubscribe:/m);
  assert.deepEqual([ofCategory.to, ofCategory.warnings], [["ann@example.com"], told]);
  await fixture.pool.sql`update categories set required = true where tenant_id = ${tenant}`;
  const required = await send({ template: event });
  assert.deepEqual(required.to, ["ann@example.com", "c@example.com", "b@example.com"]);
});

test("no value of an event adds a header field or a recipient by a template's name or reply address", async (t) => {
  const { send } = await setUp(t);
  const template = { fromName: "{{name}}", replyTo: "{{address}}" };
  for (const end of ["\r\n", "\n", "\r", "\u2028", "\u0085"]) {
    const variables = JSON.stringify({
      name: `Ann${end}Bcc: evil@x.io`,
      address: `a@x.io${end}Bcc: evil@x.io`,
    });
    const { to, mail, warnings } = await send({ template }, { variables });
    assert.deepEqual(to, ["ann@example.com"]);
    const head = mail.slice(0, mail.indexOf("\r\n\r\n"));
    assert.doesNotMatch(head, /^(bcc|reply-to):/im);
    assert.deepEqual(warnings, ["reply address left out: it is no email address in ASCII"]);
  }
});
