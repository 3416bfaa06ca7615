import { type KeyObject, verify, X509Certificate } from "node:crypto";
import {
  type Fields,
  type MailEvent,
  MEANS,
  mailReceipts,
  type Outcomes,
  outcomeOf,
} from "./mail-receipts.ts";
import {
  entryOf,
  type GetText,
  headerOf,
  momentOf,
  ONE_OF_SEVERAL,
  parseReceiptBody,
  recordOf,
  textSetting,
  vendorEventOf,
  type WebhookFault,
  type WebhookHead,
} from "./receipt.ts";

/** The maximum age of a message. SNS retries for a shorter time. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;
/** SNS messages have up to 256 KB; inside the posted JSON, their quotes are escaped. */
const MAX_MESSAGE_BYTES = 320 * 1024;
/** More recipients than a mail of ours has. */
const MAX_ADDRESSES = 50;
/** How far the timestamp may be in the future, because our clock may be slow. */
const MAX_AHEAD_MS = 15 * 60 * 1000;

/**
 * Events of a configuration set of Amazon SES, published to an SNS topic that posts them here. The topic serves as the
 * key, because AWS signs messages of every customer's topics. Also confirms the topic's subscription.
 * https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message-verify-message-signature.html,
 * https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
 */
export const sesReceipts = mailReceipts<Fields>({
  kind: "ses",
  maxBytes: MAX_MESSAGE_BYTES,
  keyOf: (settings) => textSetting(settings, "topicArn"),
  setUp: {
    text: "Configuration set → Event destinations → Add destination: Amazon SNS, with Sends, Rejects, Deliveries, Hard bounces, Complaints, Delivery delays and Subscriptions. Then, at the topic, create an HTTPS subscription to the address, without raw message delivery: Belfry confirms it.",
    link: "https://console.aws.amazon.com/ses/home#/configuration-sets",
  },
  proof: signedMessage,
  events(message) {
    if (message.Type !== "Notification") return [];
    // SES also sends a plain sentence that confirms the topic. It is not JSON, so it gives no receipts.
    const event = recordOf(parseReceiptBody(Buffer.from(String(message.Message))));
    return eventsOf(event, vendorEventOf(message.MessageId));
  },
});

async function getOverInternet(url: string): Promise<string | undefined> {
  const { getText } = await import("./http-calls.ts");
  return await getText(url);
}

/** The signed fields of each message type, in the order of the signature. */
const SIGNED = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: [
    ...["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
  ],
};
const HASHES = { 1: "sha1", 2: "sha256" };
const TOPIC = /^arn:aws[a-z-]*:sns:([a-z0-9-]+):/;

/**
 * Verifies and reads a message that SNS has signed for a topic of the settings, and confirms a subscription. A header
 * names the topic, too, so the body of a request for another topic is not read.
 */
function signedMessage(
  head: WebhookHead,
  topics: readonly string[],
  now: Date,
  get: GetText = getOverInternet,
) {
  if (!topics.includes(headerOf(head, "x-amz-sns-topic-arn") ?? "")) return "forged";
  return async (body: Buffer): Promise<Fields | WebhookFault> => {
    const message = recordOf(parseReceiptBody(body));
    const proof = await proofOf(message, topics, now, get);
    if (proof !== "signed") return proof;
    if (message.Type !== "SubscriptionConfirmation") return message;
    const isConfirmed = (await get(String(message.SubscribeURL))) !== undefined;
    return isConfirmed ? message : "unreachable";
  };
}

/** Verifies the signature. Fetches a certificate only for a topic of the settings, and only from the topic's region. */
async function proofOf(
  message: Fields,
  topics: readonly string[],
  now: Date,
  get: GetText,
): Promise<"signed" | "forged" | "unreachable"> {
  const { Type, TopicArn, Timestamp, SignatureVersion, Signature, SigningCertURL } = message;
  const topic = topics.find((one) => one === TopicArn);
  const region = TOPIC.exec(topic ?? "")?.[1];
  const ageMs = now.getTime() - (momentOf(Timestamp)?.getTime() ?? Number.NaN);
  if (region === undefined || !(ageMs <= MAX_AGE_MS && ageMs >= -MAX_AHEAD_MS)) return "forged";
  const names = entryOf(SIGNED, Type) ?? SIGNED.SubscriptionConfirmation;
  const hash = entryOf(HASHES, SignatureVersion);
  if (hash === undefined || typeof Signature !== "string") return "forged";
  if (!isOfSns(SigningCertURL, region, CERTIFICATE_PATH)) return "forged";
  if (Type !== "Notification" && !isOfSns(message.SubscribeURL, region, /^\/$/)) return "forged";
  const key = await certificateKey(SigningCertURL, now, get);
  if (key === undefined) return "unreachable";
  const signed = names
    .filter((name) => typeof message[name] === "string")
    .map((name) => `${name}\n${message[name]}\n`)
    .join("");
  const signature = Buffer.from(Signature, "base64");
  return verify(hash, Buffer.from(signed), key, signature) ? "signed" : "forged";
}

