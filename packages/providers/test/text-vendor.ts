import assert from "node:assert/strict";
import test from "node:test";
import type { SmsMessage } from "@belfry/contracts/sending";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import type { ProviderDeps, ProviderKind } from "../src/provider.ts";
import { checkSettings } from "../src/settings.ts";
import { testHttpPromises } from "./http-provider-promises.ts";
import type { ReceivedCall } from "./loopback-vendor.ts";
import { SMS } from "./messages.ts";
import { type GivenAnswer, providerAtVendor } from "./provider-at-vendor.ts";
import { testVendorErrors, type VendorError } from "./vendor-errors.ts";

interface TextVendor {
  kind: ProviderKind<SmsMessage>;
  settings: Record<string, unknown>;
  secrets: string[];
  /** The vendor's documented answer to a message that it takes, and the id in it. */
  accept: { status: number; headers: Record<string, string>; body: string };
  messageId: string;
  /** The vendor's judge: answers a call by the vendor's description. Default: `accept`. */
  judge?(call: ReceivedCall): GivenAnswer;
  /** Reads a call's body. Default: as JSON. */
  read?(call: ReceivedCall): unknown;
  path: string;
  /** The body of the request for `SMS`. */
  request: object;
  /** Its header fields, but for those of every request; undefined where the judge knows them. */
  headers?: Record<string, string>;
  /** Other settings that the vendor takes, and the fields of the body and the header fields that they change. */
  variants: readonly (readonly [
    changes: object,
    fields: object,
    deps?: Partial<ProviderDeps>,
    headers?: Record<string, string>,
  ])[];
  /** Settings that the judge refuses, and the status shown. */
  refused?: readonly (readonly [changes: object, vendorStatus: string])[];
  errors: readonly VendorError[];
  /** Bodies of a success that do not prove it. */
  unclear: readonly string[];
  /** A wrong value of each setting. */
  wrong: Record<string, unknown>;
}

/** Tests requests to a vendor's API for text messages and how its answers are read: one suite for every vendor. */
export function testTextVendor(vendor: TextVendor): void {
  const { kind, settings, accept, judge, read = ({ body }) => JSON.parse(body) } = vendor;
  const { title } = kind;
  const start = providerAtVendor(kind, settings);
  const answer = judge === undefined ? accept : { judge };
  testHttpPromises({ ...vendor, message: SMS });

  test(`${title}: a message is the vendor's documented request, and its id is kept`, async (t) => {
    const { vendor: at, provider } = await start(t, answer);
    assert.deepEqual(await provider.send(SMS), {
      class: "accepted",
      reason: `${title} accepted the message`,
      messageId: vendor.messageId,
      vendorStatus: String(accept.status),
      vendorAnswer: null,
      retryAfterSeconds: null,
    });
    const [call] = at.received;
    assertHas(call, { method: "POST", path: vendor.path });
    assert.deepEqual(read(call!), vendor.request);
    const {
      host,
      connection,
      "user-agent": agent,
      "content-length": length,
      ...headers
    } = call!.headers;
    assert.equal(Number(length), Buffer.byteLength(call!.body));
    assert.deepEqual(headers, vendor.headers ?? headers);
  });

  test(`${title}: settings change the request as documented, and receipts are asked for where they can be heard and verified`, async (t) => {
    for (const [changes, fields, deps, headers = {}] of vendor.variants) {
      const { vendor: at, provider } = await start(t, answer, { ...changes }, deps);
      assert.equal((await provider.send(SMS)).class, "accepted", JSON.stringify(changes));
      // An undefined field is one that is left out.
      const expected = JSON.parse(JSON.stringify({ ...vendor.request, ...fields }));
      assert.deepEqual(read(at.received[0]!), expected);
      assertHas(at.received[0]!.headers, headers);
    }
  });

  for (const [changes, vendorStatus] of vendor.refused ?? []) {
    test(`${title}: ${JSON.stringify(changes)} stops the account`, async (t) => {
      const { provider } = await start(t, answer, { ...changes });
      assertHas(await provider.send(SMS), { class: "credentials", vendorStatus });
    });
  }

  testVendorErrors(title, start, SMS, vendor.errors);

  for (const body of vendor.unclear) {
    test(`${title}: a ${accept.status} without the message's id is no success: ${body || "nothing"}`, async (t) => {
      const { provider } = await start(t, { status: accept.status, body });
      assert.equal((await provider.send(SMS)).class, "ambiguous");
    });
  }

  test(`${title}: each fault of the settings names its field and repeats no value`, () => {
    assert.deepEqual(checkSettings(kind, settings), []);
    const faults = checkSettings(kind, { ...settings, ...vendor.wrong });
    assertEach(faults, (fault) => fault.split(":")[0], Object.keys(vendor.wrong));
  });
}
