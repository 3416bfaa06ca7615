import { Centrifuge } from "centrifuge";

/** A user's live inbox, as a page of the tenant's would have it. */
const inbox = document.getElementById("inbox");
if (inbox) start(inbox.dataset);

async function start({ user, wsUrl, tokenUrl, token }) {
  const state = document.getElementById("inbox-state");
  const items = document.getElementById("inbox-items");
  const ask = async () => {
    const body = new URLSearchParams({ user, _token: token });
    const answer = await fetch(tokenUrl, { method: "POST", body });
    if (!answer.ok) throw new Error(`the token was refused: ${answer.status}`);
    return await answer.json();
  };
  const first = await ask();
  const client = new Centrifuge(wsUrl, {
    token: first.token,
    getToken: async () => (await ask()).token,
  });
  const tell = (text, tone) => {
    state.textContent = text;
    state.className = `badge ${tone}`;
  };
  client.on("connecting", () => tell("connecting", "busy"));
  client.on("connected", () => tell("live", "good"));
  client.on("disconnected", () => tell("not connected", "bad"));
  for (const channel of first.channels) {
    const subscription = client.newSubscription(channel);
    subscription.on("publication", ({ data }) => show(items, data));
    subscription.subscribe();
  }
  client.connect();
}

function show(items, { title, body, eventType }) {
  const item = document.createElement("li");
  const text = document.createElement("div");
  text.className = "grow";
  const strong = document.createElement("strong");
  strong.textContent = title;
  const small = document.createElement("span");
  small.className = "soft small";
  small.textContent = eventType;
  text.append(strong, document.createElement("br"), body, document.createElement("br"), small);
  const badge = document.createElement("span");
  badge.className = "badge good";
  badge.textContent = "new";
  item.append(text, badge);
  items.prepend(item);
}
