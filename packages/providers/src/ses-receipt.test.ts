import assert from "node:assert/strict";
import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
import test from "node:test";
import { selfSigned } from "@belfry/testing/certificate";
import { testVendorReceipts } from "../test/email-vendor.ts";
import { readWebhook } from "../test/read-webhook.ts";
import { sesReceipts } from "./ses-receipt.ts";

const TOPIC = "arn:aws:sns:eu-central-1:123456789012:mail";
const HOST = "https://sns.eu-central-1.amazonaws.com";
const CERTIFICATE = `${HOST}/SimpleNotificationService-0a1b2c.pem`;
const OLD_CERTIFICATE = `${HOST}/SimpleNotificationService-0d.pem`;
const NO_CERTIFICATE = `${HOST}/SimpleNotificationService-0e.pem`;
const AT = new Date("2026-11-20T12:00:00Z");

const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
const asked: string[] = [];
/** The servers of Amazon SNS. */
const get = async (url: string) => {
  asked.push(url);
  const valid = { from: "2026-01-01", to: "2027-01-01" };
  if (url === CERTIFICATE) return selfSigned(keys, valid);
  if (url === OLD_CERTIFICATE) return selfSigned(keys, { ...valid, to: "2026-02-01" });
  if (url === NO_CERTIFICATE) return "no certificate";
  return url.includes("Token=right") ? "<ConfirmSubscriptionResponse/>" : undefined;
};

