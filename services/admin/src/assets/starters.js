/** The page of a new message: an example brings its own name for the event type, until one is typed. */

const form = document.getElementById("new-template");
const eventType = form.elements.namedItem("eventType");
let isTyped = eventType.value !== "";

eventType.addEventListener("input", () => {
  isTyped = eventType.value !== "";
});
form.addEventListener("change", (event) => {
  const { name, dataset } = event.target;
  if (name === "starter" && !isTyped) eventType.value = dataset.eventType ?? "";
});
