import assert from "node:assert/strict";
import { test } from "node:test";
import { PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import { assertEach } from "@belfry/testing/assert-each";
import { createFixture, EMAIL_TEMPLATE, message, SMS_TEMPLATE } from "../test/sending-fixture.ts";
import { createShop } from "../test/shop.ts";
import { accept, deliveryOf, startVendor, status } from "../test/vendor.ts";

const DONE = { kind: "done" };

test("one poisoned delivery fails with its reason; its neighbours are sent", async (t) => {
  const { fixture, vendor, tenant, version } = await createShop(t);
  const unreadable = await fixture.delivery(tenant, version, { variables: '{"name": 1e' });
  const hostile = await fixture.delivery(tenant, version, { to: "b@x.io\r\nBcc: evil@x.io" });
  const huge = await fixture.delivery(tenant, version, {
    variables: JSON.stringify({ name: "x".repeat(600_000) }),
  });
  const links = { ...EMAIL_TEMPLATE, subject: "S", html: '<a href="{{name}}">'.repeat(1_000) };
  const costly = await fixture.delivery(tenant, await fixture.template(tenant, links), {
    variables: JSON.stringify({ name: "a".repeat(8_000) }),
  });
  const sms = await fixture.delivery(tenant, await fixture.template(tenant, SMS_TEMPLATE));
  const good = await fixture.delivery(tenant, version);
  const ids = [unreadable, hostile, huge, costly, sms, good];
  assert.deepEqual(await fixture.sender().handle(message(tenant, ids)), [DONE]);
  assert.deepEqual(vendor.calls.map(deliveryOf), [good]);
  assert.equal((await fixture.row(good)).status, "accepted");
  for (const [id, reason] of [
    [unreadable, /variables cannot be read/],
    [hostile, /not one email address/],
    [huge, /^rendered content too large$/],
    [costly, /^too costly to render$/],
    [sms, /another channel/],
  ] as const) {
    const row = await fixture.row(id);
    assert.equal(row.status, "failed");
    assert.match(row.reason, reason);
  }
  assert.deepEqual(await fixture.attempts(huge), [], "no call was made");
  assert.equal((await fixture.row(huge)).attempts, 0);
});

test("an empty subject is refused before any call, whatever the vendor would do", async (t) => {
  const fixture = await createFixture(t);
  const vendor = await startVendor(t);
  const [tenant, other] = [await fixture.tenant(), await fixture.tenant()];
  await fixture.sendgrid(tenant, vendor.url);
  await fixture.provider(other, "EMAIL", "sandbox", {});
  const subject = { ...EMAIL_TEMPLATE, subject: "{{name}}" };
  for (const one of [tenant, other]) {
    const version = await fixture.template(one, subject);
    for (const name of ["", " ", "\u00a0\u2003", "\u200b", undefined]) {
      const variables = JSON.stringify({ name });
      const id = await fixture.delivery(one, version, { variables });
      assert.deepEqual(await fixture.sender().handle(message(one, [id])), [DONE]);
      const row = await fixture.row(id);
      const { status, reason, attempts, missing } = row;
      assert.deepEqual([status, reason, attempts], ["failed", "the subject is empty", 0]);
      assert.deepEqual(missing ?? [], name === undefined ? ["name"] : []);
    }
  }
  assert.equal(vendor.calls.length, 0);
  assert.equal((await fixture.pool.query("select from outbox")).rowCount, 0);
});

test("a message without a word fails before any call; an image is enough for an email", async (t) => {
  const fixture = await createFixture(t);
  const tenant = await fixture.tenant();
  for (const channel of PROVIDER_CHANNELS) await fixture.provider(tenant, channel, "sandbox", {});
  const mail = { ...EMAIL_TEMPLATE, subject: "Your order", text: "{{ name }}: {{ city }}" };
  const word = { ...mail, html: "<p>{{ name }}: {{ city }}</p>" };
  const picture = { ...mail, html: '<img src="https://pic.example/{{ city }}.png">' };
  const sms = { ...SMS_TEMPLATE, text: "{{ name }}: {{ city }}" };
  for (const [channel, template, isSentBlank] of [
    ["EMAIL", word, false],
    ["EMAIL", picture, true],
    ["SMS", sms, false],
  ] as const) {
    const version = await fixture.template(tenant, template);
    for (const [name, isBlank] of [
      [" \u200b", true],
      ["Ann", false],
    ] as const) {
      const variables = JSON.stringify({ name });
      const id = await fixture.delivery(tenant, version, { channel, variables });
      await fixture.sender({ channel }).handle(message(tenant, [id]));
      const { status, reason, attempts, missing } = await fixture.row(id);
      const isSent = !isBlank || isSentBlank;
      assert.deepEqual(
        { status, reason, attempts, missing },
        isSent
          ? { status: "accepted", reason: null, attempts: 1, missing: ["city"] }
          : { status: "failed", reason: "nothing to say", attempts: 0, missing: ["city"] },
      );
    }
  }
  assert.equal((await fixture.pool.query("select from outbox")).rowCount, 4);
});

test("missing variables become empty and are recorded", async (t) => {
  const { fixture, vendor, tenant, version } = await createShop(t);
  const id = await fixture.delivery(tenant, version, { variables: null });
  await fixture.sender().handle(message(tenant, [id]));
  assert.equal(vendor.calls[0]!.body.subject, "Hello ");
  assert.deepEqual((await fixture.row(id)).missing, ["name"]);
});

test("a link without a valid address becomes empty and is recorded beside missing variables", async (t) => {
  const { fixture, vendor, tenant } = await createShop(t);
  const html = '<a href="{{ url }}">Pay</a> {{ name }}';
  const version = await fixture.template(tenant, { ...EMAIL_TEMPLATE, subject: "S", html });
  const id = await fixture.delivery(tenant, version, { variables: '{"url": "/pay"}' });
  await fixture.sender().handle(message(tenant, [id]));
  assert.match(JSON.stringify(vendor.calls[0]!.body), /href=\\"#\\"/);
  const { missing, warnings } = await fixture.row(id);
  const reason = "begins with none of http:, https:, mailto:, tel:, sms:";
  assert.deepEqual(missing, ["name"]);
  assert.deepEqual(warnings, [`links left out: href {{ url }} (${reason})`]);
});

test("a value that a filter could not format is recorded on the delivery", async (t) => {
  const { fixture, tenant } = await createShop(t);
  const parts = { subject: "Paid", html: "{{ at | date }}", text: "{{ at | date }}" };
  const version = await fixture.template(tenant, { ...EMAIL_TEMPLATE, ...parts });
  const id = await fixture.delivery(tenant, version, { variables: '{"at": "01/02/2026"}' });
  await fixture.sender().handle(message(tenant, [id]));
  const { status, warnings } = await fixture.row(id);
  assert.equal(status, "accepted");
  assert.deepEqual(warnings, ["cannot read at as a date: inserted unchanged"]);
});

test("a changed list of app link schemes applies once the senders read it again", async (t) => {
  const { fixture, vendor, tenant } = await createShop(t);
  const html = '<a href="{{ url }}">Pay</a>';
  const version = await fixture.template(tenant, { ...EMAIL_TEMPLATE, subject: "S", html });
  const variables = '{"url": "myapp://pay"}';
  const sent = async () => {
    const id = await fixture.delivery(tenant, version, { variables });
    await fixture.sender().handle(message(tenant, [id]));
    return /href=\\"([^"]*)\\"/.exec(JSON.stringify(vendor.calls.at(-1)!.body))?.[1];
  };
  assert.equal(await sent(), "#");
  await fixture.pool.sql`update tenants set link_schemes = '{myapp}' where id = ${tenant}`;
  assert.equal(await sent(), "myapp://pay");
});

