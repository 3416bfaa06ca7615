import assert from "node:assert/strict";
import test from "node:test";
import type { SendOutcome } from "@belfry/contracts/sending";
import { assertHas } from "@belfry/testing/assert-has";
import type { GivenAnswer, providerAtVendor } from "./provider-at-vendor.ts";

/** One of a vendor's documented answers, and what it means. */
export type VendorError = readonly [
  what: string | number,
  answer: GivenAnswer,
  expected: Partial<SendOutcome>,
];

/** Tests the meaning of each of a vendor's errors, and that the vendor's words are kept. */
export function testVendorErrors<Message>(
  title: string,
  start: ReturnType<typeof providerAtVendor<Message>>,
  message: Message,
  errors: readonly VendorError[],
): void {
  for (const [what, answer, expected] of errors) {
    test(`${title}: ${answer.status} ${what} is ${expected.class}, its words kept`, async (t) => {
      const { vendor, provider } = await start(t, answer);
      const outcome = await provider.send(message);
      assertHas(outcome, { retryAfterSeconds: null, ...expected });
      assert.equal(outcome.suppress, expected.suppress, "suppresses what is meant to be, alone");
      assert.equal(outcome.ofOneMessage, expected.ofOneMessage);
      assert.equal(outcome.gone, expected.gone);
      const { body = "" } = answer;
      const words = typeof body === "string" ? body : JSON.stringify(body);
      if (outcome.class !== "accepted") assert.equal(outcome.vendorAnswer, words || null);
      assert.ok(!outcome.reason.includes("@"));
      assert.equal(vendor.received.length, 1, "no second call");
    });
  }
}
