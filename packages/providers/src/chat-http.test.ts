import assert from "node:assert/strict";
import test from "node:test";
import { chatMessage, testNamedVendor } from "../test/chat-vendor.ts";
import { startVendor } from "../test/loopback-vendor.ts";
import { testDeps } from "../test/messages.ts";
import { chatHttp } from "./chat-http.ts";

const BODY =
  '{"room": {{ to }}, "text": {{ text }}, "markdown": {{ markdown }}, "blocks": {{ blocks }}, "key": {{ secret }}}';
const settings = {
  body: BODY,
  secret: "secret-of-the-body",
  successStatuses: "201",
  messageIdPointer: "/id",
};

testNamedVendor({
  kind: chatHttp,
  settings,
  to: "chat-http:ops",
  accept: { status: 201, headers: {}, body: '{"id":"m-1"}' },
  messageId: "m-1",
  path: "/hooks/T0/secret-0123456789",
  // The credential is in the settings' header fields, for all addresses.
  statuses: { 429: "deferred" },
  errors: [["a wrong key", { status: 401 }, { class: "credentials" }]],
});

test("any HTTP API: the body has the name, the text, its Markdown and the blocks", async (t) => {
  const vendor = await startVendor(t, (response) => response.writeHead(201).end('{"id":7}'));
  const provider = chatHttp.create({ ...settings, addresses: `ops=${vendor.url}` }, testDeps());
  t.after(() => provider.close());
  const message = chatMessage("chat-http:ops");
  const blocks = [{ kind: "button" as const, label: "Open *it*", url: "https://a.example/" }];
  await provider.send({ ...message, blocks });
  assert.deepEqual(JSON.parse(vendor.received[0]!.body), {
    room: "ops",
    text: "Open *it* (https://a.example/)",
    markdown: "**[Open \\*it\\*](https://a.example/)**",
    blocks,
    key: "secret-of-the-body",
  });
});

test("any HTTP API: without credentials in its settings a refused one is the address's", async (t) => {
  const vendor = await startVendor(t, (response) => response.writeHead(401).end());
  const own = { body: '{"text": {{ text }}}', addresses: `ops=${vendor.url}` };
  const provider = chatHttp.create(own, testDeps());
  t.after(() => provider.close());
  const sent = await provider.send(chatMessage("chat-http:ops"));
  assert.deepEqual([sent.class, sent.reason.startsWith("address ops: ")], ["deferred", true]);
});
