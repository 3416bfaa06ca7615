/** A browser to register. All but `deviceId` is the body of `PUT /api/v1/users/{userId}/devices/{deviceId}`. */
export interface PushDevice {
  /** Derived from the subscription: 22 characters of base64url. */
  deviceId: string;
  kind: "webpush";
  subscription: { endpoint: string; keys: { p256dh: string; auth: string } };
  applicationServerKey: string;
  name?: string | undefined;
}

export interface PushOptions {
  /** `webPushKey` of `GET /api/v1/users/{userId}/devices`. */
  applicationServerKey: string;
  /** Address of the worker. Where it may be left out, the default is the worker whose scope contains the page. */
  serviceWorkerUrl: string;
  /** Sends the device to the page's own backend. Must reject if it was not stored. */
  register(device: PushDevice): Promise<unknown>;
  /** Shown in lists of devices, such as `Firefox on Linux`; at most 64 characters. */
  name?: string | undefined;
}

type Place = { serviceWorkerUrl?: string | undefined };

/**
 * `unsupported`: no Web Push here, as in Safari on an iPhone until the page is on the home screen. `denied`: the user did
 * not allow notifications. `failed`: the service worker could not start, or the browser's push service refused.
 */
export class PushError extends Error {
  readonly code: "unsupported" | "denied" | "failed";
}

/** Returns `off` also for a subscription with another key, which `renewPush` replaces. */
export function pushState(
  options: Pick<PushOptions, "applicationServerKey"> & Place,
): Promise<"unsupported" | "denied" | "on" | "off">;

/**
 * Asks for the permission, subscribes and registers the browser. Call it in a click, before anything is awaited. Returns
 * the device's id. Rejects with a `PushError`, or with the error of `register`; then the browser is not subscribed.
 */
export function turnOnPush(options: PushOptions): Promise<string>;

/** Registers a subscribed browser again, with a changed key as well. Call it when a page has loaded. Asks nothing. */
export function renewPush(options: PushOptions): Promise<string | undefined>;

/** Unsubscribes, then calls `unregister`. Call it when a user signs out, too. */
export function turnOffPush(
  options: Place & { unregister(deviceId: string): Promise<unknown> },
): Promise<void>;

/** Calls back after a click on a notification, in every open page. `id` is that of the event and of the inbox's item. */
export function onPushClick(
  callback: (click: { id?: string; data?: Record<string, string> }) => void,
): () => void;

/** Calls back when the browser has replaced its subscription: call `renewPush`. Both return a function that stops. */
export function onPushChange(callback: () => void): () => void;
