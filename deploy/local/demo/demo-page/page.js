import { InboxFeed } from "./inbox/belfry-inbox.js";
import {
  showAnswer,
  showConnection,
  showMessages,
  showStory,
  showUnread,
  showWebhooks,
} from "./view.js";

/** The demo page: the inbox by `<belfry-inbox>`, everything else from the page's own server. */

const LOAD_EVERY_MS = 2500;
const element = (id) => document.getElementById(id);

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

// The inbox: two elements, the bell and the list, over one connection. A page with one of them needs
// no script: <belfry-inbox ws-url="…" token-url="/demo/token"></belfry-inbox>

const feed = new InboxFeed({
  wsUrl: document.body.dataset.wsUrl,
  getToken: () => ask("POST", "/demo/token"),
});
element("inbox").addEventListener("connectionchange", ({ detail }) => showConnection(detail));
element("inbox").addEventListener("unreadchange", ({ detail }) => showUnread(detail.unread));
element("inbox").addEventListener("notification", () => loadSoon());
for (const inbox of [element("inbox"), element("bell")]) inbox.feed = feed;
feed.start();

// Sending

/** Of the event that was made to fail; undefined: none was, or its end is known. */
let watched;

async function send(event) {
  try {
    lastSent = await ask("POST", "/demo/events", event);
    showAnswer(lastSent);
    watched = event.trouble === undefined ? undefined : lastSent.eventId;
    showStory(undefined);
    element("send-again").disabled = false;
    loadSoon();
  } catch (error) {
    showAnswer({ fault: error.message });
  }
}

element("send").addEventListener("click", () => send({ eventType: element("event-type").value }));
element("send-again").addEventListener("click", () => {
  const { eventType, order, key, trouble } = lastSent;
  return send({ eventType, order, key, ...(trouble && { trouble }) });
});
for (const button of document.querySelectorAll("[data-trouble]")) {
  button.addEventListener("click", () => {
    const { trouble } = button.dataset;
    return send({ eventType: "order.confirmed", trouble });
  });
}
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

async function load() {
  await Promise.all([loadOutbox(), loadWebhooks(), loadStory()]);
}

async function loadStory() {
  const id = watched;
  if (!id) return;
  const report = await ask("GET", `/demo/events/${id}`);
  if (id !== watched) return;
  showStory(report);
  if (report.channels.EMAIL?.delivery?.settledAt) watched = undefined;
}

async function loadWebhooks() {
  showWebhooks(await ask("GET", "/demo/webhooks"));
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
function loadSoon() {
  for (const ms of [100, 400, 1200]) setTimeout(() => load().catch(() => undefined), ms);
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

load().catch(() => undefined);
setInterval(() => {
  if (!document.hidden) load().catch(() => undefined);
}, LOAD_EVERY_MS);
