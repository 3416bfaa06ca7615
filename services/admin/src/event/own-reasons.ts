import { ADDRESSES } from "@belfry/contracts/addresses";
import { REASONS, type Reason, type ReasonCode, reasonOf } from "@belfry/contracts/reasons";
import { named, type Phrase, phrase, say, type Words } from "../page/language.ts";
import { formsIn, valuesIn } from "../page/sentence-forms.ts";

/** The kind of page that explains a reason further. `channel-story.ts` has the addresses. */
export type Place = "templates" | "providers" | "suppressions" | "user" | "tenant";

export interface ReasonRow {
  /** The reason for a product manager, in words that follow "Not sent:". `{name}` is replaced by an argument. */
  says: string | ((args: Reason["args"]) => Phrase);
  look?: Place;
}

/** Codes without a row: their own words are clear enough, or the vendor's code says more. */
type Untold =
  | ("quiet" | "gathered" | "gathered-quiet" | "unread" | "provider-paused" | "replayed")
  | ("devices-waiting" | "no-device-accepted")
  | ("no-room-for-attachments" | "not-gathered" | "target-turn")
  | ("retries-exhausted" | "no-token" | "mail-server-answered" | "provider-threw")
  | ("dispatch-failed" | "not-rendered" | "wrong-channel")
  | `broadcast-${"sensitive" | "daily-cap"}`
  | ("unsubscribe-address-invalid" | "list-id-invalid")
  | ("from-name-invalid" | "reply-to-invalid" | "copy-invalid")
  | ("message-gone" | `endpoint-${"busy" | "deleted" | "disabled" | "gone" | "unreachable"}`);

const templates = (says: string): ReasonRow => ({ says, look: "templates" });
const providers = (says: string): ReasonRow => ({ says, look: "providers" });
const user = (says: ReasonRow["says"]): ReasonRow => ({ says, look: "user" });
const EXPIRED = templates("it expired: the time that the template allows for sending was over");

const SUPPRESSED: Readonly<Record<string, Phrase>> = {
  bounced: say`an earlier message to it bounced`,
  complained: say`its owner has marked an earlier message as spam`,
  "opted out": say`its owner unsubscribed`,
  "by hand": say`added by hand`,
};

/** The meanings of Belfry's own reasons, by code. */
export const OWN_REASONS: Readonly<Record<Exclude<ReasonCode, Untold>, ReasonRow>> = {
  "no-template": templates("there is no active template of this event type for it"),
  throttled: templates(
    "the user already got as many of these as the template allows; the next can be sent at {until}",
  ),
  expired: EXPIRED,
  "expired-in-turn": EXPIRED,
  "variable-missing": templates("the event has no value for {name}, which the template requires"),
  "content-too-large": templates("with these values the message became too large"),
  "too-costly": templates("the template takes too much work to render with these values"),
  "template-unreadable": templates("the template is damaged; publish it again"),
  "nothing-to-say": templates("with these values the message has no word to read"),
  "subject-empty": templates("with these values the subject is empty"),
  "message-empty": templates("with these values the text is empty"),
  "subject-control-characters": templates("with these values the subject has control characters"),

  "attachments-not-taken": providers("this kind of provider takes no attachments"),
  "inline-images-not-taken": providers("this kind of provider shows no images within an email"),
  "mail-too-large": providers("the mail is larger than {vendor} takes"),
  "no-provider": providers("the tenant has no active provider for it"),
  "settings-unreadable": providers("the settings of the provider cannot be read: save them again"),
  "provider-unknown": providers("the provider {kind} is no longer supported"),
  "no-login": providers("the mail server rejected the user name and password in the settings"),

  "address-suppressed": {
    says: ({ reason = "" }) => say`the address is suppressed: ${SUPPRESSED[reason] ?? reason}`,
    look: "suppressions",
  },

  "no-address": user(
    ({ field }) => say`the event has no ${labelOf(field)}, and none is in the user’s profile`,
  ),
  "no-chat-address": user("{field} is not a chat address such as slack:C024BE91L"),
  "no-provider-of-kind": providers("there is no active provider of the kind {kind}"),
  "no-device": user("the user has registered no browser or phone"),
  "device-gone": user("the device was removed, or belongs to another user now"),
  "turned-off": user("the user has turned this off, {date}, {source}"),
  "turned-off-category": user("the user has turned this off for {label}, {date}, {source}"),
  "turned-off-channel": user("the user has turned this off on {channel}, {date}, {source}"),
  "turned-off-category-channel": user(
    "the user has turned this off for {label} on {channel}, {date}, {source}",
  ),
  "not-turned-on": user("the user has not turned this on: {label} is off by default"),
  "expires-in-quiet-hours": user("it would have expired before quiet hours end at {until}"),
  "address-invalid": user("the address is not a valid email address"),

  "channel-not-allowed": {
    says: "the operator has not allowed this channel for the tenant",
    look: "tenant",
  },
  "tenant-inactive": { says: "the tenant was not active", look: "tenant" },

  "channel-not-requested": { says: "the request asked for other channels only" },
  "read-in-inbox": { says: "it was already read in the inbox" },
  "digest-cancelled": { says: "every event of it was cancelled" },
  "cancelled-in-doubt": { says: "it was cancelled after an attempt without an answer" },
  cancelled: { says: "it was cancelled before it was sent" },
  "attachment-gone": { says: "an attachment was deleted before it could be sent" },
  "attachments-unread": { says: "Belfry could not read the attachments" },
  "template-gone": { says: "the template was deleted before it could be sent" },
  "event-gone": { says: "the event was deleted before it could be sent" },
  "recipient-gone": { says: "the address was erased before it could be sent" },
  "variables-unreadable": { says: "the values of the event cannot be read" },
  "no-connection-to-mail-server": { says: "the mail server could not be reached" },
  "no-connection-to-vendor": { says: "the provider could not be reached" },
  "no-reply": {
    says: "the connection broke before the mail server had answered: it may have the message",
  },
  "no-answer": {
    says: "the connection broke before the provider had answered: it may have the message",
  },
  "sender-died": {
    says: "Belfry was stopped while it was sending: the provider may have the message",
  },
};

