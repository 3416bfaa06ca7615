import assert from "node:assert/strict";
import test from "node:test";
import type { WebhookRead, WebhookReader } from "../src/receipt.ts";
import { readWebhook } from "./read-webhook.ts";

const NOW = new Date("2026-11-26T12:00:00Z");
const FORGED = { ok: false, fault: "forged" };
const UNREADABLE = { ok: false, fault: "unreadable" };

export interface WebhookUnderTest<Held> {
  reader: Pick<WebhookReader<Held>, "kind" | "read" | "signsAddress">;
  key: string;
  otherKey: string;
  /** Returns the headers of a request that the vendor signs. */
  sign(request: { url: string; body: string }, key: string, at: Date): Record<string, string>;
  url: string;
  /** A body that is read. */
  body: string;
  /** Signed bodies that are not what the webhook is for. */
  unreadable: readonly string[];
  /** How long a signature is good; undefined: the vendor signs no time. */
  maxAgeSeconds?: number;
}

/** Tests a signed webhook: right, wrong, old and repeated. Resolves to the result of `read` for a body. */
export function testSignedWebhook<Held>(subject: WebhookUnderTest<Held>) {
  const { reader, key, otherKey, sign, url, body, maxAgeSeconds } = subject;
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
    for (const given of subject.unreadable) {
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
