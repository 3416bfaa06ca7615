import { createHash } from "node:crypto";
import { storedReason } from "@belfry/contracts/reasons";
import type { DeviceMessage, OutcomeClass, SendOutcome } from "@belfry/contracts/sending";
import { createSemaphore, type Semaphore } from "@belfry/service/semaphore";
import { type Static, Type } from "@sinclair/typebox";
import { addressFault } from "./address-guard.ts";
import { ACCOUNT_FOR_THIS_MESSAGE } from "./http-vendor.ts";
import { defineProvider, type Provider, type ProviderContext } from "./provider.ts";
import { createPublicResolver } from "./public-resolver.ts";
import { type JudgedVendor, judge, notBegun, outcome, statusClass } from "./send-outcome.ts";
import { lineField, secretField } from "./settings.ts";
import { createVapidTokens } from "./vapid.ts";
import {
  createVapidKeys,
  encryptPush,
  MAX_PUSH_PAYLOAD_BYTES,
  type VapidKeys,
  vapidPublicKey,
} from "./web-push-encryption.ts";

/** Instead of a public key: makes a pair, and keeps the stored one as the previous pair. */
const NEW_KEYS = "new";

const PUBLIC_KEY = {
  pattern: "^B[A-Za-z0-9_-]{86}$",
  fault: "must be a public key of 87 characters in base64url",
};
const PRIVATE_KEY = {
  pattern: "^[A-Za-z0-9_-]{43}$",
  fault: "must be a private key of 43 characters in base64url",
};

const SETTINGS = Type.Object(
  {
    subject: lineField({
      title: "Contact",
      description:
        "Where the push services of browsers reach you about your pushes: a mailto: address or an https URL. Apple refuses names such as localhost.",
      pattern: "^(mailto:[^\\s<>@]+@[^\\s<>@]+|https://[^\\s<>]+)$",
      fault: "must be a mailto: address or an https URL",
    }),
    publicKey: Type.Optional(
      lineField({
        title: "Public key",
        description: `The VAPID key with which browsers subscribe. Leave both keys empty, and saving makes a pair. Write ${NEW_KEYS} to replace the pair: browsers that subscribed with it still get pushes, those of the pair before it no longer do.`,
        ...PUBLIC_KEY,
      }),
    ),
    privateKey: Type.Optional(
      secretField({
        title: "Private key",
        description: "Belongs to the public key and signs the pushes.",
        belongsTo: "publicKey",
        ...PRIVATE_KEY,
      }),
    ),
    previousPublicKey: Type.Optional(
      lineField({
        title: "Previous public key",
        description:
          "The pair before, for browsers that subscribed with it. Without it they get no pushes until they subscribe again.",
        ...PUBLIC_KEY,
      }),
    ),
    previousPrivateKey: Type.Optional(
      secretField({
        title: "Previous private key",
        description: "Belongs to the previous public key.",
        belongsTo: "previousPublicKey",
        ...PRIVATE_KEY,
      }),
    ),
  },
  { additionalProperties: false },
);
type Settings = Static<typeof SETTINGS>;

/** The push services of the browsers. A host that begins with a dot stands for all names below it. */
const KNOWN_HOSTS = [
  "fcm.googleapis.com",
  ".push.services.mozilla.com",
  ".push.apple.com",
  ".notify.windows.com",
];
/** Calls at a time to one host, so that a slow one cannot use all of them. */
const MAX_CALLS_TO_HOST = 8;
const MAX_CALLS_TO_KNOWN_HOST = 32;
/** More than a sender makes at a time. */
const MAX_CALLS = 1_024;
const HOST_WAIT_MS = 5_000;

const ACCEPTED: ReadonlySet<number> = new Set([200, 201, 202, 204]);
const GONE: ReadonlySet<number> = new Set([404, 410]);
/** The status with which Microsoft limits the rate. */
const WINDOWS_THROTTLED = 406;

