import { WEBHOOK_TIMEOUT_MS } from "@belfry/contracts/webhook-payload";
import { BOOKKEEPING_MS, claimingConfig, claimingFaults } from "@belfry/sending/sender-config";
import { type Static, Type } from "@sinclair/typebox";

export const configSchema = Type.Object({
  ...claimingConfig({
    called: "endpoint",
    secrets: "the endpoints' secrets",
    shares: "a tenant has at most 64 of them, an endpoint 16",
    concurrency: 256,
    messagesInHand: 512,
  }),
  ALLOW_PRIVATE_WEBHOOK_ADDRESSES: Type.Boolean({
    description:
      "Whether endpoints may have private addresses and plain http; only for the local stack and tests",
    default: false,
  }),
});
export type WebhookSenderConfig = Static<typeof configSchema>;

/** Returns faults in the combination of variables. */
export function crossCheck(config: Parameters<typeof claimingFaults>[0]): string[] {
  const leastMs = WEBHOOK_TIMEOUT_MS + BOOKKEEPING_MS;
  return claimingFaults(config, leastMs, `${leastMs}, a whole call and its record`);
}
