import { parsePublicUrl } from "@belfry/contracts/message-links";
import { DELIVERY_ACK_WAIT_MS } from "@belfry/contracts/streams";
import { parseLinkKeys } from "@belfry/database/link-token";
import { parseSecretKeys } from "@belfry/database/secrets";
import { commonConfig } from "@belfry/service/config";
import { type Static, type TObject, Type } from "@sinclair/typebox";

/** The configuration variables of both senders. */
export const senderConfig = Type.Object({
  ...claimingConfig({
    called: "provider",
    secrets: "providers' settings",
    shares: "a tenant has at most its share",
    concurrency: 64,
    messagesInHand: 256,
  }),
  LINK_KEYS: Type.String({
    description:
      "Keys of links in messages, as kid:base64 of 32 bytes, comma-separated; the first seals; empty: no links",
    secret: true,
    default: "",
    parse: parseLinkKeys,
  }),
  PUBLIC_URL: Type.String({
    description:
      "Where browsers and vendors reach ingest-api: for links in messages, receipts of Twilio and Vonage, and by whose host mail servers are greeted; empty: none of these",
    default: "",
    parse: parsePublicUrl,
  }),
  PROVIDER_TIMEOUT_MS: Type.Integer({
    description:
      "For a connection to a provider, and then from the request's beginning to its answer's end; a mail server has 2 min to answer a whole message",
    minimum: 100,
    maximum: 50_000,
    default: 10_000,
  }),
  ALLOW_PRIVATE_PROVIDER_ADDRESSES: Type.Boolean({
    description: "Providers may have private addresses and plain http: local stack and tests only",
    default: false,
  }),
});
export type SenderConfig = Static<typeof senderConfig>;

/** Returns faults in the combination of variables. */
export function crossCheck(
  config: Pick<SenderConfig, "PROVIDER_TIMEOUT_MS"> & Parameters<typeof claimingFaults>[0],
): string[] {
  const leastMs = config.PROVIDER_TIMEOUT_MS + BOOKKEEPING_MS;
  const least = `PROVIDER_TIMEOUT_MS + ${BOOKKEEPING_MS} = ${leastMs}`;
  return claimingFaults(config, leastMs, least);
}

/** Returns the variables of a process that claims deliveries and calls providers or receivers for them. */
export function claimingConfig(of: {
  /** The word for what the process calls, such as `provider`. */
  called: string;
  /** The words for the process's secrets. */
  secrets: string;
  /** The words for how calls are shared. */
  shares: string;
  concurrency: number;
  messagesInHand: number;
}) {
  return {
    ...commonConfig,
    SECRETS_KEYS: Type.String({
      description: `Keys that decrypt ${of.secrets}, as kid:base64,kid2:base64`,
      minLength: 1,
      secret: true,
      parse: parseSecretKeys,
    }),
    CONCURRENCY: Type.Integer({
      description: `Calls of ${of.called}s at a time; ${of.shares}`,
      minimum: 1,
      maximum: 1000,
      default: of.concurrency,
    }),
    MESSAGES_IN_HAND: Type.Integer({
      description: "Messages (of up to 20 deliveries) in hand at a time",
      minimum: 1,
      maximum: 2000,
      default: of.messagesInHand,
    }),
    LEASE_MS: Type.Integer({
      description: `How long a claimed delivery is this sender's, renewed while its ${of.called} has it; then another may try it`,
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
  };
}
export type ClaimingConfig = Static<TObject<ReturnType<typeof claimingConfig>>>;

/** The time in ms for claiming, rendering and settling, in addition to the call; enough for a slow database. */
export const BOOKKEEPING_MS = 5_000;

/**
 * Returns faults in the combination of variables: a lease could end during an ordinary call, a message could be
 * redelivered long before a lease has ended, or waiting messages could block others. `least` explains `leastLeaseMs`,
 * the shortest allowed lease.
 */
export function claimingFaults(
  config: Pick<
    ClaimingConfig,
    "LEASE_MS" | "DELIVERY_ACK_WAIT_MS" | "CONCURRENCY" | "MESSAGES_IN_HAND"
  >,
  leastLeaseMs: number,
  least: string,
): string[] {
  const { LEASE_MS, DELIVERY_ACK_WAIT_MS: ackWaitMs, CONCURRENCY, MESSAGES_IN_HAND } = config;
  const faults: string[] = [];
  if (LEASE_MS < leastLeaseMs) faults.push(`LEASE_MS: must be at least ${least}`);
  if (LEASE_MS > ackWaitMs) {
    faults.push(`LEASE_MS: must be at most DELIVERY_ACK_WAIT_MS, ${ackWaitMs}`);
  }
  if (MESSAGES_IN_HAND <= CONCURRENCY) {
    faults.push(`MESSAGES_IN_HAND: must be more than CONCURRENCY, ${CONCURRENCY}`);
  }
  return faults;
}
