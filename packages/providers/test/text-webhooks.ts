import assert from "node:assert/strict";
import test from "node:test";
import type { InboundText } from "@belfry/contracts/inbound";
import type { Receipt, SmsMessage } from "@belfry/contracts/sending";
import { assertHas } from "@belfry/testing/assert-has";
import type { ProviderKind } from "../src/provider.ts";
import type { WebhookRead, WebhookReader } from "../src/receipt.ts";
import { SMS } from "./messages.ts";
import { readWebhook } from "./read-webhook.ts";

const NOW = new Date("2026-11-26T12:00:00Z");
const FORGED = { ok: false, fault: "forged" };
const UNREADABLE = { ok: false, fault: "unreadable" };

interface SignedWebhook<Held> {
  reader: WebhookReader<Held>;
  url: string;
  /** A body that is read. */
  body: string;
  /** Signed bodies that are not what the webhook is for. */
  unreadable: readonly string[];
}

interface Signing {
  key: string;
  otherKey: string;
  /** Returns the headers of a request that the vendor signs. */
  sign(request: { url: string; body: string }, key: string, at: Date): Record<string, string>;
  /** How long a signature is good; undefined: the vendor signs no time. */
  maxAgeSeconds?: number;
}

interface TextWebhooks extends Signing {
  kind: ProviderKind<SmsMessage>;
  /** The address of receipts. That of replies ends with `/inbound` in place of its query. */
  url: string;
  /** Returns the body of a report about `SMS`. */
  report(what?: object): string;
  /** Returns the body of a reply. */
  reply(what?: object): string;
  /** Bodies that are neither, and those that are no report and no reply. */
  unreadable: { both: readonly string[]; reports: readonly string[]; replies: readonly string[] };
  /** Events that are signed and about something else; undefined where there are none. */
  others?: { report: string; reply: string };
  /** The fields of a report about a message that has arrived. */
  arrived: object;
  /** The message's id at the vendor. */
  messageId: string;
  /** The vendor's statuses, as it writes them, and what they mean; null: nothing for us. */
  statuses: readonly (readonly [kind: Receipt["kind"] | null, ...statuses: unknown[]])[];
  status(status: unknown): object;
  occurredAt: Date | null;
  /** The fields of reports about messages that did not arrive. */
  failures: readonly (readonly [
    what: object,
    /** The reason is ours where the vendor gives only a code: a pattern. */
    expected: Pick<Receipt, "suppress" | "vendorStatus"> & { reason: string | RegExp | null },
  ])[];
  /** Messages that are not ours. */
  foreign: readonly object[];
  /** Replies and what they say; undefined: nothing to read. */
  replies: readonly (readonly [what: object, message: Partial<InboundText> | undefined])[];
}

/** Tests a vendor's webhooks, for receipts and for people's replies: one suite for every vendor that signs them. */
export function testTextWebhooks(vendor: TextWebhooks): void {
  const { kind, url, report, reply, unreadable, messageId } = vendor;
  const readReport = testSignedWebhook(vendor, {
    reader: kind.receipts!,
    url,
    body: report(vendor.arrived),
    unreadable: [...unreadable.both, ...unreadable.reports],
  });
  const readReply = testSignedWebhook(vendor, {
    reader: kind.inbound!,
    url: `${url.split("?")[0]}/inbound`,
    body: reply(),
    unreadable: [...unreadable.both, ...unreadable.replies],
  });
  const receiptOf = async (what: object) => {
    const read = await readReport(report(what));
    assert.ok(read.ok);
    assert.ok(read.receipts.length <= 1);
    return read.receipts[0];
  };

  for (const [expected, ...statuses] of vendor.statuses) {
    test(`${kind.title}: ${statuses.join(", ")} is ${expected ?? "nothing for us"}`, async () => {
      for (const status of statuses) {
        const receipt = await receiptOf(vendor.status(status));
        assert.equal(receipt?.kind ?? null, expected, String(status));
        if (expected === null) continue;
        const { occurredAt } = vendor;
        const vendorEvent = `${messageId}:${status}`;
        assertHas(receipt, { vendorEvent, deliveryId: SMS.deliveryId, occurredAt });
      }
    });
  }

  test(`${kind.title}: a message that is not ours has no receipt`, async () => {
    for (const what of vendor.foreign) {
      assert.equal(await receiptOf({ ...vendor.arrived, ...what }), undefined);
    }
  });

  for (const [what, expected] of vendor.failures) {
    test(`${kind.title}: ${JSON.stringify(what)} suppresses ${expected.suppress ?? "nothing"}`, async () => {
      const receipt = await receiptOf(what);
      const { reason, ...others } = expected;
      assertHas(receipt, { ...others, kind: "bounced" });
      if (reason instanceof RegExp) assert.match(receipt!.reason!, reason);
      else assert.equal(receipt?.reason, reason);
      const arrived = await receiptOf({ ...what, ...vendor.arrived });
      assertHas(arrived, { kind: "delivered", suppress: null });
    });
  }

  test(`${kind.title}: a text is its sender's message; one without text, or another event, is none`, async () => {
    for (const [what, message] of vendor.replies) {
      const read = await readReply(reply(what));
      assert.ok(read.ok, JSON.stringify(what));
      if (message === undefined) assert.equal(read.message, undefined, JSON.stringify(what));
      else assertHas(read.message, { vendorId: messageId, keyword: undefined, ...message });
    }
    if (vendor.others === undefined) return;
    assert.deepEqual(await readReport(vendor.others.report), { ok: true, receipts: [] });
    assert.deepEqual(await readReply(vendor.others.reply), { ok: true, message: undefined });
  });
}

