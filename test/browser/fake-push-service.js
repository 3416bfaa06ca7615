/**
 * Replaces the browser's push service, and its question to the user, in a page. localStorage holds the browser's state,
 * `subscription` and `permission`. A test sets `answer`, the answer of the user, and `fault`, the name of an error.
 */

function subscriptionOf(stored) {
  if (stored === undefined) return null;
  const { endpoint, applicationServerKey } = JSON.parse(stored);
  const text = atob(applicationServerKey.replaceAll("-", "+").replaceAll("_", "/"));
  const key = Uint8Array.from(text, (character) => character.charCodeAt(0)).buffer;
  return {
    endpoint,
    options: { applicationServerKey: key },
    toJSON: () => ({ endpoint, expirationTime: null, keys: { p256dh: "p", auth: "a" } }),
    unsubscribe: async () => delete localStorage.subscription,
  };
}

Object.assign(PushManager.prototype, {
  getSubscription: async () => subscriptionOf(localStorage.subscription),
  async subscribe({ applicationServerKey, userVisibleOnly }) {
    const [registration] = await navigator.serviceWorker.getRegistrations();
    // A browser refuses without an active worker, and a second key beside the first.
    if (
      localStorage.fault ||
      !userVisibleOnly ||
      localStorage.subscription ||
      !registration.active
    ) {
      throw new DOMException("refused", localStorage.fault ?? "InvalidStateError");
    }
    localStorage.count = Number(localStorage.count ?? 0) + 1;
    const endpoint = `https://push.example/${localStorage.count}`;
    localStorage.subscription = JSON.stringify({ endpoint, applicationServerKey });
    return subscriptionOf(localStorage.subscription);
  },
});
Object.defineProperty(Notification, "permission", {
  get: () => localStorage.permission ?? "default",
});
Notification.requestPermission = async () => {
  localStorage.permission = localStorage.answer ?? "granted";
  return localStorage.permission;
};