/** The server of an unknown host belongs to a user, who must not be able to stop the tenant's other pushes. */
const CLASS_AT_UNKNOWN_HOST: Partial<Record<OutcomeClass, OutcomeClass>> = {
  credentials: "permanent",
  throttled: "deferred",
  transient: "deferred",
  ambiguous: "deferred",
};

/**
 * Web Push (RFC 8030, 8291, 8292) to any browser. The user's browser chooses the URL that is called, so it is called
 * behind the address guard, and only the answers of known push services count against the account.
 */
export const webpush = defineProvider<DeviceMessage, typeof SETTINGS>({
  kind: "webpush",
  content: "notification",
  title: "Web Push (browsers)",
  settings: SETTINGS,
  maxCalls: () => MAX_CALLS,
  fillSettings(settings, stored) {
    if (settings.publicKey === NEW_KEYS) {
      const { publicKey: previousPublicKey, privateKey: previousPrivateKey } = stored ?? {};
      const previous = stored && { previousPublicKey, previousPrivateKey };
      return { ...settings, ...createVapidKeys(), ...previous };
    }
    if (settings.publicKey !== undefined || settings.privateKey !== undefined) return settings;
    return { ...(stored ?? createVapidKeys()), ...settings };
  },
  faults: (settings) => [
    ...pairFaults(settings, "publicKey", "privateKey"),
    ...pairFaults(settings, "previousPublicKey", "previousPrivateKey"),
  ],
  create: createWebPush,
});

function pairFaults(
  settings: Settings,
  publicName: keyof Settings,
  privateName: keyof Settings,
): string[] {
  const [publicKey, privateKey] = [settings[publicName], settings[privateName]];
  if (publicKey === undefined) return privateKey === undefined ? [] : [`${publicName}: is missing`];
  if (privateKey === undefined) return [`${privateName}: is missing`];
  const belongs = vapidPublicKey(privateKey) === publicKey;
  return belongs ? [] : [`${privateName}: does not belong to the public key`];
}

async function createWebPush(
  settings: Settings,
  context: ProviderContext,
): Promise<Provider<DeviceMessage>> {
  const { createHttpCalls } = await import("./http-calls.ts");
  const { allowPrivateAddresses, turnWaitMs = HOST_WAIT_MS } = context;
  const resolve = context.resolve ?? (allowPrivateAddresses ? undefined : createPublicResolver());
  const maxCalls = MAX_CALLS_TO_KNOWN_HOST;
  const calls = createHttpCalls({ ...context, maxCalls, ...(resolve && { resolve }) });
  const tokenFor = createVapidTokens(settings.subject, context.now);
  const hosts = new Map<string, Semaphore>();

  return {
    async send(message) {
      const { device } = message;
      if (device.kind !== "webpush") return outcome("permanent", "the device is no browser");
      const { endpoint, keys } = device.subscription;
      const fault = addressFault(endpoint, context);
      if (fault !== null) return outcome("permanent", `the endpoint ${fault}`);
      const pair = pairFor(settings, device.applicationServerKey);
      if ("class" in pair) return pair;
      const body = encrypted(message, keys);
      if ("class" in body) return body;
      const { origin, hostname } = new URL(endpoint);
      const isKnown = allowPrivateAddresses || isKnownHost(hostname);
      const token = await tokenFor(origin, pair);
      const headers = {
        ...headersOf(message),
        authorization: `vapid t=${token}, k=${pair.publicKey}`,
      };
      const host =
        hosts.get(hostname) ??
        createSemaphore(isKnown ? MAX_CALLS_TO_KNOWN_HOST : MAX_CALLS_TO_HOST);
      hosts.set(hostname, host);
      if (!(await host.acquire(turnWaitMs))) return notBegun(storedReason("endpoint-busy"));
      try {
        const result = await calls.post({ url: endpoint, headers, body });
        if (!result.answered) return unanswered(result.outcome, isKnown);
        const asked = { secrets: [...context.secrets, token], now: context.now };
        return judge(pushService(isKnown), result.answer, asked);
      } finally {
        host.release();
        if (host.used === 0) hosts.delete(hostname);
      }
    },
    close: () => calls.close(),
  };
}

