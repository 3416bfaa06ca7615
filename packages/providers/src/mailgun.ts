import { createHmac } from "node:crypto";
import { wireAddress } from "@belfry/contracts/addresses";
import type { EmailMessage, OutgoingAttachment, Receipt } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import {
  ACCOUNT_FOR_THIS_MESSAGE,
  apiUrl,
  basicAuthorization,
  createHttpVendor,
  JSON_HEADERS,
} from "./http-vendor.ts";
import {
  type Fields,
  type MailEvent,
  MEANS,
  mailReceipts,
  momentOfSeconds,
  type Outcomes,
  outcomeOf,
} from "./mail-receipts.ts";
import { mailHeaders, messageIds, namedAddress, senderOf } from "./message-form.ts";
import { defineProvider } from "./provider.ts";
import {
  entryOf,
  isRecent,
  isSameText,
  parseReceiptBody,
  recordOf,
  textSetting,
  vendorEventOf,
  type WebhookHead,
} from "./receipt.ts";
import type { Meaning } from "./send-outcome.ts";
import {
  baseUrlField,
  choiceField,
  lineField,
  secretField,
  senderFields,
  testModeField,
} from "./settings.ts";
import { multipartBody } from "./streamed-body.ts";
import { breakMarksOfHtml, breakMarksOfText } from "./vendor-marks.ts";

const VENDOR_URLS = { us: "https://api.mailgun.net", eu: "https://api.eu.mailgun.net" } as const;

const SETTINGS = Type.Object(
  {
    apiKey: secretField({
      title: "API key",
      description: "A sending key of the domain, or a key of the account.",
      link: "https://app.mailgun.com/settings/api_security",
    }),
    domain: lineField({
      title: "Domain",
      description: "The sending domain, as Mailgun lists it.",
      link: "https://app.mailgun.com/mg/sending/domains",
      maxLength: 253,
      pattern: "^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$",
      fault: "must be a domain name",
    }),
    region: choiceField(
      { us: "United States", eu: "Europe" },
      {
        title: "Region",
        description: "The region in which the domain was created.",
        link: "https://app.mailgun.com/mg/sending/domains",
        default: "us",
      },
    ),
    ...senderFields(" at the sending domain", "https://app.mailgun.com/mg/sending/domains"),
    testMode: testModeField("Mailgun takes each mail, charges it and drops it."),
    webhookSigningKey: Type.Optional(
      secretField({
        title: "HTTP webhook signing key",
        description: "Signs what Mailgun reports to Belfry: what became of each mail.",
        link: "https://app.mailgun.com/settings/api_security",
      }),
    ),
    baseUrl: baseUrlField(VENDOR_URLS.us),
  },
  { additionalProperties: false },
);

/** Placeholders that the vendor replaces: a recipient's values in mail to several, and unsubscribe addresses. */
const MARKS = /%(?=recipient|(?:tag_|mailing_list_)?unsubscribe_)/gi;

/** The vendor has no error codes. Its texts tell more than its status. */
const WORDS: readonly (readonly [RegExp, Meaning])[] = [
  [/^'?(from|h:reply-to)'? parameter/i, { class: "credentials" }],
  [/domain .*\b(not found|unverified|not verified|disabled)\b/i, { class: "credentials" }],
  // An account without its own domain may only write to addresses that it has confirmed.
  [/sandbox subdomains|authorized recipients|free accounts/i, ACCOUNT_FOR_THIS_MESSAGE],
  [/\b(limit|quota) (exceeded|reached)\b/i, ACCOUNT_FOR_THIS_MESSAGE],
];

/**
 * Mailgun's webhooks, one event per request. The signature covers a time and a random token, not the event. So the
 * token is the receipt's id, and a signature that was seen before adds no receipt.
 * https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
 */
const receipts = mailReceipts({
  kind: "mailgun",
  keyOf: (settings) => textSetting(settings, "webhookSigningKey"),
  setUp: {
    text: "Send → Sending → Webhooks, of the domain. Add the address for Accepted, Delivered, Temporary failure, Permanent failure, Spam complaints and Unsubscribes.",
    link: "https://app.mailgun.com/mg/sending/webhooks",
  },
  proof: signedEvent,
  events: ({ token, data }) =>
    typeof data.event === "string" ? [toEvent(data, vendorEventOf(token))] : "unreadable",
});

/** The vendor retries for eight hours. */
const MAX_AGE_SECONDS = 24 * 60 * 60;

/** The signature is only in the body, so a small body is parsed before it is verified. */
function signedEvent(_head: WebhookHead, keys: readonly string[], now: Date) {
  return (body: Buffer) => {
    const { signature, "event-data": event } = recordOf(parseReceiptBody(body));
    const token = signedToken(recordOf(signature), keys, now);
    return token === undefined ? "forged" : { token, data: recordOf(event) };
  };
}

