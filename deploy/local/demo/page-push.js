import {
  onPushChange,
  onPushClick,
  pushState,
  renewPush,
  turnOffPush,
  turnOnPush,
} from "./inbox/web-push.js";

const LABELS = {
  on: "No more push to this browser",
  off: "Push to this browser",
  denied: "Push is blocked in this browser",
  unsupported: "This browser has no Web Push here",
};

/** Shows the button that turns Web Push on and off, unless the tenant has no Web Push. */
export async function offerPush({ ask, feed, button, showAnswer }) {
  // Listens before anything is awaited: a page that a click has opened is told once it has loaded.
  onPushClick(({ id }) => feed.change(id, { read: true }).catch(() => undefined));
  const { webPushKey } = await ask("GET", "/demo/devices");
  if (webPushKey === null) return;
  const push = {
    applicationServerKey: webPushKey,
    serviceWorkerUrl: "/assets/inbox/web-push-worker.js",
    register: ({ deviceId, ...device }) => ask("PUT", `/demo/devices/${deviceId}`, device),
    unregister: (deviceId) => ask("DELETE", `/demo/devices/${deviceId}`),
    name: "The demo page",
  };
  let state;
  const run = async (change) => {
    await change(push).catch((error) => showAnswer({ fault: error.message }));
    state = await pushState(push);
    button.textContent = LABELS[state];
    button.disabled = state === "denied" || state === "unsupported";
    button.hidden = false;
  };
  button.addEventListener("click", () => run(state === "on" ? turnOffPush : turnOnPush));
  onPushChange(() => run(renewPush));
  await run(renewPush);
}