/** The signed fields of each type, by https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html. */
const SIGNED: Record<string, string[]> = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: [
    ...["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
  ],
  UnsubscribeConfirmation: [
    ...["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
  ],
};

function snsMessage(fields: Record<string, string>, key = keys.privateKey) {
  const message: Record<string, string> = {
    Type: "Notification",
    MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
    TopicArn: TOPIC,
    Timestamp: AT.toISOString(),
    SignatureVersion: "2",
    SigningCertURL: CERTIFICATE,
    ...fields,
  };
  const text = SIGNED[message.Type!]!.filter((name) => message[name] !== undefined)
    .map((name) => `${name}\n${message[name]}\n`)
    .join("");
  const hash = message.SignatureVersion === "1" ? "sha1" : "sha256";
  const Signature = sign(hash, Buffer.from(text), key).toString("base64");
  const headers = { "x-amz-sns-topic-arn": message.TopicArn };
  return { headers, body: Buffer.from(JSON.stringify({ ...message, Signature })), url: "" };
}

const event = (eventType: string, details: object = {}) => ({
  eventType,
  [`${eventType.charAt(0).toLowerCase()}${eventType.slice(1)}`]: details,
});
const bounce = (bounceType: string, bounceSubType: string) =>
  event("Bounce", { bounceType, bounceSubType });

testVendorReceipts({
  reader: sesReceipts,
  key: TOPIC,
  otherKey: "arn:aws:sns:eu-central-1:123456789012:other",
  get,
  request(what, deliveryId, TopicArn, at) {
    // The form of https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-examples.html
    const mail = {
      timestamp: "2026-11-20T11:59:00.000Z",
      messageId: "0107019abc",
      destination: ["ann@example.com"],
      tags: { "ses:configuration-set": ["belfry"], delivery_id: [deliveryId] },
    };
    const Message = `${JSON.stringify({ ...what, mail })}\n`;
    return snsMessage({
      ...{ Message, TopicArn, Timestamp: at.toISOString() },
      Subject: "Amazon SES Email Event Notification",
    });
  },
  tamper: (request) => ({
    ...request,
    body: Buffer.from(request.body.toString().replace("Delivery", "Delivered")),
  }),
  oldest: 86_400,
  furthestAhead: 900,
  bounceOf: (emailAddress) =>
    event("Bounce", { bounceType: "Permanent", bouncedRecipients: [{ emailAddress }] }),
  cases: [
    [
      event("Delivery", { timestamp: "2026-11-20T11:59:58.123Z", smtpResponse: "250 OK" }),
      "delivered",
      null,
      {
        vendorEvent: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
        occurredAt: new Date("2026-11-20T11:59:58.123Z"),
        reason: "250 OK",
      },
    ],
    [event("Send"), "accepted", null, { occurredAt: new Date("2026-11-20T11:59:00Z") }],
    [
      event("DeliveryDelay", {
        delayType: "MailboxFull",
        delayedRecipients: [{ status: "4.2.2", diagnosticCode: "smtp; 452 4.2.2 full" }],
      }),
      "deferred",
      null,
      { reason: "smtp; 452 4.2.2 full", vendorStatus: "4.2.2" },
    ],
    [
      event("Bounce", {
        bounceType: "Permanent",
        bounceSubType: "General",
        bouncedRecipients: [{ status: "5.1.1", diagnosticCode: "smtp; 550 5.1.1 user unknown" }],
      }),
      "bounced",
      "bounced",
      { reason: "smtp; 550 5.1.1 user unknown", vendorStatus: "5.1.1" },
    ],
    [bounce("Permanent", "NoEmail"), "bounced", "bounced", { reason: "NoEmail" }],
    [bounce("Permanent", "Suppressed"), "bounced", "bounced"],
    [bounce("Permanent", "OnAccountSuppressionList"), "bounced", "bounced"],
    [bounce("Permanent", "UnsubscribedRecipient"), "bounced", "opted out"],
    // An out-of-office notice.
    [bounce("Transient", "General"), null],
    [
      event("Bounce", {
        ...{ bounceType: "Transient", bounceSubType: "General" },
        bouncedRecipients: [{ emailAddress: "ann@example.com" }],
      }),
      null,
    ],
    [
      event("Bounce", {
        ...{ bounceType: "Transient", bounceSubType: "General" },
        bouncedRecipients: [{ status: "4.4.7", diagnosticCode: "smtp; 550 4.4.7 expired" }],
      }),
      "bounced",
    ],
    ...["MailboxFull", "MessageTooLarge", "ContentRejected", "AttachmentRejected"].map(
      (type) => [bounce("Transient", type), "bounced"] as const,
    ),
    [bounce("Undetermined", "Undetermined"), "bounced"],
    [event("Complaint", { complaintFeedbackType: "abuse" }), "complained", "complained"],
    [
      event("Complaint", { complaintSubType: "OnAccountSuppressionList" }),
      "complained",
      "complained",
    ],
    [event("Complaint", { complaintFeedbackType: "not-spam" }), null],
    [event("Reject", { reason: "Bad content" }), "bounced", null, { reason: "Bad content" }],
    [
      event("Subscription", { newTopicPreferences: { unsubscribeAll: true } }),
      "opted out",
      "opted out",
    ],
    [event("Subscription", { newTopicPreferences: { unsubscribeAll: false } }), "opted out"],
    ...["Open", "Click", "Rendering Failure", "constructor"].map(
      (type) => [event(type), null] as const,
    ),
  ],
});

const read = (fields: Record<string, string>, key = keys.privateKey) =>
  readWebhook(sesReceipts, snsMessage({ Message: "{}", ...fields }, key), [TOPIC], AT, get);
const FORGED = { ok: false, fault: "forged" } as const;
const NOTHING = { ok: true, receipts: [] } as const;
const UNREACHABLE = { ok: false, fault: "unreachable" } as const;

test("ses: both versions of the signature are known, and no other", async () => {
  assert.deepEqual(await read({ SignatureVersion: "1" }), NOTHING);
  assert.deepEqual(await read({ SignatureVersion: "2" }), NOTHING);
  assert.deepEqual(await read({ SignatureVersion: "3" }), FORGED);
  const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  assert.deepEqual(await read({}, other), FORGED);
});

test("ses: a message whose proof is no text is forged", async () => {
  const request = snsMessage({ Message: "{}" });
  for (const part of ["Type", "SignatureVersion", "Signature", "SigningCertURL", "Timestamp"]) {
    const odd = { ...JSON.parse(request.body.toString()), [part]: { toString: 1 } };
    const changed = { ...request, body: Buffer.from(JSON.stringify(odd)) };
    assert.deepEqual(await readWebhook(sesReceipts, changed, [TOPIC], AT, get), FORGED, part);
  }
});

test("ses: a certificate is asked of Amazon SNS alone, in the topic's region, and only for the topic of the settings", async () => {
  const before = asked.length;
  for (const SigningCertURL of [
    "https://sns.eu-central-1.amazonaws.com.evil.example/SimpleNotificationService-0a1b2c.pem",
    "https://evil.example/SimpleNotificationService-0a1b2c.pem",
    "https://sns.eu-central-1.amazonaws.com@evil.example/SimpleNotificationService-0a1b2c.pem",
    CERTIFICATE.replace("https:", "http:"),
    CERTIFICATE.replace("eu-central-1", "eu-west-1"),
    CERTIFICATE.replace(".com/", ".com:8443/"),
    CERTIFICATE.replace("sns.", "s3."),
    `${HOST}/evil/../x.pem`,
    `${HOST}/?Action=x`,
    "file:///etc/passwd",
    "no address",
  ]) {
    assert.deepEqual(await read({ SigningCertURL }), FORGED, SigningCertURL);
  }
  const TopicArn = `${TOPIC}2`;
  assert.deepEqual(await read({ TopicArn, SigningCertURL: OLD_CERTIFICATE }), FORGED);
  assert.deepEqual(asked.slice(before), []);
});

test("ses: a certificate is kept once it is read; one that cannot be had, or has ended, is asked for again later", async () => {
  const count = (url: string) => asked.filter((one) => one === url).length;
  await read({});
  assert.equal(count(CERTIFICATE), 1, "by all of the tests above together");
  assert.deepEqual(await read({ SigningCertURL: NO_CERTIFICATE }), UNREACHABLE);
  assert.deepEqual(await read({ SigningCertURL: NO_CERTIFICATE }), UNREACHABLE);
  assert.equal(count(NO_CERTIFICATE), 2);
  assert.deepEqual(await read({ SigningCertURL: OLD_CERTIFICATE }), UNREACHABLE);
});

test("ses: a subscription of the topic is confirmed, at Amazon SNS alone", async () => {
  const subscribe = (SubscribeURL: string, fields = {}) =>
    read({ Type: "SubscriptionConfirmation", Token: "t", SubscribeURL, ...fields });
  const right = `${HOST}/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=right`;
  assert.deepEqual(await subscribe(right), NOTHING);
  assert.equal(asked.at(-1), right);
  const gone = right.replace("right", "gone");
  assert.deepEqual(await subscribe(gone), UNREACHABLE, "the vendor sends it again");
  const before = asked.length;
  for (const url of [
    right.replace("amazonaws.com", "evil.example"),
    right.replace("https:", "http:"),
    right.replace("eu-central-1", "us-east-1"),
    right.replace("/?", "/evil?"),
    "http://169.254.169.254/latest/meta-data/",
  ]) {
    assert.deepEqual(await subscribe(url), FORGED, url);
  }
  assert.deepEqual(await subscribe(right, { TopicArn: `${TOPIC}2` }), FORGED);
  assert.deepEqual(asked.slice(before), [], "nothing forged is asked for");
  const unsigned = snsMessage({
    Type: "SubscriptionConfirmation",
    Message: "",
    SubscribeURL: right,
  });
  const changed = unsigned.body.toString().replace("Token=right", "Token=right2");
  const request = { ...unsigned, body: Buffer.from(changed) };
  assert.deepEqual(await readWebhook(sesReceipts, request, [TOPIC], AT, get), FORGED);
  assert.deepEqual(asked.slice(before), []);
});

test("ses: what SNS says of the topic itself is taken", async () => {
  const Message = "Successfully validated SNS topic for Amazon SES event publishing.";
  assert.deepEqual(await read({ Message }), NOTHING);
  const ended = {
    Type: "UnsubscribeConfirmation",
    Token: "t",
    SubscribeURL: `${HOST}/?Token=right`,
  };
  assert.deepEqual(await read(ended), NOTHING);
});

test("ses: an event about several addresses is a receipt for each, but a complaint whose author is not known is of none", async () => {
  const deliveryId = randomUUID();
  const read = async (what: object) => {
    const mail = { timestamp: AT.toISOString(), tags: { delivery_id: [deliveryId] } };
    const message = snsMessage({ Message: JSON.stringify({ ...what, mail }) });
    const found = await readWebhook(sesReceipts, message, [TOPIC], AT, get);
    assert.ok(found.ok);
    return found.receipts.map(({ address, suppress, reason, vendorEvent }) => [
      ...[address, suppress, reason, vendorEvent.replace(/^[^:]*/, "")],
    ]);
  };
  const recipients = [
    { emailAddress: "ann@example.com", diagnosticCode: "550 a" },
    { emailAddress: "C <c@example.com>", diagnosticCode: "550 c" },
  ];
  const permanent = { bounceType: "Permanent", bouncedRecipients: recipients };
  assert.deepEqual(await read(event("Bounce", permanent)), [
    ["ann@example.com", "bounced", "550 a", ""],
    ["c@example.com", "bounced", "550 c", ":1"],
  ]);
  assert.deepEqual(
    await read(event("Delivery", { recipients: ["ann@example.com", "c@example.com"] })),
    [
      ["ann@example.com", null, null, ""],
      ["c@example.com", null, null, ":1"],
    ],
  );
  const complained = (...complainedRecipients: object[]) =>
    read(event("Complaint", { complaintFeedbackType: "abuse", complainedRecipients }));
  assert.deepEqual(await complained({ emailAddress: "c@example.com" }), [
    ["c@example.com", "complained", "abuse", ""],
  ]);
  assert.deepEqual(await complained(...recipients), [["", "complained", "abuse", ""]]);
});
