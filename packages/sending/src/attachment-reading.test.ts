import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import type { MailAttachment } from "@belfry/contracts/attachments";
import { assertHas } from "@belfry/testing/assert-has";
import { connectedDatabase } from "@belfry/testing/database";
import { eventually } from "@belfry/testing/eventually";
import { createFixture, EMAIL_TEMPLATE, message } from "../test/sending-fixture.ts";
import { storedFile } from "../test/stored-file.ts";
import { accept, deliveryOf, startVendor, type VendorCall } from "../test/vendor.ts";
import { createAttachmentReading } from "./attachment-reading.ts";

const MIB = 1024 * 1024;
const DONE = { kind: "done" };

async function setUp(t: Parameters<typeof createFixture>[0]) {
  const fixture = await createFixture(t);
  const vendor = await startVendor(t);
  const tenant = await fixture.tenant();
  await fixture.sendgrid(tenant, vendor.url);
  const version = await fixture.template(tenant, {
    ...EMAIL_TEMPLATE,
    html: '<p>Hello {{name}}</p><img src="cid:logo">',
  });
  return { fixture, vendor, tenant, version };
}

const hashes = ({ body }: VendorCall): string[] =>
  body.attachments.map(({ content }: { content: string }) =>
    createHash("sha256").update(Buffer.from(content, "base64")).digest("hex"),
  );

test("a mail carries its event's files byte by byte, and shows an image inline", async (t) => {
  const { fixture, vendor, tenant, version } = await setUp(t);
  const file = await storedFile(fixture.pool, tenant, randomBytes(600_001), { name: "发票.pdf" });
  const logo = await storedFile(fixture.pool, tenant, randomBytes(1_000), { type: "image/png" });
  const envelope = { attachments: [file, { ...logo, cid: "logo" }] };
  const id = await fixture.delivery(tenant, version, { envelope });
  assert.deepEqual(await fixture.sender().handle(message(tenant, [id])), [DONE]);
  assertHas(await fixture.row(id), { status: "accepted", attempts: 1 });
  const [call] = vendor.calls;
  assert.deepEqual(hashes(call!), [file.sha256, logo.sha256]);
  assert.equal(call!.body.attachments[0].filename, "发票.pdf");
  assertHas(call!.body.attachments[1], { disposition: "inline", content_id: "logo" });
  assert.match(call!.body.content[1].value, /<img src="cid:logo">/);
});

test("the timeline tells of images that the event has no file for, of files that the mail does not show, and of a calendar whose type has another method", async (t) => {
  const { fixture, tenant, version } = await setUp(t);
  const { pool } = fixture;
  const logo = await storedFile(pool, tenant, randomBytes(10), { type: "image/png" });
  const calendarOf = async (type: string, method: string) => {
    const lines = [
      "BEGIN:VCALENDAR",
      ...(method === "" ? [] : [`METHOD:${method}`]),
      "END:VCALENDAR",
    ];
    return await storedFile(pool, tenant, Buffer.from(lines.join("\r\n")), { type });
  };
  const cases: [{ attachments?: MailAttachment[]; sensitive?: boolean }, string[] | null][] = [
    [{ attachments: [{ ...logo, cid: "logo" }] }, null],
    [{}, ["images without an attachment of their cid: logo"]],
    [
      { attachments: [logo, { ...(await storedFile(pool, tenant, randomBytes(9))), cid: "Logo" }] },
      [
        "images without an attachment of their cid: logo",
        "attachments with a cid that the mail does not show: Logo",
      ],
    ],
    [{ sensitive: true }, ["images without an attachment of their cid: 1"]],
    [
      {
        attachments: [
          { ...logo, cid: "logo" },
          await calendarOf("text/calendar; charset=UTF-8; method=REQUEST", "Request"),
          await calendarOf("text/calendar", ""),
          await calendarOf("text/calendar", "REQUEST"),
          await calendarOf("text/calendar; method=CANCEL", "REQUEST"),
        ],
      },
      [
        "attachment 4: the METHOD of the calendar is REQUEST, the method of its type is none",
        "attachment 5: the METHOD of the calendar is REQUEST, the method of its type is CANCEL",
      ],
    ],
  ];
  for (const [{ attachments, sensitive = false }, warnings] of cases) {
    await pool.sql`update templates set sensitive = ${sensitive}`;
    const more = attachments === undefined ? {} : { envelope: { attachments } };
    const id = await fixture.delivery(tenant, version, more);
    await fixture.sender().handle(message(tenant, [id]));
    assertHas(await fixture.row(id), { status: "accepted", warnings });
  }
});

