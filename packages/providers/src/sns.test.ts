import assert from "node:assert/strict";
import test from "node:test";
import type { OutcomeClass } from "@belfry/contracts/sending";
import type { ReceivedCall } from "../test/loopback-vendor.ts";
import { NOW_MS, SMS } from "../test/messages.ts";
import { testTextVendor } from "../test/text-vendor.ts";
import { signAwsRequest } from "./aws-signature.ts";
import { sns } from "./sns.ts";

// The judge follows Amazon's description, read in 2026-11: docs.aws.amazon.com/sns/latest/api/API_Publish.html, …/api/
// CommonErrors.html and …/dg/sms_publish-to-phone.html.
const SETTINGS = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  region: "eu-central-1",
};
const MESSAGE = "94f20ce6-13c5-43a0-9a9e-ca52d816e90b";

const PUBLISHED = {
  status: 200,
  headers: { "content-type": "text/xml" },
  body: `<PublishResponse xmlns="https://sns.amazonaws.com/doc/2010-03-31/">
    <PublishResult><MessageId>${MESSAGE}</MessageId></PublishResult>
    <ResponseMetadata><RequestId>f187a3c1-376f-11df-8963-01868b7c937a</RequestId></ResponseMetadata>
  </PublishResponse>`,
};
const failed = (status: number, code: string) => ({
  status,
  body: `<ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/">
    <Error><Type>Sender</Type><Code>${code}</Code><Message>What is wrong</Message></Error>
    <RequestId>f187a3c1-376f-11df-8963-01868b7c937a</RequestId>
  </ErrorResponse>`,
});

/** The service signs the request itself, with the key that it knows, and compares. */
function judge({ method, path, headers, body }: ReceivedCall) {
  const url = `http://${headers.host}${path}`;
  const type = { "content-type": headers["content-type"]! };
  const signed = signAwsRequest(
    { method: "POST", url, headers: type, body },
    "sns",
    SETTINGS,
    NOW_MS,
  );
  if (headers.authorization !== signed.authorization) return failed(403, "SignatureDoesNotMatch");
  if (headers["x-amz-date"] !== "20261120T120000Z") return failed(400, "RequestExpired");
  const form = new URLSearchParams(body);
  if (method !== "POST" || form.get("Action") !== "Publish") return failed(404, "InvalidAction");
  const attributes = new Map<string, string>();
  for (let at = 1; form.has(`MessageAttributes.entry.${at}.Name`); at += 1) {
    const of = (part: string) => form.get(`MessageAttributes.entry.${at}.${part}`)!;
    if (of("Value.DataType") !== "String") return failed(400, "InvalidParameterValue");
    attributes.set(of("Name"), of("Value.StringValue"));
  }
  const senderId = attributes.get("AWS.SNS.SMS.SenderID") ?? "Name";
  const number = attributes.get("AWS.MM.SMS.OriginationNumber") ?? "+15550100";
  const isFit =
    form.get("Version") === "2010-03-31" &&
    /^\+[1-9]\d{6,14}$/.test(form.get("PhoneNumber") ?? "") &&
    form.get("Message") === SMS.text &&
    /^(Transactional|Promotional)$/.test(attributes.get("AWS.SNS.SMS.SMSType") ?? "") &&
    /^(?=.*[A-Za-z])[A-Za-z0-9]{1,11}$/.test(senderId) &&
    /^(\+\d{7,15}|\d{3,8})$/.test(number);
  return isFit ? PUBLISHED : failed(400, "InvalidParameter");
}

const ERRORS: readonly (readonly [number, string, OutcomeClass])[] = [
  [400, "AccessDenied", "credentials"],
  [403, "AuthorizationError", "credentials"],
  [403, "ExpiredToken", "credentials"],
  [400, "IncompleteSignature", "credentials"],
  [403, "InvalidClientTokenId", "credentials"],
  [403, "InvalidSecurity", "credentials"],
  [403, "MissingAuthenticationToken", "credentials"],
  [400, "NotAuthorized", "credentials"],
  [403, "OptInRequired", "credentials"],
  [400, "RequestExpired", "credentials"],
  [403, "SignatureDoesNotMatch", "credentials"],
  [400, "UnrecognizedClientException", "credentials"],
  [400, "UserError", "policy"],
  [429, "Throttled", "throttled"],
  [400, "Throttling", "throttled"],
  [400, "ThrottlingException", "throttled"],
  [400, "OptedOut", "permanent"],
  [400, "InvalidParameter", "permanent"],
  [400, "InvalidParameterValue", "permanent"],
  [400, "ValidationException", "permanent"],
  [404, "NotFound", "permanent"],
  [500, "InternalError", "transient"],
  [500, "InternalFailure", "transient"],
  [503, "ServiceUnavailable", "transient"],
  [400, "constructor", "permanent"],
];
/** A message's attribute as the parameters of the request. */
function attribute(at: number, name: string, value: string) {
  const entry = `MessageAttributes.entry.${at}`;
  return {
    [`${entry}.Name`]: `AWS.${name}`,
    [`${entry}.Value.DataType`]: "String",
    [`${entry}.Value.StringValue`]: value,
  };
}

testTextVendor({
  kind: sns,
  settings: SETTINGS,
  secrets: [SETTINGS.secretAccessKey],
  accept: PUBLISHED,
  messageId: MESSAGE,
  judge,
  read: ({ body }) => Object.fromEntries(new URLSearchParams(body)),
  path: "/",
  request: {
    ...{ Action: "Publish", Version: "2010-03-31" },
    ...{ PhoneNumber: "+12025550123", Message: SMS.text },
    ...attribute(1, "SNS.SMS.SMSType", "Transactional"),
  },
  variants: [
    [{ sender: "+15550100" }, attribute(2, "MM.SMS.OriginationNumber", "+15550100")],
    [{ sender: "12345" }, attribute(2, "MM.SMS.OriginationNumber", "12345")],
    [{ sender: "Belfry2" }, attribute(2, "SNS.SMS.SenderID", "Belfry2")],
    [
      { sender: "Belfry", promotional: true },
      {
        ...attribute(1, "SNS.SMS.SMSType", "Promotional"),
        ...attribute(2, "SNS.SMS.SenderID", "Belfry"),
      },
    ],
  ],
  refused: [
    [{ secretAccessKey: "of-somebody-else" }, "SignatureDoesNotMatch"],
    [{ accessKeyId: "AKIAOFSOMEBODYELSE00" }, "SignatureDoesNotMatch"],
    [{ region: "us-east-1" }, "SignatureDoesNotMatch"],
  ],
  errors: ERRORS.map(([status, code, expected]) => {
    const suppress = code === "OptedOut" ? ({ suppress: "opted out" } as const) : {};
    return [code, failed(status, code), { class: expected, vendorStatus: code, ...suppress }];
  }),
  unclear: ["", "{}", "<MessageId></MessageId>", "<MessageId>7</MessageId>", "<html>"],
  wrong: { accessKeyId: "akia", secretAccessKey: "", region: "x.evil", sender: "a\r\nb" },
});

test("without a base URL the region decides the address", async () => {
  const asked: string[] = [];
  const deps = {
    timeoutMs: 1000,
    allowPrivateAddresses: false,
    storeInOutbox: async () => "",
    resolve: async (host: string) => {
      asked.push(host);
      return [{ address: "127.0.0.1", family: 4 }];
    },
  };
  const provider = sns.create(SETTINGS, deps);
  assert.equal((await provider.send(SMS)).class, "credentials");
  assert.deepEqual(asked, ["sns.eu-central-1.amazonaws.com"]);
  await provider.close();
});
