import { parsePublicUrl } from "@belfry/contracts/message-links";
import { EXPRESS_PER_MINUTE } from "@belfry/contracts/streams";
import { parseLinkKeys } from "@belfry/database/link-token";
import { parseSecretKeys } from "@belfry/database/secrets";
import { commonConfig, listenConfig } from "@belfry/service/config";
import { parseTokenKeys } from "@belfry/service/realtime-token";
import { type Static, Type } from "@sinclair/typebox";

/** The environment variables of ingest-api. */
export const configSchema = Type.Object({
  ...commonConfig,
  ...listenConfig("INGEST_API", "the HTTP API", 3000),
  SECRETS_KEYS: Type.String({
    description:
      "Keys for secrets at rest, as kid:base64 of 32 bytes, comma-separated; the first encrypts",
    minLength: 1,
    secret: true,
    parse: parseSecretKeys,
  }),
  REALTIME_TOKEN_KEYS: Type.String({
    description: "Keys for realtime tokens, as kid:base64, comma-separated; the first signs",
    minLength: 1,
    secret: true,
    parse: parseTokenKeys,
  }),
  LINK_KEYS: Type.String({
    description:
      "Keys of links in messages, as kid:base64 of 32 bytes, comma-separated; all open; empty: no pages to unsubscribe",
    secret: true,
    default: "",
    parse: parseLinkKeys,
  }),
  PUBLIC_URL: Type.String({
    description:
      "Where browsers and vendors reach this service; empty: Twilio's webhooks cannot be verified",
    default: "",
    parse: parsePublicUrl,
  }),
  MANAGE_URL: Type.String({
    description:
      "Where the management API is, for /docs, as http://127.0.0.1:3002; empty: at PUBLIC_URL",
    pattern: "^(https?://[^/]+)?$",
    default: "",
  }),
  TRUST_PROXY: Type.String({
    description:
      "Addresses or ranges of proxies whose X-Forwarded-For counts, comma-separated; empty: none",
    default: "",
  }),
  TRUST_TRACE_SAMPLING: Type.Boolean({
    description:
      "Whether the sampled flag of a tenant's traceparent counts; false: only the sampler decides what is recorded",
    default: false,
  }),
  PACKAGES_FOLDER: Type.String({
    description:
      "Folder of the tarballs that /packages serves, from this service's own folder; none there: an empty list",
    minLength: 1,
    default: "tarballs",
  }),
  UNKNOWN_KEYS_PER_MINUTE: Type.Integer({
    description:
      "Unknown API keys, or unverified receipts of one webhook, that an address may send a minute before it is answered 429, a replica",
    minimum: 1,
    default: 60,
  }),
  ACCEPT_CONNECTIONS: Type.Integer({
    description:
      "Connections to Postgres for triggers alone, so that no other call keeps them waiting",
    minimum: 2,
    default: 4,
  }),
  OTHER_CONNECTIONS: Type.Integer({
    description:
      "Connections to Postgres for all other calls; a tenant has at most half as many calls under way",
    minimum: 2,
    default: 8,
  }),
  OTHER_REQUESTS_PER_MINUTE: Type.Integer({
    description: "Requests of a tenant to the endpoints other than trigger, a replica",
    minimum: 1,
    default: 6000,
  }),
  RECEIPTS_PER_MINUTE: Type.Integer({
    description: "Requests of a provider to one tenant's webhook, a replica",
    minimum: 1,
    default: 12_000,
  }),
  LINK_REQUESTS_PER_MINUTE: Type.Integer({
    description:
      "Requests to the page of one link in a message, looking and changing each, a replica",
    minimum: 1,
    default: 60,
  }),
  IMAGE_REQUESTS_PER_MINUTE: Type.Integer({
    description: "Requests of an address for the images of mails, a replica",
    minimum: 1,
    default: 6000,
  }),
  ALLOW_PRIVATE_WEBHOOK_ADDRESSES: Type.Boolean({
    description:
      "As of webhook-sender: endpoints may be on private addresses, and without TLS: local stack and tests only",
    default: false,
  }),
  EXPRESS_PER_MINUTE: Type.Integer({
    description: "A tenant with more events than this in the last minute goes to the bulk lane",
    minimum: 1,
    default: EXPRESS_PER_MINUTE,
  }),
});
export type Config = Static<typeof configSchema>;
