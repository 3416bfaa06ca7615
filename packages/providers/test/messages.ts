import type { EmailMessage, SmsMessage } from "@belfry/contracts/sending";
import type { ProviderDeps } from "../src/provider.ts";

const IDS = {
  deliveryId: "0193a1c0-0000-7000-8000-00000000000d",
  tenantId: "0193a1c0-0000-7000-8000-00000000000a",
  eventId: "0193a1c0-0000-7000-8000-00000000000e",
};

export const EMAIL: EmailMessage = {
  ...IDS,
  to: "ann@example.com",
  subject: "Your order – größer",
  html: "<p>Hello &amp; welcome 🎉</p>",
  text: "Hello & welcome 🎉",
};

export const SMS: SmsMessage = {
  ...IDS,
  to: "+12025550123",
  text: "Your code is 123456 – שלום",
  segments: 1,
  encoding: "UCS-2",
};

/** 2026-11-20T12:00:00Z: what the providers under test take for now. */
export const NOW_MS = Date.UTC(2026, 10, 20, 12);

export function testDeps(changes: Partial<ProviderDeps> = {}): ProviderDeps {
  return {
    timeoutMs: 60_000,
    allowPrivateAddresses: true,
    storeInOutbox: async () => "outbox-1",
    now: () => NOW_MS,
    ...changes,
  };
}