/** Tests a signed webhook: right, wrong, old and repeated. Resolves to the result of `read` for a body. */
function testSignedWebhook<Held>(signing: Signing, webhook: SignedWebhook<Held>) {
  const { key, otherKey, sign, maxAgeSeconds } = signing;
  const { reader, url, body } = webhook;
  const name = `${reader.kind}, ${url.endsWith("/inbound") ? "inbound" : "receipts"}`;
  const read = (headers: object, given = body, at = url, now = NOW): Promise<WebhookRead<Held>> =>
    readWebhook(
      reader,
      { headers: headers as Record<string, string>, body: Buffer.from(given), url: at },
      [otherKey, key],
      now,
    );
  const readSigned = (given: string, at = url) =>
    read(sign({ url: at, body: given }, key, NOW), given, at);

  test(`${name}: what the vendor signed is read, and read again it is the same`, async () => {
    const first = await readSigned(body);
    assert.ok(first.ok);
    assert.deepEqual(await readSigned(body), first);
  });

  test(`${name}: another key, body, header or none of them is forged`, async () => {
    const headers = sign({ url, body }, key, NOW);
    assert.deepEqual(await read(sign({ url, body }, "0123456789abcdef", NOW)), FORGED);
    assert.deepEqual(await read(headers, body.replace(/[a-z](?=[^a-z]*$)/, "q")), FORGED);
    assert.deepEqual(await read({}), FORGED);
    for (const header of Object.keys(headers)) {
      assert.deepEqual(await read({ ...headers, [header]: undefined }), FORGED, header);
      for (const value of [
        "",
        "=",
        "-1",
        "1e400",
        "0".repeat(100_000),
        "\u{1f389}",
        "AAAA,,BBBB",
      ]) {
        assert.deepEqual(await read({ ...headers, [header]: value }), FORGED, header);
      }
    }
    const elsewhere = await read(headers, body, url.replace("mail.", "other."));
    assert.equal(elsewhere.ok, !reader.signsAddress, "the address is signed, or is not");
  });

  test(`${name}: a body is parsed only once it is proven, and one of too many values never is`, async (t) => {
    const headers = sign({ url, body }, key, NOW);
    const parsed = t.mock.method(JSON, "parse");
    assert.deepEqual(await read(headers, `${body} `), FORGED);
    assert.equal(parsed.mock.callCount(), 0);
    assert.equal((await readSigned(`[${"{},".repeat(60_000)}0]`)).ok, false);
    assert.equal(parsed.mock.callCount(), 0);
    assert.equal((await readSigned("a&".repeat(30_000))).ok, false);
  });

  if (maxAgeSeconds !== undefined) {
    test(`${name}: a signature is good for ${maxAgeSeconds} s, and none comes from the future`, async () => {
      const headers = sign({ url, body }, key, NOW);
      const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
      assert.ok((await read(headers, body, url, after(maxAgeSeconds))).ok);
      assert.deepEqual(await read(headers, body, url, after(maxAgeSeconds + 1)), FORGED);
      assert.ok((await read(headers, body, url, after(-900))).ok);
      assert.deepEqual(await read(headers, body, url, after(-901)), FORGED);
    });
  }

  test(`${name}: what is signed and is something else is unreadable`, async () => {
    for (const given of webhook.unreadable) {
      assert.deepEqual(await readSigned(given), UNREADABLE, given.slice(0, 80));
    }
  });

  return readSigned;
}

/** Not what any JSON webhook is for. */
export const OTHER_JSON: readonly string[] = [
  ...["", "no JSON", "null", "7", "[]", '"text"', "{}", '{"data":null}', '{"payload":7}'],
  `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
];
