/**
 * Reasons why something was skipped, failed, ended or waits, by code. A reason is stored as its code and arguments, and
 * becomes a text when it is displayed. `{name}` is replaced by the argument of that name; `{why}` is itself a reason.
 * `migrate` copies this table into the database, which needs the texts for webhooks.
 */
export const REASONS = {
  // A delivery waits.
  quiet: "quiet hours until {until}",
  gathered: "gathered until {until}",
  "gathered-quiet": "gathered, quiet hours until {until}",
  unread: "sent unless it is read by {until}",
  "devices-waiting": "{accepted} of {all} devices accepted it; waiting: {why}",
  "provider-paused": "waiting for the provider: {why}",
  "target-turn": "waiting for its turn: an address gets one message a second",
  "not-gathered": "not gathered: it has attachments, copies or a sender of its own",
  "no-room-for-attachments": "waiting for others with attachments",
  replayed: "replayed by hand",

  // A broadcast is paused.
  "broadcast-sensitive": "a template of its event type is sensitive",
  "broadcast-daily-cap":
    "the part of the daily cap that is for broadcasts is used up: it goes on tomorrow",

  // Dispatching decides that a channel gets nothing.
  "no-template": "no active template",
  "channel-not-allowed": "channel not allowed",
  "channel-not-requested": "not requested",
  "no-provider": "no active provider",
  "tenant-inactive": "tenant inactive",
  "no-address": "no {field}",
  "no-device": "the user has no device",
  "no-chat-address": "{field} is not a chat address such as slack:C024BE91L",
  "no-provider-of-kind": "no active provider of the kind {kind}",
  "address-suppressed": "address suppressed ({reason})",
  "turned-off": "turned off by the user, {date}, {source}",
  "turned-off-category": "turned off by the user for {label}, {date}, {source}",
  "turned-off-channel": "turned off by the user on {channel}, {date}, {source}",
  "turned-off-category-channel":
    "turned off by the user for {label} on {channel}, {date}, {source}",
  "not-turned-on": "not turned on by the user: {label} is off by default",
  throttled: "throttled until {until}",
  "dispatch-failed": "could not be dispatched",

  // A delivery ends before a call.
  "expires-in-quiet-hours": "it would expire before quiet hours end at {until}",
  "expired-in-turn": "expired before it was sent",
  expired: "expired before it could be sent",
  cancelled: "cancelled",
  "cancelled-in-doubt": "cancelled after a try of unknown outcome",
  "digest-cancelled": "every event of it was cancelled",
  "read-in-inbox": "read in the inbox",
  "template-gone": "the template is gone",
  "event-gone": "the event is gone",
  "recipient-gone": "the recipient is gone",
  "message-gone": "the message is gone",
  "device-gone": "the device was removed, or belongs to another user now",
  "endpoint-deleted": "the endpoint was deleted",
  "endpoint-disabled": "the endpoint is disabled",

  // There is no message to send.
  "variables-unreadable": "the variables cannot be read",
  "variable-missing": "variable missing: {name}",
  "content-too-large": "rendered content too large",
  "too-costly": "too costly to render",
  "template-unreadable": "the stored template cannot be read",
  "not-rendered": "the template cannot be rendered",
  "wrong-channel": "the template is of another channel",
  "nothing-to-say": "nothing to say",
  "address-invalid": "the recipient's address is not one email address",
  "subject-empty": "the subject is empty",
  "subject-control-characters": "the subject has control characters",
  "message-empty": "the message is empty",
  "from-name-invalid": "the sender's name cannot stand in a header",
  "reply-to-invalid": "the reply address is not one email address",
  "copy-invalid": "an address of cc or bcc is not one email address",
  "mail-too-large": "the mail takes {bytes} bytes as it is sent: {vendor} takes {most} at most",
  "unsubscribe-address-invalid": "the address to unsubscribe by cannot stand in a header",
  "list-id-invalid": "the list's id cannot stand in a header",
  "attachment-gone": "an attachment is gone",
  "attachments-not-taken": "the provider takes no attachments",
  "inline-images-not-taken": "the provider shows no images within a mail",

  // An attempt fails.
  "no-device-accepted": "no device accepted it: {why}",
  "retries-exhausted": "retries exhausted: {why}",
  "sender-died": "the sender ended before the outcome was known",
  "provider-unknown": "no provider of the kind {kind}",
  "settings-unreadable": "the provider's settings cannot be read",
  "attachments-unread": "the attachments could not be read",
  "provider-threw": "the provider's code failed",
  "no-token": "no access token: {why}",
  "no-login": "the mail server offers no way to log in with these credentials",
  "no-connection-to-mail-server": "no connection to the mail server ({code})",
  "no-connection-to-vendor": "no connection to the vendor ({code})",
  "no-reply": "the message left and no reply came ({code})",
  "no-answer": "the request left and no answer came ({code})",
  "mail-server-answered": "the mail server answered {status} to {step}",
  "endpoint-busy": "its endpoint has as many calls in hand as it may",
  "endpoint-gone": "it answered 410 Gone",
  "endpoint-unreachable": "nothing has reached it for five days: {why}",
} as const;
export type ReasonCode = keyof typeof REASONS;

export interface Reason {
  code: ReasonCode;
  args: Readonly<Record<string, string>>;
}

/** Returns the stored form of a reason: `#code`, or `#code {"until":"…"}`. SQL functions write the same form. */
export function storedReason(code: ReasonCode, args?: Reason["args"]): string {
  return args === undefined ? `#${code}` : `#${code} ${JSON.stringify(args)}`;
}

/** The codes of reasons without arguments, by their texts: earlier versions stored the texts. */
const CODES_OF_WORDS: ReadonlyMap<string, ReasonCode> = new Map(
  Object.entries(REASONS)
    .filter(([, words]) => !words.includes("{"))
    .map(([code, words]) => [words, code as ReasonCode]),
);

/**
 * Returns the code and arguments of a stored reason. Undefined if it is a text, of a vendor or of an earlier version.
 */
export function reasonOf(stored: string | null | undefined): Reason | undefined {
  if (!stored?.startsWith("#")) {
    const code = CODES_OF_WORDS.get(stored ?? "");
    return code && { code, args: {} };
  }
  const at = stored.indexOf(" ");
  const code = stored.slice(1, at === -1 ? undefined : at);
  if (!Object.hasOwn(REASONS, code)) return undefined;
  try {
    return {
      code: code as ReasonCode,
      args: { ...JSON.parse(at === -1 ? "{}" : stored.slice(at + 1)) },
    };
  } catch {
    return undefined;
  }
}

/** Returns the text of a stored reason. A reason that is already a text is returned unchanged. */
export function reasonWords<T extends string | null>(stored: T): T | string {
  const reason = reasonOf(stored);
  return reason === undefined ? stored : filledWords(REASONS[reason.code], reason.args);
}

/** Replaces each `{name}` by its argument. If the argument is a reason, its text is used. */
export function filledWords(words: string, args: Reason["args"]): string {
  return words
    .split(/[{}]/)
    .map((part, at) => {
      if (at % 2 === 0) return part;
      const value = String(args[part] ?? "");
      return part === "why" ? reasonWords(value) : value;
    })
    .join("");
}
