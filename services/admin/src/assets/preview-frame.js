/** Runs in a document without an origin: takes the mail from the page around it, and shows it in a frame that can do nothing. */
addEventListener("message", (event) => {
  if (event.source !== parent || typeof event.data?.html !== "string") return;
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "");
  frame.title = "The mail";
  frame.srcdoc = event.data.html;
  // A new frame each time: another srcdoc in the old one would be a step in the history.
  document.body.replaceChildren(frame);
});
parent.postMessage("ready", "*");
