import assert from "node:assert/strict";
import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { test } from "node:test";
import { readWebhook } from "../test/read-webhook.ts";
import { sendgrid } from "./sendgrid.ts";

/** The vendor's own published example: key, signature, timestamp and body. */
const PUBLISHED = {
  key: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==",
  signature:
    "MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=",
  timestamp: "1600112502",
  body: `${JSON.stringify([
    {
      email: "hello@world.com",
      event: "dropped",
      reason: "Bounced Address",
      sg_event_id: "ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA",
      sg_message_id: "LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0",
      "smtp-id": "<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>",
      timestamp: 1600112492,
    },
  ])}\r\n`,
};

const OTHER_KEY =
  "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqTxd43gyp8IOEto2LdIfjRQrIbsd4SXZkLW6jDutdhXSJCWHw8REntlo7aNDthvj+y7GjUuFDb/R1NGe1OPzpA==";

type Parts = typeof PUBLISHED;

function read(parts: Parts, keys = [parts.key], now = new Date(Number(parts.timestamp) * 1000)) {
  const headers = {
    "x-twilio-email-event-webhook-signature": parts.signature,
    "x-twilio-email-event-webhook-timestamp": parts.timestamp,
  };
  return readWebhook(
    sendgrid.receipts!,
    { headers, body: Buffer.from(parts.body), url: "" },
    keys,
    now,
  );
}

/** Events as the vendor would sign them now. */
function signed(events: unknown[]): Parts {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const body = `${JSON.stringify(events)}\r\n`;
  return {
    key: publicKey.export({ format: "der", type: "spki" }).toString("base64"),
    signature: sign("sha256", Buffer.from(timestamp + body), privateKey).toString("base64"),
    timestamp,
    body,
  };
}

const FORGED = { ok: false, fault: "forged" } as const;

test("the vendor's published example is taken, with its last line end; mail that is not ours is left out", async () => {
  assert.deepEqual(await read(PUBLISHED), { ok: true, receipts: [] });
  assert.deepEqual(await read({ ...PUBLISHED, body: PUBLISHED.body.trimEnd() }), FORGED);
});

test("a changed body, signature, timestamp or another key is forged", async () => {
  const { body, signature } = PUBLISHED;
  for (const changed of [
    { body: body.replace("dropped", "bounced") },
    { signature: signature.replace("lRZ", "lRY").replace("MEUCIGH", "MEUCIGI") },
    { signature: "" },
    { signature: "AAAA" },
    { timestamp: "1600112503" },
    { timestamp: "" },
  ]) {
    const parts = { ...PUBLISHED, ...changed };
    const now = new Date(1600112502_000);
    assert.deepEqual(await read(parts, [PUBLISHED.key], now), FORGED, JSON.stringify(changed));
  }
  assert.deepEqual(await read(PUBLISHED, [OTHER_KEY]), FORGED);
  assert.deepEqual(await read(PUBLISHED, ["nonsense"]), FORGED);
  assert.equal((await read(PUBLISHED, [OTHER_KEY, PUBLISHED.key])).ok, true);
  const unsigned = { headers: {}, body: Buffer.from(body), url: "" };
  assert.deepEqual(
    await readWebhook(sendgrid.receipts!, unsigned, [PUBLISHED.key], new Date()),
    FORGED,
  );
});

test("a signature older than a day, or from the future, is forged", async () => {
  const at = (seconds: number) => new Date((Number(PUBLISHED.timestamp) + seconds) * 1000);
  assert.equal((await read(PUBLISHED, [PUBLISHED.key], at(86_000))).ok, true);
  assert.deepEqual(await read(PUBLISHED, [PUBLISHED.key], at(86_500)), FORGED);
  // A replica's clock may be behind by ten minutes.
  assert.equal((await read(PUBLISHED, [PUBLISHED.key], at(-600))).ok, true);
  assert.deepEqual(await read(PUBLISHED, [PUBLISHED.key], at(-1_000)), FORGED);
});

test("each event of ours says what became of its delivery, and whether the address is good", async () => {
  const delivery_id = randomUUID();
  const cases: [Record<string, unknown>, string | null, string | null][] = [
    [{ event: "processed" }, "accepted", null],
    [{ event: "deferred", response: "busy" }, "deferred", null],
    [{ event: "delivered" }, "delivered", null],
    [{ event: "bounce", type: "bounce", reason: "550 no such user" }, "bounced", "bounced"],
    [{ event: "bounce", type: "blocked" }, "bounced", null],
    [{ event: "dropped", reason: "Bounced Address" }, "bounced", "bounced"],
    [{ event: "dropped", reason: "Unsubscribed Address" }, "bounced", "opted out"],
    [{ event: "dropped", reason: "Spam Content" }, "bounced", null],
    [{ event: "spamreport" }, "complained", "complained"],
    [{ event: "unsubscribe" }, "opted out", "opted out"],
    [{ event: "group_unsubscribe" }, "opted out", null],
    [{ event: "open" }, null, null],
    [{ event: "constructor" }, null, null],
    [{ event: 7 }, null, null],
  ];
  for (const [event, kind, suppress] of cases) {
    const parts = signed([
      { ...event, delivery_id, sg_event_id: "e1", timestamp: 1600112492 },
      { ...event, delivery_id: "1001", sg_event_id: "e2" },
      null,
    ]);
    const result = await read(parts, [parts.key], new Date());
    assert.ok(result.ok);
    const expected = kind === null ? [] : [[delivery_id, kind, suppress, "e1"]];
    assert.deepEqual(
      result.receipts.map((receipt) => [
        receipt.deliveryId,
        receipt.kind,
        receipt.suppress,
        receipt.vendorEvent,
      ]),
      expected,
      JSON.stringify(event),
    );
  }
});

test("a signed body that is no list of events is unreadable", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const timestamp = String(Math.floor(Date.now() / 1000));
  for (const body of ["{}", "[", ""]) {
    const parts = {
      key: publicKey.export({ format: "der", type: "spki" }).toString("base64"),
      signature: sign("sha256", Buffer.from(timestamp + body), privateKey).toString("base64"),
      timestamp,
      body,
    };
    assert.deepEqual(await read(parts), { ok: false, fault: "unreadable" });
  }
});

test("a receipt names the address that its event is about, as it is stored", async () => {
  const delivery_id = randomUUID();
  for (const [email, address] of [
    ["C@example.com", "C@example.com"],
    ["c@bücher.example", "c@xn--bcher-kva.example"],
    ["nobody", null],
    [7, null],
  ] as const) {
    const event = { event: "bounce", type: "bounce", email, delivery_id, sg_event_id: "e1" };
    const found = await read(signed([event]), undefined, new Date());
    assert.ok(found.ok);
    assert.deepEqual(
      found.receipts.map((one) => one.address),
      [address],
    );
  }
});