function isKnownHost(hostname: string): boolean {
  return KNOWN_HOSTS.some((host) =>
    host.startsWith(".") ? hostname.endsWith(host) : hostname === host,
  );
}

/** Returns the pair with whose public key the browser subscribed, or the outcome if there is none. */
function pairFor(settings: Settings, subscribedWith: string | undefined): VapidKeys | SendOutcome {
  const { publicKey, privateKey, previousPublicKey, previousPrivateKey } = settings;
  if (publicKey === undefined || privateKey === undefined) {
    return outcome("credentials", "the account has no pair of keys");
  }
  const key = subscribedWith?.replace(/=$/, "") ?? publicKey;
  if (key === publicKey) return { publicKey, privateKey };
  if (key === previousPublicKey && previousPrivateKey !== undefined) {
    return { publicKey: key, privateKey: previousPrivateKey };
  }
  return outcome("permanent", "the browser subscribed with a key that is not in use any more", {
    gone: true,
  });
}

/** Returns the encrypted payload, which the service worker reads, or the outcome if there can be none. */
function encrypted(
  message: DeviceMessage,
  keys: Parameters<typeof encryptPush>[1],
): Buffer | SendOutcome {
  const { eventId: id, title, body, url, image, data, collapseKey: tag } = message;
  const payload = Buffer.from(JSON.stringify({ id, title, body, url, image, data, tag }));
  if (payload.length > MAX_PUSH_PAYLOAD_BYTES) {
    return outcome("permanent", storedReason("content-too-large"));
  }
  try {
    return encryptPush(payload, keys);
  } catch {
    return outcome("permanent", "the subscription's key is no key of a browser", { gone: true });
  }
}

function headersOf({ ttlSeconds, collapseKey }: DeviceMessage): Record<string, string> {
  const headers = {
    "user-agent": "belfry",
    "content-type": "application/octet-stream",
    "content-encoding": "aes128gcm",
    ttl: String(ttlSeconds),
    urgency: "normal",
  };
  return collapseKey === undefined ? headers : { ...headers, topic: topicOf(collapseKey) };
}

/** Returns the topic of a key: at most 32 characters of base64url (RFC 8030, 5.4). */
function topicOf(key: string): string {
  if (/^[A-Za-z0-9_-]{1,32}$/.test(key)) return key;
  return createHash("sha256").update(key).digest("base64url").slice(0, 32);
}

/** Returns the meaning of answers. `isKnown`: they come from the push service of a browser. */
function pushService(isKnown: boolean): JudgedVendor {
  return {
    name: "The push service",
    acceptedId: (_, { status, headers }) => (ACCEPTED.has(status) ? headers.location : undefined),
    meaning(_, { status }) {
      if (ACCEPTED.has(status)) return { class: "accepted" };
      if (GONE.has(status)) return { class: "permanent", gone: true };
      if (status >= 300 && status < 400) return { class: "permanent" };
      const byStatus = status === WINDOWS_THROTTLED ? "throttled" : statusClass(status);
      if (!isKnown) return { class: CLASS_AT_UNKNOWN_HOST[byStatus] ?? byStatus };
      // A user may also have registered a subscription that was made with a key of somebody else.
      return byStatus === "credentials" ? ACCOUNT_FOR_THIS_MESSAGE : { class: byStatus };
    },
  };
}

function unanswered(result: SendOutcome, isKnown: boolean): SendOutcome {
  // The address guard refused the endpoint, which is no setting of the account.
  if (result.class === "credentials") return outcome("permanent", result.reason);
  const outcomeClass = isKnown ? result.class : CLASS_AT_UNKNOWN_HOST[result.class];
  return { ...result, class: outcomeClass ?? result.class };
}
