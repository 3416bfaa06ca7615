/** The form of a broadcast: a field for each variable instead of JSON, previews of channels, suggestions of topics. */

import { createPreview, wireChoice } from "./live-preview.js";
import { createSampleValues } from "./sample-values.js";

const form = document.getElementById("broadcast-form");
const host = document.getElementById("values");
const panel = document.getElementById("broadcast-preview");
const area = form.elements.namedItem("sampleVariables");
/** Fields that no preview needs and that may be long. */
const LISTS = ["topics", "moreTopics", "userIds", "exceptUserIds", "channels"];

panel.hidden = false;
document.getElementById("as-json").open = form.querySelector("#as-json .fault") !== null;
let channel = panel.querySelector("[data-channel]")?.dataset.channel ?? "";
const preview = createPreview({
  form,
  bodyOf() {
    const body = new FormData(form);
    for (const name of LISTS) body.delete(name);
    body.set("previewOf", channel);
    return body;
  },
});
createSampleValues({ host, area, onChange: () => preview.later() }).show(
  JSON.parse(host.dataset.variables),
);
form.addEventListener("input", () => preview.later());
wireChoice(panel, "channel", (chosen) => {
  channel = chosen;
  void preview.ask();
});

const more = form.elements.namedItem("moreTopics");
if (more) {
  const found = document.getElementById("found-topics");
  more.addEventListener("input", async () => {
    const typed = more.value;
    const before = typed.slice(0, typed.lastIndexOf(",") + 1);
    const search = typed.slice(before.length).trim();
    const answer = await fetch(`${form.dataset.topics}?${new URLSearchParams({ search })}`).catch(
      () => undefined,
    );
    // Ignores an answer for an older text: the newer one has its own request.
    if (!answer?.ok || more.value !== typed) return;
    const { topics } = await answer.json();
    found.replaceChildren(
      ...topics.map(({ key }) => new Option("", `${before}${before && " "}${key}`)),
    );
  });
}
if (channel !== "") await preview.ask();