/** Reasons of channels that the event was not meant for. Nobody needs an explanation of them. */
const NOT_MEANT = ["no-template", "channel-not-allowed", "channel-not-requested"];

/** Reasons of channels that the user or the template excludes, or for which the user has no address. */
const NOT_MISSED = [
  ...["turned-off", "turned-off-category", "turned-off-channel", "turned-off-category-channel"],
  ...["not-turned-on", "throttled", "read-in-inbox", "no-address", "digest-cancelled", "cancelled"],
];

/** Whether a stored reason is about a channel that the event was meant for. */
export function isMeant(reason: string | null | undefined): boolean {
  return !NOT_MEANT.includes(reasonOf(reason)?.code ?? "");
}

/** Whether a channel should have sent a message although it was skipped: the address is suppressed, for example. */
export function isMissed(reason: string | null | undefined): boolean {
  const code = reasonOf(reason)?.code;
  return code !== undefined && ![...NOT_MEANT, ...NOT_MISSED].includes(code);
}

/** Names of addresses by the field of the trigger that contains them. */
const ADDRESS_NAMES: Readonly<Record<string, Phrase>> = {
  [ADDRESSES.recipientEmail.field]: say`email address`,
  [ADDRESSES.recipientPhone.field]: say`phone number`,
  [ADDRESSES.recipientChat.field]: say`chat address`,
};

function labelOf(field = ""): Words {
  return ADDRESS_NAMES[field] ?? field;
}

/** Translates a reason's arguments: a nested reason, and the source of a preference. */
function translatedArgs({ why, source, ...args }: Reason["args"]): Record<string, Words> {
  return {
    ...args,
    ...(why !== undefined && { why: reasonText(why) }),
    ...(source !== undefined && { source: phrase(source) }),
  };
}

/** Matches the reason of a webhook endpoint with its answer, as `answeredWith` stores it. */
const ANSWERED = /^it answered (\d.{0,100})$/;
/** The least letters of a form's own. With fewer, as in `no {field}`, it could match a vendor's sentence. */
const LEAST_LETTERS = 9;
const CODES = new Map(Object.entries(REASONS).map(([code, words]) => [words as string, code]));
const FORMS = formsIn([...CODES.keys()]).filter(({ letters }) => letters >= LEAST_LETTERS);

/** Returns the reason and arguments of words that the API has made from a reason; undefined for a vendor's words. */
function wordedReason(words: string): Reason | undefined {
  for (const form of FORMS) {
    const values = valuesIn(words, form);
    if (values === undefined) continue;
    const names = [...form.english.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const args = Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""]));
    return { code: CODES.get(form.english) as ReasonCode, args };
  }
  return undefined;
}

/** Returns a stored reason in words. Text that is not a reason of Belfry's stays as it is. */
export function reasonText(stored: string): Words {
  const reason = reasonOf(stored) ?? wordedReason(stored);
  const answer = reason === undefined ? ANSWERED.exec(stored)?.[1] : undefined;
  if (answer !== undefined) return say`it answered ${answer}`;
  return reason === undefined ? stored : named(REASONS[reason.code], translatedArgs(reason.args));
}

/** Returns the reason in words for a product manager; undefined if there are only the reason's own words. */
export function toldRow(reason: Reason): { says: Phrase; look?: Place } | undefined {
  const rows: Partial<Record<string, ReasonRow>> = OWN_REASONS;
  const row = rows[reason.code];
  if (row === undefined) return undefined;
  const { says, look } = row;
  const words =
    typeof says === "string" ? named(says, translatedArgs(reason.args)) : says(reason.args);
  return { says: words, ...(look && { look }) };
}
