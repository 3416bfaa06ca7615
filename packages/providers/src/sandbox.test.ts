import assert from "node:assert/strict";
import test from "node:test";
import { reasonWords } from "@belfry/contracts/reasons";
import type { OutboxEntry } from "@belfry/contracts/sending";
import { BAD_ADDRESSES } from "@belfry/testing/hostile";
import { chatMessage } from "../test/chat-vendor.ts";
import { BAD_LIST_HEADERS, EMAIL, LIST_EMAIL, SMS, testDeps } from "../test/messages.ts";
import { sandboxChat, sandboxEmail, sandboxText } from "./sandbox.ts";

test("an email and a text message are kept in the outbox as they would have been sent", async () => {
  const kept: OutboxEntry[] = [];
  const deps = testDeps({ storeInOutbox: async (entry) => `outbox-${kept.push(entry)}` });
  const email = await sandboxEmail.create({}, deps).send(EMAIL);
  const sms = await sandboxText.create({}, deps).send(SMS);
  assert.deepEqual([email.class, email.messageId], ["accepted", "outbox-1"]);
  assert.deepEqual([sms.class, sms.messageId], ["accepted", "outbox-2"]);
  const { encoding: _encoding, ...smsFields } = SMS;
  assert.deepEqual(kept, [
    { ...EMAIL, segments: null, headers: { "Auto-Submitted": "auto-generated" } },
    { ...smsFields, subject: null, html: null },
  ]);
});

test("a chat message is kept as plain text, with the addresses of its links", async () => {
  const kept: OutboxEntry[] = [];
  const deps = testDeps({ storeInOutbox: async (entry) => `outbox-${kept.push(entry)}` });
  const message = chatMessage("slack:C024BE91L");
  const blocks = [
    ...message.blocks,
    { kind: "list" as const, items: [{ depth: 1, number: 2, runs: [{ text: "two" }] }] },
    { kind: "button" as const, label: "Open", url: "https://a.example/" },
  ];
  assert.equal((await sandboxChat.create({}, deps).send({ ...message, blocks })).class, "accepted");
  const { blocks: _, ...fields } = message;
  const text = "Hello & welcome 🎉\n  2. two\nOpen (https://a.example/)";
  assert.deepEqual(kept, [{ ...fields, text, subject: null, html: null, segments: null }]);
});

test("a mail that can be unsubscribed from is kept with its headers, by name", async () => {
  const kept: OutboxEntry[] = [];
  const deps = testDeps({ storeInOutbox: async (entry) => `outbox-${kept.push(entry)}` });
  await sandboxEmail.create({}, deps).send(LIST_EMAIL);
  assert.deepEqual(kept[0]!.headers, {
    "Auto-Submitted": "auto-generated",
    "List-Unsubscribe": `<${LIST_EMAIL.headers!.listUnsubscribe}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    "List-Id": "<offers.acme.mail.example.com>",
  });
});

test("a mail is kept with its sender's name, its reply address and its copies as headers", async () => {
  const kept: OutboxEntry[] = [];
  const deps = testDeps({ storeInOutbox: async (entry) => `outbox-${kept.push(entry)}` });
  const names = { fromName: "Ann", replyTo: "help@example.com" };
  const copies = { cc: ["c@example.com", "d@example.com"], bcc: ["b@example.com"] };
  await sandboxEmail.create({}, deps).send({ ...EMAIL, ...names, ...copies });
  assert.deepEqual(kept[0]!.headers, {
    "Auto-Submitted": "auto-generated",
    From: "Ann",
    "Reply-To": "help@example.com",
    Cc: "c@example.com, d@example.com",
    Bcc: "b@example.com",
  });
});

for (const [name, headers] of BAD_LIST_HEADERS) {
  test(`a mail is sent to nobody with ${JSON.stringify(name.slice(0, 60))}`, async () => {
    const deps = testDeps({ storeInOutbox: () => assert.fail("kept") });
    const outcome = await sandboxEmail.create({}, deps).send({ ...EMAIL, headers });
    assert.equal(outcome.class, "permanent");
    assert.match(reasonWords(outcome.reason), /cannot stand in a header$/);
  });
}

test("an outbox that cannot be written is tried again", async () => {
  const storeInOutbox = async () => {
    throw new Error("connection terminated: password=hunter2");
  };
  const outcome = await sandboxEmail.create({}, testDeps({ storeInOutbox })).send(EMAIL);
  assert.equal(outcome.class, "transient");
  assert.ok(!outcome.reason.includes("hunter2"));
});

test("what a real provider would refuse is refused here too", async () => {
  const deps = testDeps({ storeInOutbox: () => assert.fail("kept") });
  for (const to of [...BAD_ADDRESSES, ""]) {
    assert.equal((await sandboxEmail.create({}, deps).send({ ...EMAIL, to })).class, "permanent");
  }
  assert.equal((await sandboxText.create({}, deps).send({ ...SMS, text: "" })).class, "permanent");
});

test("an address of trouble fails as its name says, and a sandbox that takes everything takes it", async () => {
  const kept: string[] = [];
  const deps = testDeps({ storeInOutbox: async ({ to }) => `outbox-${kept.push(to)}` });
  const classOf = async (to: string, settings = {}) =>
    (await sandboxEmail.create(settings, deps).send({ ...EMAIL, to })).class;
  assert.equal(await classOf("nobody@trouble.example"), "permanent");
  assert.equal(await classOf("full@trouble.example"), "permanent");
  assert.equal(await classOf("Login+a-1@Trouble.Example"), "credentials");
  assert.equal(await classOf("down@trouble.example"), "transient");
  assert.deepEqual(kept, []);
  const others = ["ann@trouble.example", "constructor@trouble.example", "nobody@example.com"];
  for (const to of others) assert.equal(await classOf(to), "accepted", to);
  assert.equal(await classOf("down@trouble.example", { takesAll: true }), "accepted");
  assert.deepEqual(kept, [...others, "down@trouble.example"]);
});

test("the sandbox has no other settings", async () => {
  const outcome = await sandboxEmail.create({ from: "a@b.io" }, testDeps()).send(EMAIL);
  assert.equal(outcome.class, "credentials");
});

test("an email without a subject is not even kept: no provider is asked for it", async () => {
  const provider = sandboxEmail.create(
    {},
    testDeps({ storeInOutbox: () => assert.fail("stored") }),
  );
  const { class: outcomeClass, reason } = await provider.send({ ...EMAIL, subject: " " });
  assert.deepEqual([outcomeClass, reasonWords(reason)], ["permanent", "the subject is empty"]);
});
