import { storedReason } from "@belfry/contracts/reasons";
import type { SendOutcome } from "@belfry/contracts/sending";
import { AddressRefused } from "./address-guard.ts";
import { outcome, vendorAnswer } from "./send-outcome.ts";

/** The fields that nodemailer adds to an error: the server's reply, and the command before the reply. */
interface SmtpError {
  code?: unknown;
  command?: unknown;
  response?: unknown;
  responseCode?: unknown;
}

/**
 * Returns the outcome of a message that could not be sent. If `handedOver` is set, the server has received the whole
 * message, so without a reply it may have accepted it.
 */
export function smtpFailure(
  error: unknown,
  handedOver: boolean,
  secrets: readonly string[],
): SendOutcome {
  if (error instanceof AddressRefused) return outcome("credentials", error.message);
  const { code, command, response, responseCode } = (error ?? {}) as SmtpError;
  const codeText = typeof code === "string" ? code : "unknown";
  const step = typeof command === "string" ? command : "CONN";
  if (typeof responseCode === "number") {
    const answer = typeof response === "string" ? vendorAnswer(response, secrets) : null;
    const told = { status: String(responseCode), step: stepName(step) };
    const reason = storedReason("mail-server-answered", told);
    const { class: outcomeClass, ...more } = judge(responseCode, step, answer ?? "");
    const known = { vendorStatus: String(responseCode), vendorAnswer: answer, ...more };
    return outcome(outcomeClass, reason, known);
  }
  if (handedOver) return outcome("ambiguous", storedReason("no-reply", { code: codeText }));
  if (codeText === "EAUTH" || codeText === "ENOAUTH") {
    return outcome("credentials", storedReason("no-login"));
  }
  // The message was not sent, because this server cannot accept it: it is too large, or has an unsupported address.
  if (codeText === "EENVELOPE" || codeText === "EMESSAGE") {
    return outcome("permanent", `the message cannot be given to this mail server (${codeText})`);
  }
  return outcome("transient", storedReason("no-connection-to-mail-server", { code: codeText }));
}

/**
 * The table of subjects of replies, beyond the reply's three digits: by enhanced code (RFC 3463) or by words that
 * servers are known to use. The first row that matches decides.
 */
export const SMTP_ANSWERS: readonly {
  subject: "account" | "rate" | "mailbox" | "address" | "message" | "server" | "policy";
  /** Whole codes, or prefixes of codes if they end in a dot. */
  codes: readonly string[];
  /** Parts of the text in lower case. Each contains a space, so that none can occur in a recipient's address. */
  words: readonly string[];
}[] = [
  {
    // About the sender's address, the login, or what and to whom the account may send.
    subject: "account",
    codes: [
      ...["4.1.7", "5.1.7", "4.1.8", "5.1.8", "5.7.8", "5.7.9", "5.7.11", "5.7.13", "5.7.14"],
      // Microsoft 365: recipients per day, "send as" rights, login, relay, blocked accounts and tenants.
      ...["5.1.90", "5.2.252", "5.7.57", "5.7.60", "5.7.64", "5.7.139", "5.7.501", "5.7.502"],
      ...["5.7.503", "5.7.705", "5.7.708", "5.7.750"],
      // Gmail: messages per day.
      "5.4.5",
    ],
    words: [
      ...["relay access denied", "relaying denied", "relay denied", "relay not permitted"],
      ...["relaying not permitted", "not permitted to relay", "unable to relay", "do not relay"],
      ...["relay not allowed", "relaying not allowed", "relaying prohibited"],
      ...["send as this sender", "permissions to send as", "not allowed to send as"],
      ...["sender address rejected", "sender verify failed", "not owned by user"],
      ...["not allowed to send from", "not authorized to send from", "not allowed to use"],
      ...["address is not verified", "domain is not verified", "sender is not verified"],
      ...["verified sender", "authentication required", "authentication is required"],
      ...["must authenticate", "not authenticated to send", "daily user sending"],
      ...["daily message quota", "daily sending", "sending quota", "sending limit", "daily limit"],
      ...["daily quota", "maximum credits exceeded", "max emails per hour"],
      ...["your account", "messages per day", "messages per hour", "emails per day"],
    ],
  },
  {
    subject: "rate",
    codes: ["4.7.28", "4.7.650", "5.7.508"],
    words: [
      ...["too many messages from", "too much mail from", "sending rate", "rate limited due to"],
      ...["too many connections", "too many concurrent"],
    ],
  },
  {
    // The mailbox accepts no more mail for now, even if the reply's class is permanent: Gmail answers 550 5.2.1.
    subject: "mailbox",
    codes: [],
    words: ["receiving mail at a rate", "receiving mail too quickly"],
  },
  {
    // The address is gone for good or never existed. 5.2.2, a full mailbox, does not belong here.
    subject: "address",
    codes: ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"],
    words: [
      ...["user unknown", "unknown user", "no such user", "user not found", "user does not exist"],
      ...["no such recipient", "recipient not found", "unknown recipient", "recipient unknown"],
      ...["recipient does not exist", "no such mailbox", "mailbox not found", "no mailbox here"],
      ...["no mailbox by that name", "mailbox does not exist", "account does not exist"],
      ...["address does not exist", "unrouteable address"],
    ],
  },
  { subject: "message", codes: ["5.2.3", "5.3.4", "5.6."], words: [] },
  { subject: "server", codes: ["4.3.1", "4.3.2"], words: [] },
  {
    subject: "policy",
    codes: ["5.7."],
    words: [
      ...["blocked using", "poor reputation", "local policy", "policy reasons"],
      ...["policy violation", "spam message", "considered spam", "looks like spam"],
    ],
  },
];

