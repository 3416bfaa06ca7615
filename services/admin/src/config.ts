import { parseSecretKeys } from "@belfry/database/secrets";
import { commonConfig, listenConfig } from "@belfry/service/config";
import { parseTokenKeys } from "@belfry/service/realtime-token";
import { Type } from "@sinclair/typebox";
import { oidcConfig } from "./auth/oidc-settings.ts";

const HTTP_URL = "^https?://[^/]+$";

/** The configuration variables of the Admin UI and the management API. */
export const configSchema = Type.Object({
  ...commonConfig,
  ...listenConfig("ADMIN", "the Admin UI", 3002),
  ADMIN_BASE_URL: Type.String({
    description:
      "Where people reach it, as https://admin.example.com: in links, and https makes cookies Secure",
    pattern: HTTP_URL,
    default: "http://127.0.0.1:3002",
  }),
  API_URL: Type.String({
    description:
      "Where tenants and readers of mails reach ingest-api: in curl lines and in addresses of images",
    pattern: HTTP_URL,
    default: "http://127.0.0.1:3000",
  }),
  WS_URL: Type.String({
    description: "Address at which browsers reach realtime-gateway, for the live inbox",
    pattern: "^wss?://[^/]+/connection/websocket$",
    default: "ws://127.0.0.1:3001/connection/websocket",
  }),
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
  BOOTSTRAP_FILE: Type.String({
    description:
      "JSON of the first tenant with its API key and of the first operator, made at start where there is none; empty: none",
    default: "",
  }),
  ALLOW_PRIVATE_PROVIDER_ADDRESSES: Type.Boolean({
    description: "Providers may be on private addresses: local stack and tests only",
    default: false,
  }),
  ALLOW_PRIVATE_WEBHOOK_ADDRESSES: Type.Boolean({
    description: "Endpoints may have private addresses and plain http: local stack and tests only",
    default: false,
  }),
  TRUST_PROXY: Type.String({
    description:
      "Addresses or ranges of proxies whose X-Forwarded-For counts, comma-separated; empty: none",
    default: "",
  }),
  UNKNOWN_KEYS_PER_MINUTE: Type.Integer({
    description:
      "Unknown API keys that an address may send to the management API a minute before it is answered 429, a replica",
    minimum: 1,
    default: 60,
  }),
  MANAGE_REQUESTS_PER_MINUTE: Type.Integer({
    description: "Requests of an API key to the management API, a replica",
    minimum: 1,
    default: 600,
  }),
  ...oidcConfig,
  ACTIVITY_EVERY_MS: Type.Integer({
    description: "How often the figures of the overview are brought up to date",
    minimum: 500,
    default: 10_000,
  }),
});
