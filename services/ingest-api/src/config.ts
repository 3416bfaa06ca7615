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
      "Keys that encrypt stored secrets, each as kid:base64 of 32 bytes, comma-separated; the first one encrypts, all decrypt",
    minLength: 1,
    secret: true,
    parse: parseSecretKeys,
  }),
  REALTIME_TOKEN_KEYS: Type.String({
    description:
      "Keys for realtime tokens, each as kid:base64, comma-separated; the first one signs",
    minLength: 1,
    secret: true,
    parse: parseTokenKeys,
  }),
  LINK_KEYS: Type.String({
    description:
      "Keys for links in messages, each as kid:base64 of 32 bytes, comma-separated; links of all keys work; empty: there are no unsubscribe pages",
    secret: true,
    default: "",
    parse: parseLinkKeys,
  }),
  PUBLIC_URL: Type.String({
    description:
      "URL at which browsers and vendors reach this service; empty: Twilio's webhooks cannot be verified",
    default: "",
    parse: parsePublicUrl,
  }),
  MANAGE_URL: Type.String({
    description:
      "URL of the management API, which /docs shows, such as http://127.0.0.1:3002; empty: PUBLIC_URL",
    pattern: "^(https?://[^/]+)?$",
    default: "",
  }),
  TRUST_PROXY: Type.String({
    description:
      "Addresses or ranges of the proxies whose X-Forwarded-For header is trusted, comma-separated; empty: none",
    default: "",
  }),
  TRUST_TRACE_SAMPLING: Type.Boolean({
    description:
      "Whether the sampled flag of a tenant's traceparent header decides what is recorded; false: only the sampler decides",
    default: false,
  }),
  PACKAGES_FOLDER: Type.String({
    description:
      "Folder of the tarballs that /packages serves, relative to this service's folder; if it has none, the list is empty",
    minLength: 1,
    default: "tarballs",
  }),
  UNKNOWN_KEYS_PER_MINUTE: Type.Integer({
    description:
      "Maximum number of unknown API keys, or of unverified receipts for one webhook, that one address may send per minute and replica; more are answered 429",
    minimum: 1,
    default: 60,
  }),
  ACCEPT_CONNECTIONS: Type.Integer({
    description:
      "Connections to Postgres that only triggers use, so that no other call delays them",
    minimum: 2,
    default: 4,
  }),
  OTHER_CONNECTIONS: Type.Integer({
    description:
      "Connections to Postgres for all other calls; one tenant's calls use at most half of them at a time",
    minimum: 2,
    default: 8,
  }),
  OTHER_REQUESTS_PER_MINUTE: Type.Integer({
    description:
      "Maximum number of requests of one tenant per minute and replica to all endpoints but trigger",
    minimum: 1,
    default: 6000,
  }),
  RECEIPTS_PER_MINUTE: Type.Integer({
    description:
      "Maximum number of requests of providers to one tenant's webhook per minute and replica",
    minimum: 1,
    default: 12_000,
  }),
  LINK_REQUESTS_PER_MINUTE: Type.Integer({
    description:
      "Maximum number of views, and of changes, of the page of one link in a message per minute and replica",
    minimum: 1,
    default: 60,
  }),
  IMAGE_REQUESTS_PER_MINUTE: Type.Integer({
    description:
      "Maximum number of requests of one address for images of mails per minute and replica",
    minimum: 1,
    default: 6000,
  }),
  ALLOW_PRIVATE_WEBHOOK_ADDRESSES: Type.Boolean({
    description:
      "Whether endpoints may have private addresses and plain http, as for webhook-sender; only for the local stack and tests",
    default: false,
  }),
  EXPRESS_PER_MINUTE: Type.Integer({
    description: "A tenant with more events than this in the last minute goes to the bulk lane",
    minimum: 1,
    default: EXPRESS_PER_MINUTE,
  }),
});
export type Config = Static<typeof configSchema>;
