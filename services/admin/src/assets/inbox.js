import "../inbox/belfry-inbox.js";

/** A user's live inbox: the element that a page of the tenant's would have, with tokens from here. */
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
    // Sent to the sign-in, or no editor any more: there is no use in trying again.
    if (answer.type === "opaqueredirect" || answer.status === 403) return null;
    if (!answer.ok) throw new Error(`the token was refused: ${answer.status}`);
    return await answer.json();
  };
}
