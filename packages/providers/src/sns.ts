import type { SmsMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { AWS_CONSOLE, awsFields, signAwsRequest } from "./aws-signature.ts";
import { apiUrl, createHttpVendor, each, meaningOf } from "./http-vendor.ts";
import { defineProvider } from "./provider.ts";
import type { Meaning } from "./send-outcome.ts";
import { baseUrlField, lineField } from "./settings.ts";

const TEXT_MESSAGING = `${AWS_CONSOLE}/sns/v3/home#/mobile/text-messaging`;

const SETTINGS = Type.Object(
  {
    ...awsFields({ action: "sns:Publish", account: TEXT_MESSAGING }),
    sender: Type.Optional(
      lineField({
        title: "Sender",
        link: TEXT_MESSAGING,
        description:
          "A number of the account (+12025550100), a short code, or a name of up to 11 letters and digits. Without it Amazon SNS chooses.",
        pattern: "^(\\+[1-9][0-9]{6,14}|[0-9]{3,8}|(?=[0-9]*[A-Za-z])[A-Za-z0-9]{1,11})$",
        fault: "must be a phone number, a short code or a name of up to 11 letters and digits",
      }),
    ),
    promotional: Type.Optional(
      Type.Boolean({
        title: "Promotional",
        description: "Sends at the lowest cost, not with the highest reliability.",
      }),
    ),
    baseUrl: baseUrlField("https://sns.<region>.amazonaws.com"),
  },
  { additionalProperties: false },
);

const CREDENTIALS = { class: "credentials" } as const;

/** Meanings by the error's code. The HTTP status is 400 or 403. */
const ERRORS: Readonly<Record<string, Meaning>> = {
  ...each(CREDENTIALS, "AccessDenied", "AuthorizationError", "InvalidSecurity", "NotAuthorized"),
  ...each(CREDENTIALS, "InvalidClientTokenId", "UnrecognizedClientException", "OptInRequired"),
  ...each(CREDENTIALS, "SignatureDoesNotMatch", "IncompleteSignature", "RequestExpired"),
  ...each(CREDENTIALS, "ExpiredToken", "MissingAuthenticationToken"),
  ...each({ class: "throttled" }, "Throttled", "Throttling", "ThrottlingException"),
  // In the vendor's sandbox, the recipient's number must be verified first. Another provider may accept it.
  UserError: { class: "policy" },
  OptedOut: { class: "permanent", suppress: "opted out" },
};

const FORM = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };
const MESSAGE_ID = /<MessageId>\s*([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\s*<\/MessageId>/i;
const CODE = /<Code>\s*([A-Za-z]{1,64})\s*<\/Code>/;

/**
 * Text messages through the action `Publish` of Amazon SNS. There are no receipts, because SNS reports delivery only to
 * CloudWatch, and no inbound messages, because another service receives replies.
 */
export const sns = defineProvider<SmsMessage, typeof SETTINGS>({
  kind: "sns",
  content: "text",
  title: "Amazon SNS",
  settings: SETTINGS,
  create: createHttpVendor<SmsMessage, Static<typeof SETTINGS>>({
    name: "Amazon SNS",
    request({ to, text }, settings, { now }) {
      const url = `${apiUrl(settings, `https://sns.${settings.region}.amazonaws.com`)}/`;
      const action = { Action: "Publish", Version: "2010-03-31", PhoneNumber: to, Message: text };
      const body = new URLSearchParams({ ...action, ...attributesOf(settings) }).toString();
      const request = { method: "POST", url, headers: FORM, body } as const;
      const signed = signAwsRequest(request, "sns", settings, now());
      return { url, headers: { ...signed, accept: "text/xml", "user-agent": "belfry" }, body };
    },
    // The answers are XML, so the parsed body is not used.
    acceptedId: (_, { status, text }) => (status === 200 ? MESSAGE_ID.exec(text)?.[1] : undefined),
    meaning: (_, { status, text }) => (status < 400 ? {} : meaningOf(ERRORS, CODE.exec(text)?.[1])),
  }),
});

/** Returns the message's attributes as the action's numbered parameters. */
function attributesOf({ sender, promotional }: Static<typeof SETTINGS>): Record<string, string> {
  const given: Record<string, string> = {
    "AWS.SNS.SMS.SMSType": promotional ? "Promotional" : "Transactional",
  };
  if (sender !== undefined) {
    const isNumber = /^\+?\d+$/.test(sender);
    given[isNumber ? "AWS.MM.SMS.OriginationNumber" : "AWS.SNS.SMS.SenderID"] = sender;
  }
  const entries = Object.entries(given).map(([name, value], index) => {
    const entry = `MessageAttributes.entry.${index + 1}`;
    return {
      [`${entry}.Name`]: name,
      [`${entry}.Value.DataType`]: "String",
      [`${entry}.Value.StringValue`]: value,
    };
  });
  return Object.assign({}, ...entries);
}
