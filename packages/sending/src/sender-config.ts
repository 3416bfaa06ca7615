import { parsePublicUrl } from "@belfry/contracts/message-links";
import { parseLinkKeys } from "@belfry/database/link-token";
import { type Static, Type } from "@sinclair/typebox";
import { BOOKKEEPING_MS, claimingConfig, claimingFaults } from "./claiming-config.ts";

/** The variables of both senders. */
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

/** Faults that no single variable shows. */
export function crossCheck(
  config: Pick<SenderConfig, "PROVIDER_TIMEOUT_MS"> & Parameters<typeof claimingFaults>[0],
): string[] {
  const leastMs = config.PROVIDER_TIMEOUT_MS + BOOKKEEPING_MS;
  const least = `PROVIDER_TIMEOUT_MS + ${BOOKKEEPING_MS} = ${leastMs}`;
  return claimingFaults(config, leastMs, least);
}
