import type { OutcomeClass, SendOutcome, SmsMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { signAwsRequest } from "./aws-signature.ts";
import { defineProvider, type Provider, type ProviderContext } from "./provider.ts";
import type { HttpAnswer } from "./send-outcome.ts";
import { outcome, refusal, statusClass } from "./send-outcome.ts";
import { baseUrlField, lineField, secretField } from "./settings.ts";

const SETTINGS = Type.Object(
  {
    accessKeyId: lineField({
      title: "Access key id",
      description: "Of an IAM user that may call sns:Publish, and nothing else.",
      pattern: "^[A-Z0-9]{16,128}$",
      fault: "must be an access key's id: 16 or more capital letters and digits",
    }),
    secretAccessKey: secretField({
      title: "Secret access key",
      description:
        "Shown once, when the access key is made. Requests are signed with it; it is never sent.",
    }),
    region: lineField({
      title: "Region",
      description: "As eu-central-1. An account leaves the sandbox for each region alone.",
      pattern: "^[a-z]{2}(-[a-z]{2,12}){1,3}-[0-9]{1,2}$",
      fault: "must be a region, as eu-central-1",
    }),
    sender: Type.Optional(
      lineField({
        title: "Sender",
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

/** By the error's code. What is not here is classed by its HTTP status. */
const CODE_CLASSES: Readonly<Record<string, OutcomeClass>> = {
  // The account, its key, or what it may do; 400 or 403.
  AccessDenied: "credentials",
  AuthorizationError: "credentials",
  ExpiredToken: "credentials",
  IncompleteSignature: "credentials",
  InvalidClientTokenId: "credentials",
  InvalidSecurity: "credentials",
  MissingAuthenticationToken: "credentials",
  NotAuthorized: "credentials",
  OptInRequired: "credentials",
  RequestExpired: "credentials",
  SignatureDoesNotMatch: "credentials",
  UnrecognizedClientException: "credentials",
  // In the sandbox a number has to be verified first. Another provider may.
  UserError: "policy",
  Throttled: "throttled",
  Throttling: "throttled",
  ThrottlingException: "throttled",
  OptedOut: "permanent",
};

/**
 * Text messages through Amazon SNS, its action `Publish`. It reports what became of a message to CloudWatch alone,
 * so there are no receipts; replies go to another service.
 */
export const sns = defineProvider<SmsMessage, typeof SETTINGS>({
  kind: "sns",
  content: "text",
  title: "Amazon SNS",
  settings: SETTINGS,
  create: createSns,
});

const FORM = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };

async function createSns(
  settings: Static<typeof SETTINGS>,
  context: ProviderContext,
): Promise<Provider<SmsMessage>> {
  const { createHttpCalls } = await import("./http-calls.ts");
  const calls = createHttpCalls(context);
  const base = settings.baseUrl ?? `https://sns.${settings.region}.amazonaws.com`;
  const url = `${base.replace(/\/+$/, "")}/`;
  const attributes = attributesOf(settings);
  return {
    async send({ to, text }) {
      const action = { Action: "Publish", Version: "2010-03-31", PhoneNumber: to, Message: text };
      const body = new URLSearchParams({ ...action, ...attributes }).toString();
      const request = { method: "POST", url, headers: FORM, body } as const;
      const signed = signAwsRequest(request, "sns", settings, context.now());
      const headers = { ...signed, accept: "text/xml", "user-agent": "belfry" };
      const result = await calls.post({ url, headers, body });
      return result.answered ? judge(result.answer, context) : result.outcome;
    },
    close: () => calls.close(),
  };
}

/** The message's attributes, as the action's numbered parameters. */
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

const MESSAGE_ID = /<MessageId>\s*([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\s*<\/MessageId>/i;
const CODE = /<Code>\s*([A-Za-z]{1,64})\s*<\/Code>/;

function judge(answer: HttpAnswer, context: ProviderContext): SendOutcome {
  const messageId = MESSAGE_ID.exec(answer.text)?.[1];
  if (answer.status === 200 && messageId !== undefined) {
    return outcome("accepted", "Amazon SNS accepted the message", {
      messageId,
      vendorStatus: "200",
    });
  }
  const code = answer.status >= 400 ? (CODE.exec(answer.text)?.[1] ?? null) : null;
  const isKnown = code !== null && Object.hasOwn(CODE_CLASSES, code);
  const outcomeClass = (isKnown && CODE_CLASSES[code]) || statusClass(answer.status);
  const refused = refusal("Amazon SNS", outcomeClass, answer, context, code);
  return code === "OptedOut" ? { ...refused, suppress: "opted out" } : refused;
}
