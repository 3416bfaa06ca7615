import type { OutcomeClass, SendOutcome } from "@belfry/contracts/sending";
import { AddressRefused } from "./address-guard.ts";
import { outcome, vendorAnswer } from "./send-outcome.ts";

/** What nodemailer adds to an error: the server's reply, and the command it was the reply to. */
interface SmtpError {
  code?: unknown;
  command?: unknown;
  response?: unknown;
  responseCode?: unknown;
}

/**
 * The outcome of a message that the pool could not send. `handedOver`: the server was given all of it,
 * so that without a reply it may have taken it.
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
    const known = { vendorStatus: String(responseCode), vendorAnswer: answer };
    const reason = `the mail server answered ${responseCode} to ${stepName(step)}`;
    const text = typeof response === "string" ? response : "";
    return outcome(replyClass(responseCode, step, text), reason, known);
  }
  if (handedOver) return outcome("ambiguous", `the message left and no reply came (${codeText})`);
  if (codeText === "EAUTH" || codeText === "ENOAUTH") {
    return outcome("credentials", "the mail server offers no way to log in with these credentials");
  }
  // Nothing was asked of the server: the message cannot be put to it (too large, an address it cannot take).
  if (codeText === "EENVELOPE" || codeText === "EMESSAGE") {
    return outcome("permanent", `the message cannot be given to this mail server (${codeText})`);
  }
  return outcome("transient", `no connection to the mail server (${codeText})`);
}

/**
 * What a reply means. A 4yz to RCPT or DATA is about this message: a greylisted sender, a full mailbox, an
 * unknown domain, content. A 421 closes the service, and a 4yz at any other step comes before the recipient is named:
 * both are about the server or the account.
 */
function replyClass(reply: number, step: string, text: string): OutcomeClass {
  const isAboutMessage = step === "RCPT TO" || step === "DATA";
  if (reply < 500) {
    if (isTooFast(text)) return "throttled";
    return isAboutMessage && reply !== 421 ? "deferred" : "transient";
  }
  // 503 is about the state of the session, which the next connection begins anew.
  if (reply === 503) return "transient";
  // RFC 4954, 6: authentication required, mechanism too weak, refused, encryption required.
  if (reply === 530 || reply === 534 || reply === 535 || reply === 538) return "credentials";
  if (isAboutMessage) return "permanent";
  // 552 to MAIL FROM is about this message's size; anything else there about the sender.
  return step === "MAIL FROM" && reply === 552 ? "permanent" : "credentials";
}

/** Answers that slow down everything that this account sends, not one message. */
const TOO_FAST = {
  codes: ["4.7.28", "4.7.650"],
  words: ["too many messages from", "too much mail from", "sending rate", "rate limited due to"],
};

function isTooFast(text: string): boolean {
  const code = enhancedCode(text);
  const said = text.toLowerCase();
  return (
    TOO_FAST.words.some((words) => said.includes(words)) ||
    (code !== null && TOO_FAST.codes.includes(code))
  );
}

/** RFC 3463: class, subject and detail behind the reply's three digits; null where the server gives none. */
function enhancedCode(text: string): string | null {
  return /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?!\d)/.exec(text)?.[1] ?? null;
}

function stepName(step: string): string {
  if (step.startsWith("AUTH")) return "the login";
  return step === "CONN" ? "the connection" : step;
}
