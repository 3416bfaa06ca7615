import { mailFrame } from "./live-preview.js";

/** The page that checks a broadcast: shows the mail as it looks, and closes its text part, which is there without scripts. */

const stage = document.querySelector("[data-mail]");
if (stage) {
  stage.hidden = false;
  stage.nextElementSibling.open = false;
  mailFrame(stage.querySelector("iframe")).show(stage.dataset.mail);
}
