import { Centrifuge } from "./centrifuge.js";
import { showAnswer, showConnection, showMessages, showNotifications } from "./view.js";

/** The demo page: a WebSocket by the ordinary client, everything else from the page's own server. */

const SHOWN = 50;
const OUTBOX_EVERY_MS = 2500;
const element = (id) => document.getElementById(id);

/** Notifications by id; the history and the socket may bring the same one. */
const notifications = new Map();
/** Unread ones that are too old to be shown. */
let unreadElsewhere = 0;
let lastSent;
let messages = [];
let channel = "EMAIL";
let openMessage;

async function ask(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}

// Notifications

function shown() {
  return [...notifications.values()]
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id))
    .slice(0, SHOWN);
}

function refresh() {
  const items = shown();
  const unread = items.filter((item) => !item.read).length + unreadElsewhere;
  showNotifications(items, unread, markRead);
}

async function loadHistory() {
  const { items, unread } = await ask("GET", "/demo/notifications");
  for (const { id, type, title, body, status, created_at } of items) {
    const read = status === "READ";
    notifications.set(id, { id, title, body, category: type, createdAt: created_at, read });
  }
  unreadElsewhere = unread - items.filter((item) => item.status === "UNREAD").length;
  refresh();
}

async function markRead(ids) {
  try {
    await ask("POST", "/demo/notifications/read", { ids });
    for (const id of ids) notifications.get(id).read = true;
    refresh();
  } catch (error) {
    showAnswer({ fault: error.message });
  }
}

element("read-all").addEventListener("click", () =>
  markRead(
    shown()
      .filter((item) => !item.read)
      .map((item) => item.id),
  ),
);

// The socket

const client = new Centrifuge(document.body.dataset.wsUrl, {
  async getToken() {
    const { token, channels } = await ask("POST", "/demo/token");
    subscribe(channels);
    return token;
  },
});

function subscribe(channels) {
  for (const name of channels) {
    if (client.getSubscription(name) !== null) continue;
    const subscription = client.newSubscription(name);
    subscription.on("publication", ({ data, tags }) => {
      const { id, createdAt } = tags;
      if (!notifications.has(id)) {
        const { title, body, category } = data;
        notifications.set(id, { id, title, body, category, createdAt, read: false, live: true });
      }
      refresh();
      loadOutboxSoon();
    });
    subscription.subscribe();
  }
}

for (const state of ["connecting", "connected", "disconnected"]) {
  client.on(state, (context) => showConnection(state, context));
}
// Whatever came while there was no connection is in the history.
client.on("connected", () => loadHistory().catch(() => undefined));
// An item was marked read, here or in another tab.
client.on("message", () => loadHistory().catch(() => undefined));
client.connect();

// Sending

async function send(event) {
  try {
    lastSent = await ask("POST", "/demo/events", event);
    showAnswer(lastSent);
    element("send-again").disabled = false;
    loadOutboxSoon();
  } catch (error) {
    showAnswer({ fault: error.message });
  }
}

element("send").addEventListener("click", () => send({ eventType: element("event-type").value }));
element("send-again").addEventListener("click", () => {
  const { eventType, order, key } = lastSent;
  send({ eventType, order, key });
});
element("copy").addEventListener("click", async ({ currentTarget: button }) => {
  await navigator.clipboard.writeText(element("curl").textContent);
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = "Copy";
  }, 1500);
});

// The outbox

function refreshOutbox() {
  showMessages(messages, channel, openMessage, (message) => {
    openMessage = message.id;
    refreshOutbox();
  });
}

async function loadOutbox() {
  const newest = messages[0]?.id;
  ({ messages } = await ask("GET", "/demo/outbox"));
  if (messages[0]?.id !== newest) {
    openMessage = messages.find((message) => message.channel === channel)?.id;
    refreshOutbox();
  }
}

/** Senders take a moment longer than the push. */
function loadOutboxSoon() {
  for (const ms of [100, 400, 1200]) setTimeout(() => loadOutbox().catch(() => undefined), ms);
}

const tabs = [...document.querySelectorAll("[role=tab]")];
function choose(tab) {
  channel = tab.dataset.channel;
  for (const other of tabs) {
    other.setAttribute("aria-selected", String(other === tab));
    other.tabIndex = other === tab ? 0 : -1;
  }
  element("outbox").setAttribute("aria-labelledby", tab.id);
  openMessage = messages.find((message) => message.channel === channel)?.id;
  refreshOutbox();
}
for (const tab of tabs) {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", ({ key }) => {
    if (key !== "ArrowLeft" && key !== "ArrowRight") return;
    const other = tabs.find((one) => one !== tab);
    other.focus();
    choose(other);
  });
}

loadHistory().catch(() => undefined);
loadOutbox().catch(() => undefined);
setInterval(() => {
  if (!document.hidden) loadOutbox().catch(() => undefined);
}, OUTBOX_EVERY_MS);
