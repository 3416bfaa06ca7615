/** The page for a new message. Choosing an example sets the name of the event type, unless the person has typed one. */

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