/**
 * Returns the class of a reply. A 4yz to RCPT or DATA is about this message (a greylisted sender, a full mailbox, an
 * unknown domain, content), unless the table says otherwise. A 421 and a 4yz at any other step are about the server or
 * the account: 421 closes the service, and other steps precede the recipient's address.
 */
function judge(
  reply: number,
  step: string,
  text: string,
): Pick<SendOutcome, "class" | "ofOneMessage" | "suppress"> {
  const isOfOneMessage = step === "RCPT TO" || step === "DATA";
  const subject = subjectOf(text);
  if (subject === "rate") return { class: "throttled" };
  // 503 is about the state of the session. The next connection has a new one.
  if (reply === 503) return { class: "transient" };
  // RFC 4954, 6: authentication required, mechanism too weak, refused, encryption required.
  if (reply === 530 || reply === 534 || reply === 535 || reply === 538) {
    return { class: "credentials" };
  }
  if (subject === "account") {
    return isOfOneMessage ? { class: "credentials", ofOneMessage: true } : { class: "credentials" };
  }
  if (reply < 500 || (isOfOneMessage && subject === "mailbox")) {
    const isOfServer = !isOfOneMessage || reply === 421 || subject === "server";
    return { class: isOfServer ? "transient" : "deferred" };
  }
  // Checked before "address": a rule may block us because of earlier mail to unknown users. This recipient may exist.
  const isPolicy = subject === "policy" || enhancedCode(text)?.startsWith("5.7.") === true;
  if (isOfOneMessage && isPolicy) return { class: "policy" };
  if (isOfOneMessage && subject === "address") return { class: "permanent", suppress: "bounced" };
  if (isOfOneMessage) return { class: "permanent" };
  // A 552 to MAIL FROM is about the message's size. Other permanent replies to MAIL FROM are about the sender.
  const isTooLarge = step === "MAIL FROM" && (reply === 552 || subject === "message");
  return { class: isTooLarge ? "permanent" : "credentials" };
}

function subjectOf(text: string) {
  const code = enhancedCode(text);
  const said = text.toLowerCase();
  const row = SMTP_ANSWERS.find(
    ({ codes, words }) =>
      (code !== null &&
        codes.some((one) => (one.endsWith(".") ? code.startsWith(one) : one === code))) ||
      words.some((some) => said.includes(some)),
  );
  return row?.subject;
}

/** Returns the enhanced code (RFC 3463: class, subject, detail) after the reply's three digits, or null if none. */
function enhancedCode(text: string): string | null {
  return /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?![\d.])/.exec(text)?.[1] ?? null;
}

/** Words with which servers refuse another message on the same connection, at any step. */
const OF_THIS_SESSION = [
  ...["this session", "per session", "this connection", "per connection"],
  ...["messages in session", "too many messages"],
];

/**
 * Whether a session that has accepted messages may have refused this one because of their number: the server closes the
 * service, is out of sequence, refuses RSET or defers MAIL FROM. A try in a new session then finds the true reason.
 */
export function wantsNoMore(error: unknown): boolean {
  const { command, response, responseCode: reply } = (error ?? {}) as SmtpError;
  if (typeof reply !== "number") return false;
  if (reply === 421 || reply === 503 || command === "RSET") return true;
  if (reply < 500 && command === "MAIL FROM") return true;
  const said = typeof response === "string" ? response.slice(0, 1024).toLowerCase() : "";
  return OF_THIS_SESSION.some((words) => said.includes(words));
}

function stepName(step: string): string {
  if (step.startsWith("AUTH")) return "the login";
  return step === "CONN" ? "the connection" : step;
}
