/** Shows a user's live inbox with the element that a tenant's page would use. The Admin UI issues the tokens. */

import "../inbox/belfry-inbox.js";

const inbox = document.querySelector("belfry-inbox");
if (inbox) {
  const { user, tokenUrl, token } = inbox.dataset;
  const state = document.getElementById("inbox-state");
  const tones = { connecting: "busy", connected: "good", disconnected: "bad" };
  inbox.addEventListener("connectionchange", ({ detail }) => {
    state.textContent = {
      connecting: "connecting",
      connected: "live",
      disconnected: "not connected",
    }[detail.state];
    state.className = `badge ${tones[detail.state]}`;
  });
  inbox.getToken = async () => {
    const body = new URLSearchParams({ user, _token: token });
    const answer = await fetch(tokenUrl, { method: "POST", body, redirect: "manual" });
    // The person is signed out or no longer an editor, so trying again is useless.
    if (answer.type === "opaqueredirect" || answer.status === 403) return null;
    if (!answer.ok) throw new Error(`the token was refused: ${answer.status}`);
    return await answer.json();
  };
}