function signedToken(
  { timestamp, token, signature }: Fields,
  keys: readonly string[],
  now: Date,
): string | undefined {
  if (typeof token !== "string" || typeof signature !== "string") return undefined;
  const time = typeof timestamp === "number" ? String(timestamp) : timestamp;
  if (typeof time !== "string" || !isRecent(time, now, MAX_AGE_SECONDS)) return undefined;
  const isTheirs = keys.some((key) =>
    isSameText(signature, createHmac("sha256", key).update(`${time}${token}`).digest("hex")),
  );
  return isTheirs ? token : undefined;
}

/** Reasons of a permanent failure that are about the address; a bounce may also be about the mail. */
const GONE: Readonly<Record<string, (status: Fields) => Receipt["suppress"]>> = {
  bounce: ({ "bounce-type": type }) => (type === "soft" ? null : "bounced"),
  "suppress-bounce": () => "bounced",
  "suppress-complaint": () => "complained",
  "suppress-unsubscribe": () => "opted out",
};

/** Other events (opened, clicked, stored, …) are private, or say nothing about the delivery. */
const OUTCOMES: Outcomes = {
  accepted: MEANS.accepted,
  delivered: MEANS.delivered,
  failed: ({ severity, reason, "delivery-status": status }) => {
    if (severity !== "permanent") return MEANS.deferred;
    const suppress = entryOf(GONE, reason)?.(recordOf(status)) ?? null;
    return { kind: "bounced", suppress };
  },
  rejected: MEANS.bounced,
  complained: MEANS.complained,
  unsubscribed: MEANS.optedOut,
};

function toEvent(event: Fields, id: string | null): MailEvent {
  const { message, description, code } = recordOf(event["delivery-status"]);
  return {
    id,
    delivery: recordOf(event["user-variables"]).delivery_id,
    outcome: outcomeOf(OUTCOMES, event.event, event),
    address: event.recipient,
    reasons: [message, description, recordOf(event.reject).reason, event.reason],
    status: code,
    occurredAt: momentOfSeconds(event.timestamp),
  };
}

/**
 * Email through Mailgun's `POST /v3/{domain}/messages`. Written from its public description:
 * https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages, …/user-manual/sending-messages
 */
export const mailgun = defineProvider<EmailMessage, typeof SETTINGS>({
  kind: "mailgun",
  content: "email",
  title: "Mailgun",
  receipts,
  maxMessageBytes: 25 * 1024 * 1024,
  attachments: "bytes",
  settings: SETTINGS,
  create: createHttpVendor<EmailMessage, Static<typeof SETTINGS>>({
    name: "Mailgun",
    request(message, settings) {
      const form = formOf(message, settings);
      const { type, body } =
        message.attachments === undefined
          ? { type: "application/x-www-form-urlencoded", body: form.toString() }
          : multipartBody(form, filesOf(message.attachments));
      return {
        url: `${apiUrl(settings, VENDOR_URLS[settings.region ?? "us"])}/v3/${settings.domain}/messages`,
        headers: {
          ...JSON_HEADERS,
          "content-type": type,
          authorization: basicAuthorization("api", settings.apiKey),
        },
        body,
      };
    },
    acceptedId: ({ id }) => id,
    meaning: ({ message }, { status }) => {
      const words = typeof message === "string" && status !== 429 ? message : "";
      return WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? {};
    },
  }),
});

/** Returns the files. The vendor makes the Content-ID of an inline file from its name. */
function filesOf(attachments: readonly OutgoingAttachment[]) {
  return attachments.map((file) =>
    file.cid === undefined
      ? { field: "attachment", name: file.name, file }
      : { field: "inline", name: file.cid, file },
  );
}

function formOf(message: EmailMessage, settings: Static<typeof SETTINGS>): URLSearchParams {
  const { address, name, replyTo } = senderOf(message, settings);
  const headers = Object.entries(mailHeaders(message));
  const ids = Object.entries(messageIds(message));
  const form = new URLSearchParams({
    from: namedAddress(address, name),
    to: wireAddress(message.to),
    subject: breakMarksOfText(message.subject, MARKS),
    ...Object.fromEntries(headers.map(([name, value]) => [`h:${name}`, value])),
    ...Object.fromEntries(ids.map(([name, value]) => [`v:${name}`, value])),
  });
  if (message.html !== "") form.set("html", breakMarksOfHtml(message.html, MARKS));
  if (message.text !== "") form.set("text", breakMarksOfText(message.text, MARKS));
  if (replyTo !== undefined) form.set("h:Reply-To", replyTo);
  for (const copy of message.cc ?? []) form.append("cc", wireAddress(copy));
  for (const copy of message.bcc ?? []) form.append("bcc", wireAddress(copy));
  if (settings.testMode) form.set("o:testmode", "yes");
  return form;
}
