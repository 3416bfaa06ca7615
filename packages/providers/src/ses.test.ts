import assert from "node:assert/strict";
import test from "node:test";
import { testEmailVendor } from "../test/email-vendor.ts";
import { EMAIL, LIST_EMAIL, NOW_MS } from "../test/messages.ts";
import { providerAtVendor } from "../test/provider-at-vendor.ts";
import { signAwsRequest } from "./aws-signature.ts";
import { ses } from "./ses.ts";
import { checkSettings } from "./settings.ts";

const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const SETTINGS = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: SECRET,
  region: "eu-central-1",
  from: "shop@example.com",
};
const ACCEPT = {
  status: 200,
  headers: { "content-type": "application/json" },
  body: '{"MessageId":"0107019abc-11111111-2222-3333-4444-555555555555-000000"}',
};
const start = providerAtVendor(ses, SETTINGS);

/** An error in the form of https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html, its name in a header. */
const error = (status: number, name: string, message = "what is wrong") => ({
  status,
  headers: {
    "x-amzn-errortype": `${name}:http://internal.amazon.com/coral/com.amazonaws.services.sesv2/`,
  },
  body: { message },
});

testEmailVendor({
  kind: ses,
  settings: SETTINGS,
  secrets: [SECRET],
  accept: ACCEPT,
  messageId: "0107019abc-11111111-2222-3333-4444-555555555555-000000",
  path: "/v2/email/outbound-emails",
  named: '"The Shop" <shop@example.com>',
  read(call) {
    const mail = JSON.parse(call.body);
    const { Subject, Body, Headers } = mail.Content.Simple;
    for (const part of [Subject, ...Object.values<{ Charset: string }>(Body)]) {
      assert.equal(part.Charset, "UTF-8");
    }
    // The judge of the signature itself is AWS's published suite; here it has to be of this very request.
    const { authorization, "x-amz-date": date, "content-type": type = "" } = call.headers;
    const url = `http://${call.headers.host}${call.path}`;
    const signed = signAwsRequest(
      { method: "POST", url, headers: { "content-type": type }, body: call.body },
      "ses",
      SETTINGS,
      call.path.startsWith("/proxy") ? momentOf(String(date)) : NOW_MS,
    );
    assert.equal(authorization, signed.authorization);
    assert.match(
      authorization ?? "",
      /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/\d{8}\/eu-central-1\/ses\/aws4_request, /,
    );
    const ids = fieldsOf(mail.EmailTags);
    for (const text of Object.entries(ids).flat()) assert.match(text, /^[A-Za-z0-9_.@-]{1,256}$/);
    assert.deepEqual(Object.keys(ids), ["delivery_id", "tenant_id", "event_id"]);
    return {
      from: mail.FromEmailAddress,
      to: mail.Destination.ToAddresses.join(),
      cc: mail.Destination.CcAddresses,
      bcc: mail.Destination.BccAddresses,
      replyTo: mail.ReplyToAddresses?.join(),
      subject: Subject.Data,
      html: Body.Html?.Data,
      text: Body.Text?.Data,
      headers: fieldsOf(Headers),
      deliveryId: ids.delivery_id ?? "",
    };
  },
  errors: [
    [
      "AccountSuspendedException",
      error(400, "AccountSuspendedException"),
      { class: "credentials", vendorStatus: "AccountSuspendedException" },
    ],
    ["SendingPausedException", error(400, "SendingPausedException"), { class: "credentials" }],
    [
      "MailFromDomainNotVerifiedException",
      error(400, "MailFromDomainNotVerifiedException"),
      { class: "credentials" },
    ],
    ["NotFoundException", error(404, "NotFoundException"), { class: "credentials" }],
    [
      "LimitExceededException",
      error(400, "LimitExceededException"),
      { class: "credentials", ofOneMessage: true },
    ],
    ["MessageRejected", error(400, "MessageRejected"), { class: "permanent" }],
    [
      "MessageRejected of an identity",
      error(
        400,
        "MessageRejected",
        "Email address is not verified. The following identities failed the check in region EU-CENTRAL-1: ann@example.com",
      ),
      { class: "credentials", ofOneMessage: true },
    ],
    ["BadRequestException", error(400, "BadRequestException"), { class: "permanent" }],
    ["ValidationError", error(400, "ValidationError"), { class: "permanent" }],
    ["TooManyRequestsException", error(429, "TooManyRequestsException"), { class: "throttled" }],
    [
      "ThrottlingException of the rate",
      error(400, "ThrottlingException", "Maximum sending rate exceeded."),
      { class: "throttled" },
    ],
    [
      "ThrottlingException of the day",
      error(400, "ThrottlingException", "Daily message quota exceeded."),
      { class: "credentials", ofOneMessage: true },
    ],
    ["AccessDeniedException", error(400, "AccessDeniedException"), { class: "credentials" }],
    ["IncompleteSignature", error(400, "IncompleteSignature"), { class: "credentials" }],
    ["NotAuthorized", error(400, "NotAuthorized"), { class: "credentials" }],
    ["RequestExpired", error(400, "RequestExpired"), { class: "credentials" }],
    ["InvalidClientTokenId", error(403, "InvalidClientTokenId"), { class: "credentials" }],
    ["SignatureDoesNotMatch", error(403, "SignatureDoesNotMatch"), { class: "credentials" }],
    ["OptInRequired", error(403, "OptInRequired"), { class: "credentials" }],
    [
      "an exception that the body names",
      { status: 400, body: { __type: "com.amazon#SendingPausedException" } },
      { class: "credentials", vendorStatus: "SendingPausedException" },
    ],
    ["InternalFailure", error(500, "InternalFailure"), { class: "transient" }],
    ["ServiceUnavailable", error(503, "ServiceUnavailable"), { class: "transient" }],
  ],
});

/** `20261120T120000Z` in epoch milliseconds. */
function momentOf(date: string): number {
  return Date.parse(date.replace(/(....)(..)(..T..)(..)(..Z)/, "$1-$2-$3:$4:$5"));
}

function fieldsOf(fields: { Name: string; Value: string }[]): Record<string, string> {
  return Object.fromEntries(fields.map(({ Name, Value }) => [Name, Value]));
}

test("Amazon SES: events come of the configuration set, which a topic needs", async (t) => {
  const { vendor, provider } = await start(t, ACCEPT, { configurationSet: "belfry" });
  await provider.send(EMAIL);
  assert.equal(JSON.parse(vendor.received[0]!.body).ConfigurationSetName, "belfry");
  const topicArn = "arn:aws:sns:eu-central-1:123456789012:mail";
  assert.deepEqual(checkSettings(ses, { ...SETTINGS, topicArn }), [
    "configurationSet: is needed where there is an SNS topic",
  ]);
  assert.deepEqual(checkSettings(ses, { ...SETTINGS, topicArn, configurationSet: "belfry" }), []);
});

test("Amazon SES: a mail lacks the header fields of its list where the vendor would refuse it for their length", async (t) => {
  const { vendor, provider } = await start(t, ACCEPT);
  for (const characters of [870, 871]) {
    const listUnsubscribe = `https://a.example/${"x".repeat(characters - 20)}`;
    await provider.send({ ...LIST_EMAIL, headers: { ...LIST_EMAIL.headers!, listUnsubscribe } });
  }
  const names = vendor.received.map(({ body }) =>
    Object.keys(fieldsOf(JSON.parse(body).Content.Simple.Headers)),
  );
  assert.deepEqual(names, [
    ["Auto-Submitted", "List-Unsubscribe", "List-Unsubscribe-Post", "List-Id"],
    ["Auto-Submitted"],
  ]);
});
