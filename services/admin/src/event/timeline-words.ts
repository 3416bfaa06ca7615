import {
  CLASS_WORDS,
  DEVICE_WORDS,
  RECEIPT_WORDS,
  STATUS_WORDS,
} from "@belfry/administration/events/event-timeline";
import { type Phrase, phrase, say, type Words } from "../page/language.ts";
import { formsIn, valuesIn } from "../page/sentence-forms.ts";
import { reasonText } from "./own-reasons.ts";

/** The sentences of the timeline in the API's words. `{0}` stands for a value or the rest of the sentence. */
export const TIMELINE_SENTENCES = [
  "made by the broadcast {0}",
  "scheduled for {0}",
  "published to the dispatcher; not dispatched yet",
  "answered 500 and refused: a retry is processed as a new event",
  "dispatched",
  "became due",
  "waits: {0}",
  "links left out: {0}",
  "warning: no value for {0}: rendered as empty",
  "cancel requested: if the current attempt fails, there is no other",
  "attempt {0} by {1}: {2}",
  "device {0}, {1}: {2}",
  "receipt of {0}: {1}",
  "receipt of {0} about the copy for {1}: {2}",
  "receipt of {0} about one of its addresses, which it does not name: {1}",
  "stored in the inbox and published to {0}",
  "marked as read",
  "deleted from the inbox",
  "sent by itself; events until {0} join its digest",
  "left out of the message: {0}",
  "gathered with no other event",
  "gathered with no other event yet",
  "gathered with 1 other into one message",
  "gathered with {0} others into one message",
  "sender's name left out: it is too long or no name",
  "reply address left out: it is no email address in ASCII",
  "{0} left out: the mail has its recipient's link to unsubscribe",
  "{0}: {1} left out, as suppressed",
  "images without an attachment of their cid: {0}",
  "attachments with a cid that the mail does not show: {0}",
  "attachment {0}: the METHOD of the calendar is {1}, the method of its type is {2}",
  "the text was cut to what fits into a push",
];

/** States of a delivery, an attempt or a receipt. A status in brackets, a due time or a reason may follow them. */
export const TIMELINE_STATES = [
  ...[STATUS_WORDS, CLASS_WORDS, RECEIPT_WORDS, DEVICE_WORDS].flatMap((words) =>
    Object.values(words),
  ),
  ...["queued", "begun", "waiting to be sent", "cancelled"],
].sort((a, b) => b.length - a.length);

const FORMS = formsIn(TIMELINE_SENTENCES);
const MOST_NESTED = 2;
const AFTER_STATE = /^( \([^)]{0,100}\))?(?:, due at ([\d:.TZ-]{0,40}))?(?:: (.*))?$/s;

/** Translates an entry of the timeline. A vendor's words stay as they are. */
export function timelineWords(what: string, depth = 0): Words {
  if (TIMELINE_SENTENCES.includes(what)) return phrase(what);
  const state = stateWords(what);
  if (state !== undefined) return state;
  for (const form of depth < MOST_NESTED ? FORMS : []) {
    const values = valuesIn(what, form);
    if (values !== undefined) {
      return phrase(
        form.english,
        values.map((value) => timelineWords(value, depth + 1)),
      );
    }
  }
  return reasonText(what);
}

function stateWords(what: string): Phrase | undefined {
  const state = TIMELINE_STATES.find((one) => what.startsWith(one));
  const [, status = "", due, why] = AFTER_STATE.exec(what.slice(state?.length)) ?? [];
  if (state === undefined || !AFTER_STATE.test(what.slice(state.length))) return undefined;
  const begun = phrase("{0}{1}", [phrase(state), status]);
  const said = due === undefined ? begun : say`${begun}, due at ${due}`;
  return why === undefined ? said : phrase("{0}: {1}", [said, reasonText(why)]);
}
