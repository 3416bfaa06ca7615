/** Shows the mail on the page that checks a broadcast, and closes its text part, which is open without scripts. */

import { mailFrame } from "./live-preview.js";

const stage = document.querySelector("[data-mail]");
if (stage) {
  stage.hidden = false;
  stage.nextElementSibling.open = false;
  mailFrame(stage.querySelector("iframe")).show(stage.dataset.mail);
}
