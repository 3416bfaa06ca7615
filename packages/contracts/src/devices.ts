import { type Static, Type } from "@sinclair/typebox";
import { field, oneOf, success, text, time } from "./fields.ts";
import { textFault } from "./identifiers.ts";

/** The devices of a user: `PUT|DELETE /api/v1/users/{userId}/devices/{deviceId}` and `GET …/devices`. */
export const DEVICES_PATH = "/api/v1/users/:userId/devices";
export const DEVICE_PATH = `${DEVICES_PATH}/:deviceId`;

/** The services that deliver to devices, which are also the kinds of providers of the channel. */
export const DEVICE_KINDS = ["webpush", "fcm", "apns"] as const;
export type DeviceKind = (typeof DEVICE_KINDS)[number];

/**
 * Most devices of a user. Beyond them, the one that was not registered again for longest is deleted; browsers that
 * registered themselves come first.
 */
export const MAX_DEVICES = 20;

/** A browser that registered itself ends after this time. */
export const BROWSER_DEVICE_DAYS = 30;

/** A browser's PushSubscription, as `JSON.stringify` writes it (Push API; RFC 8030, 8291). */
export interface PushSubscriptionJson {
  /** The https URL at the browser's push service. */
  endpoint: string;
  /** base64url: the browser's P-256 public key of 65 bytes, and its secret of 16 bytes. */
  keys: { p256dh: string; auth: string };
}

/** The address of a device at its service. */
export type DeviceTarget =
  | {
      kind: "webpush";
      subscription: PushSubscriptionJson;
      /** The provider's public VAPID key with which the browser subscribed, base64url. Absent: the current one. */
      applicationServerKey?: string | undefined;
    }
  | { kind: "fcm"; token: string }
  | { kind: "apns"; token: string; environment: "production" | "sandbox" };

const MAX_ENDPOINT_CHARACTERS = 2048;
const MAX_TOKEN_CHARACTERS = 4096;
const NO_KEYS = "must have `p256dh` (87 characters) and `auth` (22 characters), in base64url";

/** Returns why a text cannot be the endpoint of a subscription. Its host is checked when it is called. */
function endpointFault(value: unknown): string | undefined {
  const isShort = typeof value === "string" && value.length <= MAX_ENDPOINT_CHARACTERS;
  const url = isShort ? URL.parse(value) : null;
  const isUrl =
    url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === "";
  return isUrl ? undefined : `must be a URL of at most ${MAX_ENDPOINT_CHARACTERS} characters`;
}

function subscriptionFault(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return "must be an object";
  const { endpoint, keys, expirationTime: _, ...others } = value as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return `has an unknown field ${JSON.stringify(unknown.slice(0, 40))}`;
  const fault = endpointFault(endpoint);
  if (fault !== undefined) return `endpoint ${fault}`;
  const { p256dh, auth, ...otherKeys } = (keys ?? {}) as Record<string, unknown>;
  const [unknownKey] = Object.keys(otherKeys);
  if (unknownKey !== undefined)
    return `keys has an unknown field ${JSON.stringify(unknownKey.slice(0, 40))}`;
  const areKeys =
    typeof p256dh === "string" &&
    /^[\w-]{87}=?$/.test(p256dh) &&
    typeof auth === "string" &&
    /^[\w-]{22}(?:==)?$/.test(auth);
  return areKeys ? undefined : `keys ${NO_KEYS}`;
}

export const subscription = field<PushSubscriptionJson>(
  {
    type: "object",
    required: ["endpoint", "keys"],
    properties: {
      endpoint: { type: "string", format: "uri", maxLength: MAX_ENDPOINT_CHARACTERS },
      keys: {
        type: "object",
        required: ["p256dh", "auth"],
        properties: { p256dh: { type: "string" }, auth: { type: "string" } },
      },
      expirationTime: { type: ["integer", "null"] },
    },
    description: "Only with `webpush`: the browser's PushSubscription as JSON",
  },
  subscriptionFault,
);

const token = field<string>(
  {
    type: "string",
    minLength: 1,
    maxLength: MAX_TOKEN_CHARACTERS,
    description: "Only with `fcm` and `apns`: the token that the device got from Google or Apple",
  },
  (value) =>
    typeof value === "string" &&
    /^[\x21-\x7e]+$/.test(value) &&
    value.length <= MAX_TOKEN_CHARACTERS
      ? undefined
      : `must be 1 to ${MAX_TOKEN_CHARACTERS} printable ASCII characters`,
);

