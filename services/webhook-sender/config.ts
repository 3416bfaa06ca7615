import { DELIVERY_ACK_WAIT_MS } from "@belfry/contracts/streams";
import { WEBHOOK_TIMEOUT_MS } from "@belfry/contracts/webhooks";
import { parseSecretKeys } from "@belfry/database/secrets";
import { commonConfig } from "@belfry/service/config";
import { type Static, Type } from "@sinclair/typebox";

export const configSchema = Type.Object({
  ...commonConfig,
  SECRETS_KEYS: Type.String({
    description: "Keys that decrypt the endpoints' secrets, as kid:base64,kid2:base64",
    minLength: 1,
    secret: true,
    parse: parseSecretKeys,
  }),
  CONCURRENCY: Type.Integer({
    description: "Calls of endpoints at a time; a tenant has at most 64 of them, an endpoint 16",
    minimum: 1,
    maximum: 1000,
    default: 256,
  }),
  MESSAGES_IN_HAND: Type.Integer({
    description: "Messages (of up to 20 deliveries) in hand at a time",
    minimum: 1,
    maximum: 2000,
    default: 512,
  }),
  LEASE_MS: Type.Integer({
    description:
      "How long a claimed delivery is this sender's, renewed while its endpoint has it; then another may try it",
    minimum: 1000,
    maximum: 59_000,
    default: 30_000,
  }),
  DELIVERY_ACK_WAIT_MS: Type.Integer({
    description:
      "Deliveries in the hands of a sender that died come again after this, in ms; they leave when its leases have ended, too",
    minimum: 1000,
    maximum: 600_000,
    default: DELIVERY_ACK_WAIT_MS,
  }),
  DATABASE_CONNECTIONS: Type.Integer({
    description: "Connections to Postgres",
    minimum: 2,
    maximum: 100,
    default: 8,
  }),
  ALLOW_PRIVATE_WEBHOOK_ADDRESSES: Type.Boolean({
    description: "Endpoints may have private addresses and plain http: local stack and tests only",
    default: false,
  }),
});
export type WebhookSenderConfig = Static<typeof configSchema>;

/** Claiming and settling around the call, with room for a slow database. */
const BOOKKEEPING_MS = 5_000;

/** Faults that no single variable shows; the same as the other senders'. */
export function crossCheck(
  config: Pick<
    WebhookSenderConfig,
    "LEASE_MS" | "DELIVERY_ACK_WAIT_MS" | "CONCURRENCY" | "MESSAGES_IN_HAND"
  >,
): string[] {
  const { LEASE_MS, CONCURRENCY, MESSAGES_IN_HAND } = config;
  const faults: string[] = [];
  const least = WEBHOOK_TIMEOUT_MS + BOOKKEEPING_MS;
  if (LEASE_MS < least)
    faults.push(`LEASE_MS: must be at least ${least}, a whole call and its record`);
  if (LEASE_MS > config.DELIVERY_ACK_WAIT_MS) {
    faults.push(`LEASE_MS: must be at most DELIVERY_ACK_WAIT_MS, ${config.DELIVERY_ACK_WAIT_MS}`);
  }
  if (MESSAGES_IN_HAND <= CONCURRENCY) {
    faults.push(`MESSAGES_IN_HAND: must be more than CONCURRENCY, ${CONCURRENCY}`);
  }
  return faults;
}
