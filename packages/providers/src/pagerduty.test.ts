import assert from "node:assert/strict";
import test from "node:test";
import { assertHas } from "@belfry/testing/assert-has";
import { chatMessage } from "../test/chat-vendor.ts";
import { testHttpPromises } from "../test/http-provider-promises.ts";
import { pagerdutyAnswer } from "../test/pagerduty-judge.ts";
import { providerAtVendor } from "../test/provider-at-vendor.ts";
import { testVendorErrors } from "../test/vendor-errors.ts";
import { pagerduty } from "./pagerduty.ts";
import { checkSettings, maskSettings } from "./settings.ts";

const KEY = "R0123456789ABCDEF0123456789ABCDE";
const settings = { addresses: `ops=${KEY}\nnight = e93facc04764012d7bfb002500d5d1a6\n` };
const message = chatMessage("pagerduty:ops");
const start = providerAtVendor(pagerduty, settings);

testHttpPromises({
  kind: pagerduty,
  settings,
  message,
  secrets: [KEY],
  accept: { status: 202, headers: {}, body: '{"status":"success","dedup_key":"k"}' },
  statuses: { 401: "permanent", 403: "permanent", 404: "deferred", 429: "deferred" },
  wrongAddress: "deferred",
});
testVendorErrors("PagerDuty", start, message, [
  [
    "a key that it does not know",
    { status: 400, body: { status: "invalid event" } },
    { class: "permanent" },
  ],
  ["no success", { status: 202, body: { status: "throttled" } }, { class: "ambiguous" }],
]);

test("PagerDuty: an event triggers, acknowledges and resolves by its key, in the described form", async (t) => {
  const { vendor, provider } = await start(t, { judge: pagerdutyAnswer });
  assertHas(await provider.send(message), { class: "accepted", messageId: message.eventId });
  const incident = { key: "disk-7", severity: "critical" } as const;
  const long = "🎉".repeat(300_000);
  const blocks = [
    { kind: "paragraph" as const, runs: [{ text: long }] },
    { kind: "button" as const, label: "Look", url: "https://shop.example/look" },
  ];
  for (const action of ["trigger", "acknowledge", "resolve"] as const) {
    const one = { ...message, blocks, url: "https://shop.example/7", to: "pagerduty:night" };
    const sent = await provider.send({ ...one, incident: { ...incident, action } });
    assertHas(sent, { class: "accepted", messageId: "disk-7" });
  }
  const events = vendor.received.map(({ body }) => JSON.parse(body));
  assert.ok(
    vendor.received.every(({ path, method }) => `${method} ${path}` === "POST /v2/enqueue"),
  );
  assert.deepEqual(events[0], {
    routing_key: KEY,
    event_action: "trigger",
    dedup_key: message.eventId,
    payload: {
      summary: "Hello & welcome 🎉",
      source: "belfry",
      severity: "error",
      custom_details: { text: "Hello & welcome 🎉", tenant: message.tenantId },
    },
    links: [],
  });
  assertHas(events[3], {
    routing_key: "e93facc04764012d7bfb002500d5d1a6",
    event_action: "resolve",
    dedup_key: "disk-7",
    links: [
      { href: "https://shop.example/7", text: "shop.example" },
      { href: "https://shop.example/look", text: "Look" },
    ],
  });
  assert.match(events[3].payload.summary, /^(🎉)+…$/u);
});

test("PagerDuty: the summary is the first line that says something", async (t) => {
  const { vendor, provider } = await start(t, { judge: pagerdutyAnswer });
  const blocks = [{ kind: "paragraph" as const, runs: [{ text: " \nDisk full" }] }];
  assertHas(await provider.send({ ...message, blocks }), { class: "accepted" });
  assert.equal(JSON.parse(vendor.received[0]?.body ?? "").payload.summary, "Disk full");
});

test("PagerDuty: a name that the provider lacks costs no call", async (t) => {
  const { vendor, provider } = await start(t, { judge: pagerdutyAnswer });
  assert.equal((await provider.send({ ...message, to: "pagerduty:other" })).class, "policy");
  assert.equal(vendor.connections(), 0);
});

test("PagerDuty: a key has 32 letters and digits, no fault quotes it, and the page shows names", () => {
  assert.deepEqual(checkSettings(pagerduty, settings), []);
  assert.deepEqual(checkSettings(pagerduty, { addresses: `a=${KEY}\nb=secret` }), [
    "addresses: line 2: must be an integration key of 32 letters and digits",
  ]);
  assert.deepEqual(maskSettings(pagerduty, settings), { addresses: "ops, night" });
});
