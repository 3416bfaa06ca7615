/** What the page draws. Every text is set as text: it comes from outside. */

const element = (id) => document.getElementById(id);

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

export function showConnection({ state, reason }) {
  const pill = element("connection");
  pill.dataset.state = state;
  pill.textContent = state === "connected" ? "live" : state;
  pill.title = reason;
}

export function showUnread(unread) {
  document.title = unread === 0 ? "Belfry demo" : `(${unread}) Belfry demo`;
}

/** The answer of the API to a trigger, or why there is none. */
export function showAnswer({ fault, status, message, replayed, adminUrl }) {
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

/** What became of an event, line by line; undefined: nothing is known yet. */
export function showStory(report) {
  const list = element("story");
  // It is by email alone: what is not asked for needs no line.
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

export function showMessages(messages, channel, openId, open) {
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

/** What the page's server has been told and has verified. */
export function showWebhooks({ messages, refused }) {
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
  const told = [data.channel, data.reason, data.eventType, data.source].filter(Boolean);
  row.append(
    make("strong", "", String(type)),
    clock(arrivedAt),
    make("p", "", told.join(" · ")),
    ...(times === 1 ? [] : [make("mark", "", `came ${times} times, kept once`)]),
    make("details", "", make("summary", "", id), make("pre", "", body)),
  );
  return row;
}

/** Keeps the rows that are right, so that focus stays and only new ones move. */
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