test("a file that is gone ends the mail, and another tenant's file is not read", async (t) => {
  const { fixture, vendor, tenant, version } = await setUp(t);
  const gone = await storedFile(fixture.pool, tenant, randomBytes(300_000));
  await fixture.pool.query("delete from attachment_chunks where n = 1");
  const foreign = await storedFile(fixture.pool, await fixture.tenant(), randomBytes(10));
  for (const file of [gone, foreign]) {
    const id = await fixture.delivery(tenant, version, { envelope: { attachments: [file] } });
    await fixture.sender().handle(message(tenant, [id]));
    assertHas(await fixture.row(id), { status: "failed", reason: "an attachment is gone" });
  }
  assert.equal(vendor.calls.length, 0, "it never had a whole mail");
});

test("files that Postgres does not give cost no attempt, and stop no provider", async (t) => {
  const { fixture, vendor, tenant, version } = await setUp(t);
  const file = await storedFile(fixture.pool, tenant, randomBytes(10));
  const ids = [];
  for (let n = 0; n < 3; n += 1) {
    ids.push(await fixture.delivery(tenant, version, { envelope: { attachments: [file] } }));
  }
  await fixture.pool.query("alter table attachment_chunks rename to elsewhere");
  const sender = fixture.sender();
  await sender.handle(message(tenant, ids));
  for (const id of ids) {
    const reason = "the attachments could not be read";
    assertHas(await fixture.row(id), { status: "waiting", attempts: 0, retries: 0, reason });
  }
  await fixture.pool.query("alter table elsewhere rename to attachment_chunks");
  await fixture.release(...ids);
  await sender.handle(message(tenant, ids));
  for (const id of ids) assertHas(await fixture.row(id), { status: "accepted", attempts: 1 });
  assert.equal(vendor.calls.length, 3);
});

test("a mail without room waits without an attempt, while others of its tenant pass, and is sent once", async (t) => {
  const { fixture, vendor, tenant, version } = await setUp(t);
  const release = Promise.withResolvers<void>();
  vendor.answer = async (response, call) => {
    await release.promise;
    accept(response, call);
  };
  const file = await storedFile(fixture.pool, tenant, randomBytes(3 * MIB));
  const envelope = { attachments: [file] };
  const [first, second] = [
    await fixture.delivery(tenant, version, { envelope }),
    await fixture.delivery(tenant, version, { envelope }),
  ];
  const plain = await fixture.delivery(tenant, version);
  // Half of it, a lone tenant's share, is room for one mail.
  const sender = fixture.sender({ attachmentBytes: 2.5 * MIB });
  const sending = sender.handle(message(tenant, [first]));
  await eventually(() => vendor.calls.length === 1);
  const others = sender.handle(message(tenant, [second, plain]));
  const reason = "waiting for others with attachments";
  await eventually(async () => {
    assertHas(await fixture.row(second), { status: "waiting", attempts: 0, retries: 0, reason });
  });
  await eventually(() => vendor.calls.length === 2);
  assert.equal(deliveryOf(vendor.calls[1]!), plain);
  release.resolve();
  await Promise.all([sending, others]);
  await fixture.release(second);
  await sender.handle(message(tenant, [second]));
  for (const id of [first, second, plain]) {
    assertHas(await fixture.row(id), { status: "accepted", attempts: 1 });
  }
  assert.equal(vendor.calls.length, 3);
});

test("64 mails at once hold at most 48 MiB, of which a lone tenant has half and another always some", async (t) => {
  const { pool } = await connectedDatabase(t);
  const reading = createAttachmentReading(pool);
  const held = [];
  for (let n = 0; n < 64; n += 1) held.push(await reading.room("loud", "base64"));
  const loud = held.filter((room) => room !== undefined);
  assert.equal(loud.length, 19);
  for (let n = 0; n < 64; n += 1) held.push(await reading.room(`quiet-${n % 4}`, "mime"));
  assert.ok(await reading.room("names", "names"), "what holds nothing needs no room");
  const all = held.filter((room) => room !== undefined);
  assert.ok(all.length > loud.length);
  assert.ok(reading.heldBytes <= 48 * MIB);
  for (const room of all) room[Symbol.dispose]();
  assert.equal(reading.heldBytes, 0);
  assert.ok(await reading.room("loud", "mime"), "what was given back is free");
});
