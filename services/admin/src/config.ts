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
      "URL at which people reach the Admin UI, such as https://admin.example.com; used in links. With https, cookies are Secure",
    pattern: HTTP_URL,
    default: "http://127.0.0.1:3002",
  }),
  API_URL: Type.String({
    description:
      "URL at which tenants and readers of mails reach ingest-api; used in curl examples and in URLs of images",
    pattern: HTTP_URL,
    default: "http://127.0.0.1:3000",
  }),
  WS_URL: Type.String({
    description: "URL at which browsers reach realtime-gateway, for the live inbox",
    pattern: "^wss?://[^/]+/connection/websocket$",
    default: "ws://127.0.0.1:3001/connection/websocket",
  }),
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
  BOOTSTRAP_FILE: Type.String({
    description:
      "JSON with the first tenant, its API key and the first operator, which are created at start if none exist; empty: none",
    default: "",
  }),
  ALLOW_PRIVATE_PROVIDER_ADDRESSES: Type.Boolean({
    description: "Whether providers may have private addresses; only for the local stack and tests",
    default: false,
  }),
  ALLOW_PRIVATE_WEBHOOK_ADDRESSES: Type.Boolean({
    description:
      "Whether endpoints may have private addresses and plain http; only for the local stack and tests",
    default: false,
  }),
  TRUST_PROXY: Type.String({
    description:
      "Addresses or ranges of the proxies whose X-Forwarded-For header is trusted, comma-separated; empty: none",
    default: "",
  }),
  UNKNOWN_KEYS_PER_MINUTE: Type.Integer({
    description:
      "Maximum number of unknown API keys that one address may send to the management API per minute and replica; more are answered 429",
    minimum: 1,
    default: 60,
  }),
  MANAGE_REQUESTS_PER_MINUTE: Type.Integer({
    description:
      "Maximum number of requests of one API key to the management API per minute and replica",
    minimum: 1,
    default: 600,
  }),
  ...oidcConfig,
  ACTIVITY_EVERY_MS: Type.Integer({
    description: "Milliseconds between updates of the figures on the overview",
    minimum: 500,
    default: 10_000,
  }),
});
