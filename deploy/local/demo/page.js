import { InboxFeed } from "./inbox/belfry-inbox.js";
import { offerPush } from "./page-push.js";

/** The demo page. `<belfry-inbox>` loads the inbox; everything else comes from the page's own server. */

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
offerPush({ ask, feed, button: element("push"), showAnswer }).catch(() => undefined);

// Sending

/** The id of the event that was made to fail; undefined if there is none or its outcome is known. */
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

/** Loads three times, because senders need a moment longer than the push. */
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

// Rendering. All texts come from outside, so they are set as text, never as HTML.

function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

function clock(iso) {
  const time = new Date(iso);
  const today = time.toDateString() === new Date().toDateString();
  const node = make(
    "time",
    "",
    today
      ? time.toLocaleTimeString([], { timeStyle: "medium" })
      : time.toLocaleString([], { dateStyle: "medium", timeStyle: "short" }),
  );
  node.dateTime = iso;
  node.title = time.toLocaleString();
  return node;
}

function showConnection({ state, reason }) {
  const pill = element("connection");
  pill.dataset.state = state;
  pill.textContent = state === "connected" ? "live" : state;
  pill.title = reason;
}

function showUnread(unread) {
  document.title = unread === 0 ? "Belfry demo" : `(${unread}) Belfry demo`;
}

/** Shows the API's answer to a trigger, or why there is no answer. */
function showAnswer({ fault, status, message, replayed, adminUrl }) {
  const line = element("answer");
  line.hidden = false;
  const ok = fault === undefined && status < 300;
  line.className = `answer ${ok ? "good" : "bad"}`;
  element("in-admin").hidden = !adminUrl;
  if (adminUrl) element("in-admin").querySelector("a").href = adminUrl;
  line.replaceChildren(
    ...(status === undefined ? [] : [make("b", "", String(status))]),
    make("span", "", fault ?? message),
    ...(replayed ? [make("mark", "", "replayed: not sent twice")] : []),
  );
}

/** Shows an event's report line by line; `undefined` means that nothing is known yet. */
function showStory(report) {
  const list = element("story");
  // The event is sent by email only, so the lines of other channels are left out.
  const lines = (report?.timeline ?? []).filter(({ channel }) => [null, "EMAIL"].includes(channel));
  list.hidden = lines.length === 0;
  const items = lines.map(({ at, what }, index) => ({ id: `${index} ${at} ${what}`, at, what }));
  sync(list, items, ({ id, at, what }) => {
    const row = make("li", "", make("span", "", what), clock(at));
    row.dataset.id = id;
    row.dataset.version = "1";
    return row;
  });
}

function showMessages(messages, channel, openId, open) {
  const ofChannel = messages.filter((message) => message.channel === channel);
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const count = messages.filter((message) => message.channel === tab.dataset.channel).length;
    tab.querySelector("b").textContent = count === 0 ? "" : String(count);
  }
  element("no-messages").hidden = ofChannel.length > 0;
  element("messages").dataset.channel = channel;
  sync(element("messages"), ofChannel, (message) =>
    messageRow(message, message.id === openId, open),
  );
  for (const row of element("messages").children) {
    row.querySelector("button")?.setAttribute("aria-pressed", String(row.dataset.id === openId));
  }
  showMail(channel === "EMAIL" ? ofChannel.find((message) => message.id === openId) : undefined);
}

function messageRow(message, isOpen, open) {
  const row = make("li", message.channel === "SMS" ? "sms" : "email");
  row.dataset.id = message.id;
  row.dataset.version = message.channel;
  if (message.channel === "SMS") {
    const segments = message.segments === 1 ? "1 segment" : `${message.segments} segments`;
    row.append(
      make("strong", "", message.to),
      clock(message.createdAt),
      make("p", "bubble", message.text),
      make("small", "", segments),
    );
    return row;
  }
  const button = make(
    "button",
    "",
    make("strong", "", message.subject ?? ""),
    clock(message.createdAt),
    make("span", "", message.to),
  );
  button.type = "button";
  button.setAttribute("aria-pressed", String(isOpen));
  button.addEventListener("click", () => open(message));
  row.append(button);
  return row;
}

function showMail(message) {
  element("mail").hidden = message === undefined;
  if (message === undefined || element("mail").dataset.id === message.id) return;
  element("mail").dataset.id = message.id;
  element("mail-subject").textContent = message.subject ?? "";
  element("mail-to").textContent = `to ${message.to}`;
  element("mail-text").textContent = message.text;
  element("mail-frame").src = `/outbox/${message.id}`;
}

/** Shows the webhooks that the page's server received and verified. */
function showWebhooks({ messages, refused }) {
  element("no-webhooks").hidden = messages.length > 0;
  element("webhooks").hidden = messages.length === 0;
  const counts = [
    messages.length === 0 ? "" : `${messages.length} verified`,
    refused === 0 ? "" : `${refused} refused`,
  ];
  element("webhooks-count").textContent = counts.filter((text) => text !== "").join(", ");
  sync(element("webhooks"), messages, webhookRow);
}

function webhookRow({ id, arrivedAt, times, body }) {
  const { type, data } = JSON.parse(body);
  const row = make("li", "webhook");
  row.dataset.id = id;
  row.dataset.version = String(times);
  const details = [data.channel, data.reason, data.eventType, data.source].filter(Boolean);
  row.append(
    make("strong", "", String(type)),
    clock(arrivedAt),
    make("p", "", details.join(" · ")),
    ...(times === 1 ? [] : [make("mark", "", `came ${times} times, kept once`)]),
    make("details", "", make("summary", "", id), make("pre", "", body)),
  );
  return row;
}

/** Updates a list. Rows with the same id and version stay in the DOM, so that they keep the focus and do not move. */
function sync(list, items, makeRow) {
  const rows = new Map([...list.children].map((row) => [row.dataset.id, row]));
  const wanted = items.map((item) => {
    const made = makeRow(item);
    const there = rows.get(made.dataset.id);
    if (there?.dataset.version === made.dataset.version) return there;
    return made;
  });
  for (const row of [...list.children]) if (!wanted.includes(row)) row.remove();
  for (const [index, row] of wanted.entries()) {
    if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
  }
}