test("a template saved after the event was accepted does not change what is sent", async (t) => {
  const { fixture, vendor, tenant, version } = await createShop(t);
  const id = await fixture.delivery(tenant, version);
  await fixture.pool.sql`with saved as (
      insert into template_versions (template_id, version, content, compiled)
      select template_id, 2, 'x', jsonb_set(compiled, '{subject}', '"New {{name}}"')
      from template_versions where id = ${version} returning id, template_id)
    insert into template_variants (template_id, current_version_id) select template_id, id from saved`;
  await fixture.sender().handle(message(tenant, [id]));
  assert.equal(vendor.calls[0]!.body.subject, "Hello Ann");
});

test("a sensitive template's variables are deleted once its delivery has ended", async (t) => {
  const { fixture, vendor, tenant } = await createShop(t, status(500));
  const version = await fixture.template(tenant, EMAIL_TEMPLATE, { sensitive: true });
  const id = await fixture.delivery(tenant, version);
  const variables = async () =>
    (await fixture.pool.query("select variables from events")).rows[0].variables;
  const sender = fixture.sender();
  await sender.handle(message(tenant, [id]));
  assert.equal(await variables(), '{"name":"Ann"}', "a retry needs them");
  vendor.answer = accept;
  await fixture.release(id);
  await sender.handle(message(tenant, [id]));
  assert.equal(await variables(), null);
});

test("an event that was accepted while its template was sensitive loses its variables; later events keep theirs", async (t) => {
  const { fixture, tenant } = await createShop(t);
  const version = await fixture.template(tenant, EMAIL_TEMPLATE);
  const variablesAfter = async (sensitiveUntil: string) => {
    await fixture.pool.sql`update templates set sensitive_until = ${sensitiveUntil}`;
    const id = await fixture.delivery(tenant, version);
    await fixture.sender().handle(message(tenant, [id]));
    const rows = await fixture.pool.sql`select e.variables from deliveries d
      join events e on e.id = d.event_id where d.id = ${id}`;
    return rows[0].variables;
  };
  assert.equal(await variablesAfter("infinity"), null);
  assert.equal(await variablesAfter("2026-01-01T00:00:00Z"), '{"name":"Ann"}');
});

test("a message that cannot be decoded is set aside, not retried", async (t) => {
  const fixture = await createFixture(t);
  const sender = fixture.sender();
  const odd = (data: string, subject = "belfry.deliveries.EMAIL.acme") => ({
    data: new TextEncoder().encode(data),
    subject,
    deliveryCount: 1,
    streamSequence: 1,
  });
  const outcomes = await sender.handle(
    odd("nonsense"),
    odd('{"version":2,"items":[]}'),
    odd('{"version":1,"items":[{"id":"1; drop table","traceId":"t"}]}'),
    odd('{"version":1,"items":[]}', "belfry.deliveries.EMAIL.A-B"),
  );
  assertEach(outcomes, (outcome) => outcome.kind, ["reject", "reject", "reject", "reject"]);
});
