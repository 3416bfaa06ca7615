/**
 * Web Push of a page: asks for the permission, subscribes, and registers the browser through functions of the page.
 * The service worker is web-push-worker.js. web-push.d.ts documents the functions.
 */

/** An error whose `code` is "unsupported", "denied" or "failed". */
export class PushError extends Error {
  name = "PushError";

  constructor(code, message, cause) {
    super(message, { cause });
    this.code = code;
  }
}

/** Safari on iPhones and iPads has these only in a page that was added to the home screen. */
const isSupported = () =>
  ["Notification", "PushManager"].every((name) => name in globalThis) &&
  navigator.serviceWorker !== undefined;

export async function pushState({ applicationServerKey, serviceWorkerUrl }) {
  if (!isSupported()) return "unsupported";
  if (Notification.permission === "denied") return "denied";
  const subscription = await subscriptionOf(serviceWorkerUrl);
  const isAllowed = Notification.permission === "granted";
  return isAllowed && hasKey(subscription, applicationServerKey) ? "on" : "off";
}

export async function turnOnPush(options) {
  if (!isSupported()) throw new PushError("unsupported", "this browser has no Web Push here");
  // A browser asks its user only during a click, so nothing is awaited before.
  if ((await Notification.requestPermission()) !== "granted") {
    throw new PushError("denied", "the user did not allow notifications");
  }
  const subscription = await subscribe(options);
  try {
    return await registerDevice(subscription, options);
  } catch (error) {
    await subscription.unsubscribe();
    throw error;
  }
}

export async function renewPush(options) {
  if (!isSupported() || Notification.permission !== "granted") return undefined;
  const isOn = await subscriptionOf(options.serviceWorkerUrl);
  return isOn ? await registerDevice(await subscribe(options), options) : undefined;
}

export async function turnOffPush({ serviceWorkerUrl, unregister }) {
  const subscription = isSupported() ? await subscriptionOf(serviceWorkerUrl) : undefined;
  if (subscription === undefined) return;
  await subscription.unsubscribe();
  await unregister(await deviceIdOf(subscription));
}

export const onPushClick = (callback) => listen("belfry-push-click", callback);
export const onPushChange = (callback) => listen("belfry-push-change", callback);

function listen(type, callback) {
  const heard = ({ data }) => {
    if (data?.type === type) callback(data);
  };
  const worker = globalThis.navigator?.serviceWorker;
  worker?.addEventListener("message", heard);
  return () => worker?.removeEventListener("message", heard);
}

async function subscribe({ applicationServerKey, serviceWorkerUrl }) {
  try {
    const registration = await navigator.serviceWorker.register(serviceWorkerUrl);
    await activation(registration);
    const { pushManager } = registration;
    const existing = await pushManager.getSubscription();
    if (hasKey(existing, applicationServerKey)) return existing;
    await existing?.unsubscribe();
    return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  } catch (error) {
    const code = error.name === "NotAllowedError" ? "denied" : "failed";
    throw new PushError(code, `the browser could not subscribe: ${error.message}`, error);
  }
}

/** Waits until the registration has an active worker, without which a browser does not subscribe. */
async function activation(registration) {
  const worker = registration.installing ?? registration.waiting;
  if (registration.active || !worker) return;
  await new Promise((resolve, reject) => {
    worker.addEventListener("statechange", () => {
      if (worker.state === "redundant") reject(new Error("the service worker was not installed"));
      if (worker.state === "activated") resolve();
    });
  });
}

async function subscriptionOf(serviceWorkerUrl) {
  const registration = await navigator.serviceWorker.getRegistration(serviceWorkerUrl);
  return (await registration?.pushManager.getSubscription()) ?? undefined;
}

async function registerDevice(subscription, { applicationServerKey, register, name }) {
  const deviceId = await deviceIdOf(subscription);
  const { endpoint, keys } = subscription.toJSON();
  const kind = "webpush";
  await register({ deviceId, kind, subscription: { endpoint, keys }, applicationServerKey, name });
  return deviceId;
}

async function deviceIdOf({ endpoint }) {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint));
  return base64Url(hash).slice(0, 22);
}

/** Returns whether there is a subscription, and it was made with the key. */
function hasKey(subscription, applicationServerKey) {
  const key = subscription?.options.applicationServerKey;
  return Boolean(key) && base64Url(key) === applicationServerKey;
}

function base64Url(buffer) {
  const text = btoa(String.fromCharCode(...new Uint8Array(buffer)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