const name = field<string | null>(
  {
    type: ["string", "null"],
    maxLength: 64,
    description: "A name for people, such as `Firefox on Linux`",
  },
  (value) => {
    if (value === null) return undefined;
    const fault = typeof value === "string" ? textFault(value) : "must be a string";
    return (
      fault ?? ([...(value as string)].length > 64 ? "must be at most 64 characters" : undefined)
    );
  },
);

export const DEVICE_FIELDS = {
  kind: oneOf(DEVICE_KINDS, { description: "The service that delivers to the device" }),
  subscription: Type.Optional(subscription),
  applicationServerKey: Type.Optional(
    field<string>(
      {
        type: "string",
        description:
          "Only with `webpush`: the public key with which the browser subscribed; default: the current one, which is stored with the device",
      },
      (value) =>
        typeof value === "string" && /^[\w-]{87}=?$/.test(value)
          ? undefined
          : "must be a public key of 87 characters in base64url",
    ),
  ),
  token: Type.Optional(token),
  environment: Type.Optional(
    oneOf(["production", "sandbox"], {
      description: "Only with `apns`: the environment of the app's build; default: production",
    }),
  ),
  name: Type.Optional(name),
};

export const DeviceRequest = Type.Object(DEVICE_FIELDS, { title: "DeviceRequest" });
export type DeviceRequest = Static<typeof DeviceRequest>;

/** A device as people see it, without its token. */
export const Device = Type.Object(
  {
    deviceId: Type.String(),
    kind: oneOf(DEVICE_KINDS),
    name: Type.Union([Type.String(), Type.Null()]),
    registeredAt: time("When it was last registered"),
    endsAt: Type.Union(
      [time("When it is deleted unless its browser registers again"), Type.Null()],
      {
        description: "null: it stays; only browsers that registered themselves end",
      },
    ),
    seenAt: Type.Union([time("When it accepted a message, to the day"), Type.Null()], {
      description: "null: it has accepted none yet",
    }),
  },
  { title: "Device" },
);
export type Device = Static<typeof Device>;

export const DeviceResponse = Type.Object({ success, data: Device }, { title: "DeviceResponse" });

export const DevicesResponse = Type.Object(
  {
    success,
    data: Type.Object({
      devices: Type.Array(Device, { description: "The one that was registered last comes first" }),
      webPushKey: Type.Union([Type.String(), Type.Null()], {
        description:
          "The `applicationServerKey` with which a browser subscribes; null if the tenant has no Web Push",
      }),
    }),
  },
  { title: "DevicesResponse" },
);

const OWN_FIELDS: Readonly<Record<DeviceKind, readonly (keyof DeviceRequest)[]>> = {
  webpush: ["subscription", "applicationServerKey"],
  fcm: ["token"],
  apns: ["token", "environment"],
};

/** Returns the fields of a request that are missing for its kind, or belong to another kind, each with its rule. */
export function deviceFaults(request: DeviceRequest): { field: string; message: string }[] {
  const { kind } = request;
  const own = OWN_FIELDS[kind];
  const required = own[0]!;
  const given = ["subscription", "applicationServerKey", "token", "environment"] as const;
  return [
    ...(request[required] === undefined
      ? [{ field: required, message: `is required for ${kind}` }]
      : []),
    ...given
      .filter((one) => request[one] !== undefined && !own.includes(one))
      .map((one) => ({ field: one, message: `is not for ${kind}` })),
  ];
}

/** Returns where the device of a checked request is reached. */
export function deviceTarget(request: DeviceRequest): DeviceTarget {
  const { kind, token = "", environment = "production" } = request;
  if (kind === "fcm") return { kind, token };
  if (kind === "apns") return { kind, token, environment };
  const { endpoint, keys } = request.subscription!;
  return {
    kind,
    subscription: { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } },
    applicationServerKey: request.applicationServerKey,
  };
}

/** The id of a device: unique among the user's devices. */
export const deviceId = text({
  description: "The device's id, chosen by the caller and unique among the user's devices",
  examples: ["firefox-laptop"],
});
