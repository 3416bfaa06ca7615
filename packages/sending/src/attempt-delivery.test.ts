import assert from "node:assert/strict";
import { test } from "node:test";
import { createLogger } from "@belfry/service/logger";
import { attemptDelivery } from "./attempt-delivery.ts";

const DELIVERY = {
  id: "0193a1c0-0000-7000-8000-00000000000d",
  eventId: "0193a1c0-0000-7000-8000-00000000000e",
  tenantId: "acme",
  attempt: 3,
  retries: 2,
  templateVersionId: "1",
  atMostOnce: true,
  sensitive: false,
  recipient: "+12025550123",
  variables: "{}",
  traceId: "t",
  at: null,
  digest: undefined,
  userId: "ann",
  traceParent: null,
  category: undefined,
  userAttributes: undefined,
  envelope: undefined,
  settings: { locale: "en", timeZone: undefined, required: undefined },
};

test("a message that got no connection waits without an attempt, and does not affect the provider's circuit", async () => {
  const attempt = await attemptDelivery(
    DELIVERY,
    {
      id: "0193a1c0-0000-7000-8000-00000000000a",
      kind: "acme",
      maxPerSecond: null,
      linkSchemes: [],
      attachments: "names",
      maxCalls: 1,
      send: async () => ({
        class: "transient",
        reason: "every connection to the vendor was in use",
        messageId: null,
        vendorStatus: null,
        vendorAnswer: null,
        retryAfterSeconds: null,
        notBegun: true,
      }),
    },
    {
      channel: "SMS",
      renderers: {
        of: async () => () => ({
          ok: true,
          kind: "text",
          text: "Hello",
          segments: 1,
          encoding: "GSM-7",
          missing: [],
        }),
        forget: () => undefined,
      },
      suppress: async () => assert.fail("nothing was said of the recipient"),
      random: () => 0.5,
      log: createLogger({ service: "test", level: "silent" }),
    },
  );
  assert.deepEqual(attempt, {
    kind: "settled",
    settlement: {
      deliveryId: DELIVERY.id,
      attempt: 3,
      status: "waiting",
      reason: "every connection to the vendor was in use",
      delayMs: 1_000,
      counted: false,
      missing: null,
      end: null,
    },
  });
});
