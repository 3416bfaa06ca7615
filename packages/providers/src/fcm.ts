import type { DeviceMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { SignJWT } from "jose";
import { callWithToken, keepToken, requestToken } from "./access-tokens.ts";
import { addressFault } from "./address-guard.ts";
import { apiUrl, JSON_HEADERS, meaningOf } from "./http-vendor.ts";
import { defineProvider, type Provider, type ProviderContext } from "./provider.ts";
import { recordOf } from "./receipt.ts";
import { type JudgedVendor, judge, type Meaning, outcome, parseObject } from "./send-outcome.ts";
import { baseUrlField, privateKeyOf } from "./settings.ts";

const VENDOR_URL = "https://fcm.googleapis.com";
const SCOPE = "https://www.googleapis.com/auth/firebase.messaging";
/** The longest that Google accepts for a signed request for a token. */
const GRANT_SECONDS = 3600;
/** FCM stores a message for at most four weeks. */
const MAX_TTL_SECONDS = 2_419_200;

const SETTINGS = Type.Object(
  {
    serviceAccount: Type.String({
      title: "Service account",
      description:
        "The whole JSON file of a key, whose account has the role Firebase Cloud Messaging API Admin.",
      link: "https://console.firebase.google.com/project/_/settings/serviceaccounts/adminsdk",
      minLength: 1,
      maxLength: 16_384,
      secret: true,
      multiline: true,
    }),
    baseUrl: baseUrlField(VENDOR_URL),
  },
  { additionalProperties: false },
);

/** The fields of the file that Belfry reads. */
const ACCOUNT = Type.Object({
  type: Type.Literal("service_account"),
  project_id: Type.String({ pattern: "^[a-z0-9.:-]{1,100}$" }),
  client_email: Type.String({ pattern: "^[\\x21-\\x7e]{1,256}$" }),
  private_key: Type.String({
    pattern: "^-----BEGIN PRIVATE KEY-----\\n[A-Za-z0-9+/=\\n]+-----END PRIVATE KEY-----\\n*$",
  }),
  token_uri: Type.String({ maxLength: 512 }),
});

/** Meanings by the error's code. The HTTP status gives those of other codes. */
const ERRORS: Readonly<Record<string, Meaning>> = {
  UNREGISTERED: { class: "permanent", gone: true },
  SENDER_ID_MISMATCH: { class: "permanent", gone: true },
};

const VENDOR: JudgedVendor = {
  name: "Firebase Cloud Messaging",
  acceptedId: ({ name }, { status }) => (status === 200 ? name : undefined),
  meaning(body) {
    const { status, details } = recordOf(body.error);
    const all = Array.isArray(details) ? details.map(recordOf) : [];
    const typed = (type: string) => all.find((one) => String(one["@type"]).endsWith(`/${type}`));
    const { errorCode = status } = typed("google.firebase.fcm.v1.FcmError") ?? {};
    const meaning = meaningOf(ERRORS, errorCode);
    // The quota is the project's, a topic's or one device's. Only the violation's words say which.
    const { violations } = typed("google.rpc.QuotaFailure") ?? {};
    const isOfDevice = violations !== undefined && /device/i.test(JSON.stringify(violations));
    return isOfDevice ? { ...meaning, class: "deferred" } : meaning;
  },
};

/**
 * Android devices through the HTTP v1 API of Firebase Cloud Messaging. Written from its public description:
 * https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages, …/ErrorCode, and
 * https://developers.google.com/identity/protocols/oauth2/service-account (the token).
 */
export const fcm = defineProvider<DeviceMessage, typeof SETTINGS>({
  kind: "fcm",
  content: "notification",
  title: "Firebase Cloud Messaging (Android)",
  settings: SETTINGS,
  faults({ serviceAccount }, context) {
    const account = parseObject(serviceAccount);
    const [wrong] = Value.Errors(ACCOUNT, account);
    if (wrong !== undefined) {
      return [`serviceAccount: has no valid ${wrong.path.slice(1)} of a service account`];
    }
    const { private_key, token_uri } = account as Static<typeof ACCOUNT>;
    const { asymmetricKeyType, asymmetricKeyDetails } = privateKeyOf(private_key) ?? {};
    const bits = asymmetricKeyDetails?.modulusLength ?? 0;
    // Google's keys have 2048 bits. A far larger one signs slowly.
    const isKey = asymmetricKeyType === "rsa" && bits >= 2048 && bits <= 4096;
    const fault = addressFault(token_uri, context);
    return [
      ...(isKey ? [] : ["serviceAccount: private_key must be an RSA key"]),
      ...(fault === null ? [] : [`serviceAccount: token_uri ${fault}`]),
    ];
  },
  create: createFcm,
});

async function createFcm(
  settings: Static<typeof SETTINGS>,
  context: ProviderContext,
): Promise<Provider<DeviceMessage>> {
  const { createHttpCalls } = await import("./http-calls.ts");
  const calls = createHttpCalls(context);
  const account = parseObject(settings.serviceAccount) as Static<typeof ACCOUNT>;
  const asked = { secrets: [...context.secrets, account.private_key], now: context.now };
  const tokens = keepToken(
    async () => requestToken(calls, account.token_uri, await grantOf(account, asked.now()), asked),
    asked.now,
  );
  const url = `${apiUrl(settings, VENDOR_URL)}/v1/projects/${account.project_id}/messages:send`;
  return {
    async send(message) {
      if (message.device.kind !== "fcm") return outcome("permanent", "the device is not of FCM");
      const body = JSON.stringify({ message: toMessage(message, message.device.token) });
      const result = await callWithToken(
        tokens,
        (token) => {
          const headers = { ...JSON_HEADERS, authorization: `Bearer ${token}` };
          return calls.post({ url, headers, body });
        },
        ({ status, text }) => status === 401 && !text.includes("THIRD_PARTY_AUTH_ERROR"),
      );
      return result.answered ? judge(VENDOR, result.answer, asked) : result.outcome;
    },
    close: () => calls.close(),
  };
}

function toMessage(message: DeviceMessage, token: string) {
  const { title, body, image, url, eventId, collapseKey, ttlSeconds } = message;
  // JSON leaves out undefined fields.
  return {
    token,
    notification: { title, body, image },
    data: { ...message.data, url, eventId },
    android: {
      ttl: `${Math.min(ttlSeconds, MAX_TTL_SECONDS)}s`,
      collapse_key: collapseKey,
      notification: collapseKey === undefined ? undefined : { tag: collapseKey },
    },
  };
}

/** Returns the form that asks for an access token by a signed grant (RFC 7523). */
async function grantOf(account: Static<typeof ACCOUNT>, nowMs: number): Promise<string> {
  const nowSeconds = Math.floor(nowMs / 1000);
  const assertion = await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT" })
    .setIssuer(account.client_email)
    .setAudience(account.token_uri)
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + GRANT_SECONDS)
    .sign(privateKeyOf(account.private_key)!);
  const grant_type = "urn:ietf:params:oauth:grant-type:jwt-bearer";
  return new URLSearchParams({ grant_type, assertion }).toString();
}
