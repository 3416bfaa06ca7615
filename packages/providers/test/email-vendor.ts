import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { reasonWords } from "@belfry/contracts/reasons";
import type { EmailMessage, Receipt } from "@belfry/contracts/sending";
import { assertHas } from "@belfry/testing/assert-has";
import { BAD_ADDRESSES, NOT_JSON } from "@belfry/testing/hostile";
import type { ProviderKind } from "../src/provider.ts";
import type { GetText, ReceiptReader } from "../src/receipt.ts";
import { checkSettings } from "../src/settings.ts";
import { testHttpPromises } from "./http-provider-promises.ts";
import type { ReceivedCall } from "./loopback-vendor.ts";
import { EMAIL, LIST_EMAIL } from "./messages.ts";
import { providerAtVendor } from "./provider-at-vendor.ts";
import { readWebhook, type WebhookRequest } from "./read-webhook.ts";
import { testVendorErrors, type VendorError } from "./vendor-errors.ts";

/** A mail as a vendor reads it from a call; empty or undefined: the call does not say it. */
export interface MailAtVendor {
  from: string | undefined;
  to: string;
  replyTo: string | undefined;
  cc?: string[] | undefined;
  bcc?: string[] | undefined;
  subject: string;
  html: string | undefined;
  text: string | undefined;
  headers: Record<string, string>;
  /** The delivery's id, as the vendor repeats it in receipts. */
  deliveryId: string;
}

interface EmailVendor {
  kind: ProviderKind<EmailMessage>;
  /** With `from: shop@example.com`, and without a name, an address for answers and what may be left out. */
  settings: Record<string, unknown>;
  secrets: string[];
  /** The vendor's documented answer to a mail that it takes, and the id in it. */
  accept: { status: number; headers: Record<string, string>; body: string };
  messageId: string;
  path: string;
  /** The vendor's judge: reads a call by the vendor's description, and asserts what every call has to have. */
  read(call: ReceivedCall): MailAtVendor;
  /** `The Shop <shop@example.com>` as the vendor takes it. */
  named: string;
  errors: readonly VendorError[];
}

