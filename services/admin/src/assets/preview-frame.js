/** Runs in a document without an origin. Receives a mail from the page around it, and shows it in a sandboxed frame. */

addEventListener("message", (event) => {
  if (event.source !== parent || typeof event.data?.html !== "string") return;
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "");
  frame.title = "The mail";
  frame.srcdoc = event.data.html;
  // Creates a new frame each time, because another `srcdoc` in the old frame would add an entry to the history.
  document.body.replaceChildren(frame);
});
parent.postMessage("ready", "*");
