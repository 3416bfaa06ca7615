import { createHash, randomUUID } from "node:crypto";
import { storedReason } from "@belfry/contracts/reasons";
import type { DeviceMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { SignJWT } from "jose";
import { callWithToken, keepToken } from "./access-tokens.ts";
import { apiUrl, each, meaningOf } from "./http-vendor.ts";
import { defineProvider, type Provider, type ProviderContext } from "./provider.ts";
import { type JudgedVendor, judge, type Meaning, outcome } from "./send-outcome.ts";
import { baseUrlField, lineField, privateKeyField, privateKeyOf } from "./settings.ts";

const HOSTS = {
  production: "https://api.push.apple.com",
  sandbox: "https://api.sandbox.push.apple.com",
};
/** Apple takes a token for an hour, and a new one at most every 20 minutes. */
const TOKEN_MS = 50 * 60_000;
const MAX_PAYLOAD_BYTES = 4096;
/** Calls at a time over one connection. Apple's own limit, which it tells when connected, may be lower. */
const MAX_CALLS = 100;

const ID = { pattern: "^[A-Z0-9]{10}$", fault: "must be 10 capital letters and digits" };
const KEYS = "https://developer.apple.com/account/resources/authkeys/list";

const SETTINGS = Type.Object(
  {
    teamId: lineField({
      title: "Team ID",
      description: "The developer account's.",
      link: "https://developer.apple.com/account#MembershipDetailsCard",
      ...ID,
    }),
    keyId: lineField({
      title: "Key ID",
      description:
        "The id of a key for the Apple Push Notifications service, for both environments.",
      link: KEYS,
      ...ID,
    }),
    privateKey: privateKeyField({
      title: "Private key",
      description: "The whole .p8 file of this key.",
      link: KEYS,
    }),
    topic: lineField({
      title: "Topic",
      description: "The app's bundle ID, such as com.example.shop.",
      link: "https://developer.apple.com/account/resources/identifiers/list",
      pattern: "^[A-Za-z0-9.-]+$",
      fault: "must be a bundle ID",
    }),
    baseUrl: baseUrlField(`${HOSTS.production}, or ${HOSTS.sandbox} by the device`),
  },
  { additionalProperties: false },
);

/** Meanings by the answer's `reason`. The HTTP status gives those of other reasons. */
const ERRORS: Readonly<Record<string, Meaning>> = {
  ...each({ class: "permanent", gone: true }, "BadDeviceToken", "DeviceTokenNotForTopic"),
  ...each({ class: "credentials" }, "BadTopic", "MissingTopic", "TopicDisallowed"),
  // Too many messages to one device.
  TooManyRequests: { class: "deferred" },
  IdleTimeout: { class: "transient" },
};

/**
 * Apple devices through the Apple Push Notification service, over HTTP/2. Written from its public description:
 * https://developer.apple.com/documentation/usernotifications, "Sending notification requests to APNs", "Handling
 * notification responses from APNs" and "Establishing a token-based connection to APNs".
 */
export const apns = defineProvider<DeviceMessage, typeof SETTINGS>({
  kind: "apns",
  content: "notification",
  title: "Apple Push Notification service",
  settings: SETTINGS,
  maxCalls: () => MAX_CALLS,
  faults({ privateKey }) {
    const isP256 = privateKeyOf(privateKey)?.asymmetricKeyDetails?.namedCurve === "prime256v1";
    return isP256 ? [] : ["privateKey: must be an elliptic-curve key (P-256)"];
  },
  create: createApns,
});

async function createApns(
  settings: Static<typeof SETTINGS>,
  context: ProviderContext,
): Promise<Provider<DeviceMessage>> {
  const { createHttp2Calls } = await import("./http2-calls.ts");
  const calls = createHttp2Calls(context);
  const key = privateKeyOf(settings.privateKey)!;
  const tokens = keepToken(async () => {
    const nowMs = context.now();
    const token = await new SignJWT()
      .setProtectedHeader({ alg: "ES256", kid: settings.keyId })
      .setIssuer(settings.teamId)
      .setIssuedAt(Math.floor(nowMs / 1000))
      .sign(key);
    return { token, untilMs: nowMs + TOKEN_MS };
  }, context.now);
  return {
    async send(message) {
      const { device } = message;
      if (device.kind !== "apns") return outcome("permanent", "the device is not of APNs");
      if (!/^[0-9a-f]{64,200}$/i.test(device.token)) {
        return outcome("permanent", "the device's token is none of APNs", { gone: true });
      }
      const payload = payloadOf(message);
      if (Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES) {
        return outcome("permanent", storedReason("content-too-large"));
      }
      const url = new URL(
        `${apiUrl(settings, HOSTS[device.environment])}/3/device/${device.token}`,
      );
      const headers = headersOf(message, settings.topic, context.now());
      const result = await callWithToken(
        tokens,
        (token) => calls.post(url, { ...headers, authorization: `bearer ${token}` }, payload),
        ({ status, text }) => status === 403 && text.includes("ExpiredProviderToken"),
      );
      return result.answered ? judge(vendorOf(message), result.answer, context) : result.outcome;
    },
    close: () => calls.close(),
  };
}

function vendorOf({ registeredAt }: DeviceMessage): JudgedVendor {
  return {
    name: "APNs",
    acceptedId: (_, { status, headers }) => (status === 200 ? headers["apns-id"] : undefined),
    meaning({ reason, timestamp }, { status }) {
      const meaning = meaningOf(ERRORS, reason);
      // Apple's time, in milliseconds. A device that registered later has the app again.
      const isGone = status === 410 && Number(timestamp) > registeredAt.getTime();
      return isGone ? { ...meaning, class: "permanent", gone: true } : meaning;
    },
  };
}

function headersOf(message: DeviceMessage, topic: string, nowMs: number): Record<string, string> {
  const { ttlSeconds, collapseKey } = message;
  const headers: Record<string, string> = {
    "apns-topic": topic,
    "apns-push-type": "alert",
    "apns-priority": "10",
    // 0: Apple does not store the message.
    "apns-expiration": ttlSeconds === 0 ? "0" : String(Math.floor(nowMs / 1000) + ttlSeconds),
    "apns-id": randomUUID(),
  };
  if (collapseKey !== undefined) headers["apns-collapse-id"] = collapseId(collapseKey);
  return headers;
}

/** Returns the key, or its hash if it is longer than 64 bytes or cannot stand in a header. */
function collapseId(key: string): string {
  const fits = /^[\x21-\x7e]{1,64}$/.test(key);
  return fits ? key : createHash("sha256").update(key).digest("base64url");
}

function payloadOf({ title, body, url, image, data, eventId }: DeviceMessage): string {
  // The app's notification service extension adds the image. JSON leaves out undefined fields.
  const mutable = image === undefined ? undefined : 1;
  const aps = { alert: { title, body }, "mutable-content": mutable };
  return JSON.stringify({ aps, url, image, data, eventId });
}