/** Tests requests to a vendor's API for mail and how its answers are read: one suite that each vendor's test runs. */
export function testEmailVendor(vendor: EmailVendor): void {
  const { kind, settings, accept, read } = vendor;
  const { title } = kind;
  const start = providerAtVendor(kind, settings);
  testHttpPromises({ ...vendor, message: EMAIL });

  test(`${title}: a mail is all that the vendor documents, and its id is kept`, async (t) => {
    const more = { fromName: "The Shop", replyTo: "help@example.com" };
    const { vendor: at, provider } = await start(t, accept, more);
    assert.deepEqual(await provider.send(EMAIL), {
      class: "accepted",
      reason: `${title} accepted the message`,
      messageId: vendor.messageId,
      vendorStatus: String(accept.status),
      vendorAnswer: null,
      retryAfterSeconds: null,
    });
    assertHas(at.received[0], { method: "POST", path: vendor.path });
    assert.deepEqual(read(at.received[0]!), {
      from: vendor.named,
      to: "ann@example.com",
      replyTo: "help@example.com",
      ...{ cc: undefined, bcc: undefined },
      subject: EMAIL.subject,
      html: EMAIL.html,
      text: EMAIL.text,
      headers: { "Auto-Submitted": "auto-generated" },
      deliveryId: EMAIL.deliveryId,
    });
  });

  test(`${title}: what is not set is not sent, and a proxy's path stays`, async (t) => {
    const { vendor: at, provider } = await start(t, accept);
    assert.equal((await provider.send({ ...EMAIL, html: "" })).class, "accepted");
    assertHas(read(at.received[0]!), {
      from: "shop@example.com",
      replyTo: undefined,
      html: undefined,
      text: EMAIL.text,
    });
    const proxied = kind.create(
      { ...settings, baseUrl: `${at.url}/proxy/` },
      { allowPrivateAddresses: true, timeoutMs: 60_000, storeInOutbox: async () => "" },
    );
    t.after(() => proxied.close());
    await proxied.send({ ...EMAIL, text: "" });
    assert.equal(at.received[1]!.path, `/proxy${vendor.path}`);
    assertHas(read(at.received[1]!), { html: EMAIL.html, text: undefined });
  });

  test(`${title}: a mail that can be unsubscribed from has its three header fields`, async (t) => {
    const { vendor: at, provider } = await start(t, accept);
    await provider.send(LIST_EMAIL);
    assert.deepEqual(read(at.received[0]!).headers, {
      "Auto-Submitted": "auto-generated",
      "List-Unsubscribe": `<${LIST_EMAIL.headers!.listUnsubscribe}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      "List-Id": "<offers.acme.mail.example.com>",
    });
  });

  test(`${title}: addresses are written as the DNS and SMTP have them`, async (t) => {
    const { vendor: at, provider } = await start(t, accept, { from: "laden@bücher.example" });
    await provider.send({ ...EMAIL, to: "a..b@παράδειγμα.example" });
    assertHas(read(at.received[0]!), {
      from: "laden@xn--bcher-kva.example",
      to: '"a..b"@xn--hxajbheg2az3al.example',
    });
  });

  test(`${title}: what a mail says of itself goes before the settings`, async (t) => {
    const more = { fromName: "Another", replyTo: "help@example.com" };
    const { vendor: at, provider } = await start(t, accept, more);
    const envelope = {
      ...{ fromName: "The Shop", replyTo: "ann@bücher.example" },
      cc: ["c@example.com", "a..b@παράδειγμα.example"],
      bcc: ["b@example.com", "d@example.com"],
    };
    assert.equal((await provider.send({ ...EMAIL, ...envelope })).class, "accepted");
    assertHas(read(at.received[0]!), {
      from: vendor.named,
      to: "ann@example.com",
      replyTo: "ann@xn--bcher-kva.example",
      cc: ["c@example.com", '"a..b"@xn--hxajbheg2az3al.example'],
      bcc: ["b@example.com", "d@example.com"],
    });
  });

  test(`${title}: a mail beyond its limit is refused before any call, and says what the limit is`, async (t) => {
    const { vendor: at, provider } = await start(t, accept);
    const most = kind.maxMessageBytes!;
    // Base64 takes four bytes for three.
    const html = "x".repeat((most * 3) / 4);
    const { class: outcomeClass, reason } = await provider.send({ ...EMAIL, html });
    assert.equal(outcomeClass, "permanent");
    assert.match(
      reasonWords(reason),
      new RegExp(`^the mail takes \\d+ bytes.*${title} takes ${most} at most$`),
    );
    assert.equal(at.connections(), 0);
  });

  test(`${title}: what could inject a header field is refused before any call`, async (t) => {
    const { vendor: at, provider } = await start(t, accept);
    const bad = [
      ...[...BAD_ADDRESSES, ""].flatMap((one) => [
        ...[{ to: one }, { replyTo: one }, { cc: ["c@example.com", one] }, { bcc: [one] }],
      ]),
      ...["a\r\nBcc: evil@x.io", "a\u0000", "a\u2028b", " "].map((fromName) => ({ fromName })),
      ...["a\r\nBcc: evil@x.io", "a\u0000", "a\u2028b", " "].map((subject) => ({ subject })),
    ];
    for (const change of bad) {
      const outcome = await provider.send({ ...EMAIL, ...change });
      assert.equal(outcome.class, "permanent", JSON.stringify(change));
    }
    assert.equal(at.connections(), 0);
  });

  test(`${title}: the body of a success under another status is none`, async (t) => {
    for (const [status, expected] of [
      [400, "permanent"],
      [500, "transient"],
    ] as const) {
      const { provider } = await start(t, { ...accept, status });
      assertHas(await provider.send(EMAIL), { class: expected, messageId: null });
    }
  });

  testVendorErrors(title, start, EMAIL, vendor.errors);

  test(`${title}: settings that fit have no fault, and each fault names its field`, () => {
    assert.deepEqual(checkSettings(kind, settings), []);
    const faults = checkSettings(kind, {
      ...settings,
      from: "Shop <shop@example.com>",
      fromName: "Shop\r\nBcc: evil@x.io",
      subuser: "x",
      baseUrl: "http://vendor.example",
    });
    assert.deepEqual(faults.sort(), [
      "from: must be an email address",
      "fromName: must be one line without control characters",
      "subuser: is not a setting of this provider",
    ]);
    for (const secret of Object.keys(kind.settings.properties)) {
      if (kind.settings.properties[secret]?.secret !== true) continue;
      const wrong = checkSettings(kind, { ...settings, [secret]: "with space" });
      assert.equal(wrong.length, 1, secret);
      assert.ok(wrong[0]!.startsWith(`${secret}: must be `), wrong[0]);
    }
  });
}

/** A vendor's event about one delivery and its meaning; null: none for us. */
type ReceiptCase = readonly [
  what: object,
  kind: Receipt["kind"] | null,
  suppress?: Receipt["suppress"],
  more?: Partial<Receipt>,
];

interface VendorReceipts {
  reader: ReceiptReader;
  key: string;
  otherKey: string;
  /** The request of a vendor that tells this of a delivery, verified by a key at a time. */
  request(what: object, deliveryId: string, key: string, at: Date): WebhookRequest;
  /** Answers a GET as the vendor's own servers do. */
  get?: GetText;
  /** A request whose proof is of another body; absent where the vendor's proof does not cover the body. */
  tamper?(request: WebhookRequest): WebhookRequest;
  /** Seconds, where the vendor signs a time: how old and how far ahead a request may be. */
  oldest?: number;
  furthestAhead?: number;
  /** For vendors that name the address: an event that this address has bounced for good. */
  bounceOf?(address: string): object;
  /** For vendors whose events lack an id of their own: an event that this address has the mail. */
  deliveredTo?(address: string): object;
  cases: readonly ReceiptCase[];
}

const AT = new Date("2026-11-20T12:00:00Z");
const FORGED = { ok: false, fault: "forged" } as const;

/** How a vendor's receipts are verified and read: one suite, run by each vendor's test. */
export function testVendorReceipts(vendor: VendorReceipts): void {
  const { key, otherKey, request, cases } = vendor;
  const reader = {
    kind: vendor.reader.kind,
    read: (what: WebhookRequest, keys: readonly string[], now: Date) =>
      readWebhook(vendor.reader, what, keys, now, vendor.get),
  };
  const [[delivered]] = [cases[0]!];
  const id = randomUUID();
  const { kind } = reader;

  test(`${kind}: only what is proven by a key of the settings is read`, async () => {
    const right = request(delivered, id, key, AT);
    assert.equal((await reader.read(right, [key], AT)).ok, true);
    assert.equal((await reader.read(right, [otherKey, key], AT)).ok, true, "any of its keys");
    assert.deepEqual(await reader.read(right, [otherKey], AT), FORGED);
    assert.deepEqual(await reader.read(right, [], AT), FORGED);
    const tampered = vendor.tamper?.(right);
    if (tampered) assert.deepEqual(await reader.read(tampered, [key], AT), FORGED);
    const bare = { ...right, headers: {}, body: Buffer.from("{}") };
    assert.deepEqual(await reader.read(bare, [key], AT), FORGED);
  });

  test(`${kind}: bodies that are none of the vendor's are refused without a throw`, async () => {
    const right = request(delivered, id, key, AT);
    for (const text of [...NOT_JSON.slice(0, -3), "[]", "null", "7", '{"a":{}}', ""]) {
      const read = await reader.read({ ...right, body: Buffer.from(text) }, [key], AT);
      assert.ok(!read.ok || read.receipts.length === 0, text.slice(0, 40));
    }
  });

  const { oldest, furthestAhead } = vendor;
  if (oldest !== undefined && furthestAhead !== undefined) {
    test(`${kind}: a request is valid for ${oldest} s, and no longer`, async () => {
      const isRead = async (seconds: number) => {
        const now = new Date(AT.getTime() + seconds * 1000);
        const read = await reader.read(request(delivered, id, key, AT), [key], now);
        assert.ok(read.ok || read.fault === "forged");
        return read.ok;
      };
      const limits = [oldest, oldest + 2, -furthestAhead, -furthestAhead - 2];
      assert.deepEqual(await Promise.all(limits.map(isRead)), [true, false, true, false]);
    });
  }

  test(`${kind}: a receipt that comes again is known by its id; that of other mail is left out`, async () => {
    const [one, again] = await Promise.all(
      [AT, AT].map((at) => reader.read(request(delivered, id, key, at), [key], AT)),
    );
    assert.deepEqual(one, again);
    const foreign = await reader.read(request(delivered, "1001", key, AT), [key], AT);
    assert.deepEqual(foreign, { ok: true, receipts: [] });
  });

  const { bounceOf, deliveredTo = () => undefined } = vendor;
  if (bounceOf !== undefined) {
    test(`${kind}: a receipt names its address, as it is stored`, async () => {
      for (const [told, address] of [
        ["C@example.com", "C@example.com"],
        ['"a..b"@example.com', "a..b@example.com"],
        ["c@bücher.example", "c@xn--bcher-kva.example"],
        ["nobody", null],
      ] as const) {
        const read = await reader.read(request(bounceOf(told), id, key, AT), [key], AT);
        assert.ok(read.ok);
        assert.deepEqual(
          read.receipts.map(({ suppress, ...receipt }) => [receipt.address, suppress]),
          [[address, "bounced"]],
        );
      }
      const delivered = ["ann@example.com", "c@example.com"].flatMap((to) => deliveredTo(to) ?? []);
      const ids = await Promise.all(
        delivered.map(async (what) => {
          const read = await reader.read(request(what, id, key, AT), [key], AT);
          return read.ok && read.receipts.map(({ vendorEvent }) => vendorEvent).join();
        }),
      );
      assert.equal(new Set(ids).size, ids.length, "two addresses, two receipts");
      assert.ok(ids.every((one) => one !== false && !one.includes("@example.com")));
    });
  }

  for (const [what, expected, suppress = null, more = {}] of cases) {
    test(`${kind}: ${JSON.stringify(what)} is ${expected ?? "nothing for us"}`, async () => {
      const read = await reader.read(request(what, id, key, AT), [key], AT);
      assert.ok(read.ok);
      const told = expected === null ? [] : [{ deliveryId: id, kind: expected, suppress, ...more }];
      assert.equal(read.receipts.length, told.length);
      for (const [at, receipt] of told.entries()) assertHas(read.receipts[at], receipt);
    });
  }
}