const CERTIFICATE_PATH = /^\/SimpleNotificationService-[0-9a-f]{1,64}\.pem$/;

function isOfSns(value: unknown, region: string, path: RegExp): value is string {
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url?.origin === `https://sns.${region}.amazonaws.com` && path.test(url.pathname);
}

const MAX_CERTIFICATES = 16;
const certificates = new Map<string, X509Certificate>();

async function certificateKey(
  url: string,
  now: Date,
  get: GetText,
): Promise<KeyObject | undefined> {
  const known = certificates.get(url);
  const certificate = known ?? certificateOf(await get(url));
  if (certificate === undefined) return undefined;
  if (known === undefined) {
    const [oldest] = certificates.keys();
    if (certificates.size >= MAX_CERTIFICATES && oldest !== undefined) certificates.delete(oldest);
    certificates.set(url, certificate);
  }
  const isValid = new Date(certificate.validFrom) <= now && now <= new Date(certificate.validTo);
  return isValid ? certificate.publicKey : undefined;
}

function certificateOf(pem: string | undefined): X509Certificate | undefined {
  try {
    return pem === undefined ? undefined : new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

/**
 * Whether a server has reported the bounce. Without a status or a diagnostic code, a general transient bounce is an
 * automatic reply to a delivered mail, such as an out-of-office notice.
 */
function hasServersAnswer(recipients: unknown): boolean {
  const all = Array.isArray(recipients) ? recipients.map(recordOf) : [];
  return all.some(({ status, diagnosticCode }) => Boolean(status) || Boolean(diagnosticCode));
}

/** Other events (Open, Click, …) are private, or not about the delivery. */
const OUTCOMES: Outcomes = {
  Send: MEANS.accepted,
  DeliveryDelay: MEANS.deferred,
  Delivery: MEANS.delivered,
  Bounce: ({ bounceType, bounceSubType, bouncedRecipients }) => {
    const isGeneral = bounceType === "Transient" && bounceSubType === "General";
    if (isGeneral && !hasServersAnswer(bouncedRecipients)) return undefined;
    if (bounceType !== "Permanent") return MEANS.bounced;
    const hasOptedOut = bounceSubType === "UnsubscribedRecipient";
    return { kind: "bounced", suppress: hasOptedOut ? "opted out" : "bounced" };
  },
  Complaint: ({ complaintFeedbackType }) =>
    complaintFeedbackType === "not-spam" ? undefined : MEANS.complained,
  // The mail contained a virus.
  Reject: MEANS.bounced,
  Subscription: ({ newTopicPreferences }) => ({
    kind: "opted out",
    suppress: recordOf(newTopicPreferences).unsubscribeAll === true ? "opted out" : null,
  }),
};

/** Returns an event for each address that the vendor's event is about. */
function eventsOf(event: Fields, id: string | null): MailEvent[] {
  const type = String(event.eventType ?? event.notificationType);
  const details = recordOf(event[`${type.charAt(0).toLowerCase()}${type.slice(1)}`]);
  const outcome = outcomeOf(OUTCOMES, type, details);
  const { delivery_id: ids } = recordOf(recordOf(event.mail).tags);
  return addressesOf(details).map(({ emailAddress: address, diagnosticCode, status }, index) => ({
    id: index === 0 || id === null ? id : `${id}:${index}`,
    delivery: Array.isArray(ids) ? ids[0] : ids,
    outcome,
    address,
    reasons: [
      diagnosticCode,
      details.bounceSubType ?? details.complaintFeedbackType ?? details.reason,
      details.delayType ?? details.smtpResponse,
    ],
    status: status ?? details.bounceType,
    occurredAt: momentOf(details.timestamp) ?? momentOf(recordOf(event.mail).timestamp),
  }));
}

/**
 * Returns the recipients of an event: at least one, which may be empty. If a complaint lists several, the vendor does
 * not know which of them complained.
 */
function addressesOf(details: Fields): Fields[] {
  const { bouncedRecipients, delayedRecipients, complainedRecipients, recipients } = details;
  if (Array.isArray(complainedRecipients) && complainedRecipients.length > 1) {
    return [{ emailAddress: ONE_OF_SEVERAL }];
  }
  const lists = [bouncedRecipients, delayedRecipients, complainedRecipients, recipients];
  const list = lists.find(Array.isArray)?.slice(0, MAX_ADDRESSES) ?? [];
  if (list.length === 0) return [{}];
  return list.map((one) => (typeof one === "string" ? { emailAddress: one } : recordOf(one)));
}
