import type {
  EmailMessage,
  OutcomeClass,
  SendOutcome,
  SmsMessage,
} from "@belfry/contracts/sending";
import { createJsonBody, jsonBodyFaults } from "@belfry/templates/json-body";
import { type Static, Type } from "@sinclair/typebox";
import { addressFault } from "./address-guard.ts";
import { headerFaults, headerLines, OPEN_HEADERS } from "./header-lines.ts";
import type { HttpMethod } from "./http-calls.ts";
import { JSON_HEADERS } from "./http-vendor.ts";
import { isError, pointerFault, valueAt } from "./json-pointer.ts";
import { mailHeaders, messageIds } from "./message-form.ts";
import { defineProvider, type Provider, type ProviderContext } from "./provider.ts";
import type { HttpAnswer } from "./send-outcome.ts";
import { outcome, refusal, statusClass } from "./send-outcome.ts";
import { lineField, type SettingsContext, secretField } from "./settings.ts";

const METHODS: readonly HttpMethod[] = ["POST", "PUT", "PATCH"];
const MAX_URL_CHARACTERS = 2048;
const MAX_HEADERS_CHARACTERS = 8192;
const MAX_BODY_CHARACTERS = 32 * 1024;

/** Names of the tags of every message. */
export const IDS = ["delivery_id", "event_id", "tenant_id"] as const;
/** Names that the body's tags may use, by the content of a message. */
const NAMES = {
  email: [
    ...["to", "subject", "html", "text", "headers", "from_name", "reply_to", "cc", "bcc"],
    ...IDS,
    "secret",
  ],
  text: ["to", "text", "segments", "encoding", ...IDS, "secret"],
};

/** Returns the settings of an API whose body may use these names. */
export function settingsOf(names: readonly string[], example: string) {
  return Type.Object(
    {
      url: lineField({
        title: "URL",
        description: "The address that takes one message a call: public and https.",
        maxLength: MAX_URL_CHARACTERS,
        destination: true,
      }),
      method: Type.Optional(
        lineField({
          title: "Method",
          description: `One of ${METHODS.join(", ")}. Default: POST`,
          pattern: `^(${METHODS.join("|")})$`,
          fault: `must be one of ${METHODS.join(", ")}`,
          default: "POST",
        }),
      ),
      headers: Type.Optional(
        Type.String({
          title: "Header fields",
          description:
            "One a line, as Authorization: Bearer …; content-type is application/json where none is given.",
          maxLength: MAX_HEADERS_CHARACTERS,
          secret: true,
          multiline: true,
        }),
      ),
      body: Type.String({
        title: "Body",
        description: `JSON in the template language, as ${example} — a tag in quotes is escaped, one without is a whole value. There are: ${names.join(", ")}.`,
        minLength: 1,
        maxLength: MAX_BODY_CHARACTERS,
        multiline: true,
      }),
      secret: Type.Optional(
        secretField({
          title: "Secret of the body",
          description:
            "For an API that wants its key in the body: {{ secret }} stands for it there.",
        }),
      ),
      successStatuses: Type.Optional(
        lineField({
          title: "Success",
          description: "The statuses of an accepted message: numbers and ranges. Default: 200-299",
          pattern: "^[1-5]\\d\\d(-[1-5]\\d\\d)?(, ?[1-5]\\d\\d(-[1-5]\\d\\d)?){0,19}$",
          fault: "must be statuses and ranges with commas between, as 200-202, 204",
          default: "200-299",
        }),
      ),
      messageIdPointer: Type.Optional(
        lineField({
          title: "Message id",
          description:
            "Where the answer's JSON has the message's id, as /data/id. An answer without it is not taken for a success.",
        }),
      ),
      errorPointer: Type.Optional(
        lineField({
          title: "Error",
          description:
            "Where the answer's JSON has an error's code or text, as /error/code. What stands there, but for null, false, 0 and nothing, is an error, whatever the status.",
        }),
      ),
      successValues: Type.Optional(
        lineField({
          title: "No error",
          description:
            "Values there that mean success, with commas between, as 000, OK, none. Only with an error's place.",
          pattern: "^[^,\\s][^,]{0,63}(,[^,]{1,64}){0,19}$",
          fault: "must be 1 to 20 values of at most 64 characters with commas between, as 000, OK",
        }),
      ),
    },
    { additionalProperties: false },
  );
}

type Settings = Omit<Static<ReturnType<typeof settingsOf>>, "url"> & {
  /** Absent if each message has a URL of its own. */
  url?: string;
};

/** Mail through any API that accepts a message by one request with a JSON body. */
export const httpEmail = defineProvider<EmailMessage, ReturnType<typeof settingsOf>>({
  kind: "http",
  content: "email",
  title: "Any HTTP API",
  settings: settingsOf(
    NAMES.email,
    '{"to": {{ to }}, "subject": {{ subject }}, "html": {{ html }}, "headers": {{ headers }}}',
  ),
  faults: (settings, context) => faultsOf(settings, context, NAMES.email),
  async create(settings, context) {
    const provider = await createHttp<EmailMessage>(settings, context, mailValues);
    return {
      ...provider,
      async send(message) {
        const sent = await provider.send(message);
        const left = (["cc", "bcc"] as const).filter(
          (name) => message[name] && !new RegExp(`\\b${name}\\b`).test(settings.body),
        );
        if (sent.class !== "accepted" || left.length === 0) return sent;
        return { ...sent, reason: `${sent.reason}; its body names no ${left.join(" and no ")}` };
      },
    };
  },
});

function mailValues(message: EmailMessage): Record<string, unknown> {
  const { to, subject, html, text, fromName, replyTo, cc = [], bcc = [] } = message;
  const envelope = { from_name: fromName ?? "", reply_to: replyTo ?? "", cc, bcc };
  const headers = mailHeaders(message);
  return { to, subject, html, text, headers, ...envelope, ...messageIds(message) };
}

/** Text messages through any API that accepts a message by one request with a JSON body. */
export const httpText = defineProvider<SmsMessage, ReturnType<typeof settingsOf>>({
  kind: "http",
  content: "text",
  title: "Any HTTP API",
  settings: settingsOf(NAMES.text, '{"to": {{ to }}, "text": {{ text }}}'),
  faults: (settings, context) => faultsOf(settings, context, NAMES.text),
  create: (settings, context) =>
    createHttp(settings, context, (message) => {
      const { to, text, segments, encoding } = message;
      return { to, text, segments, encoding, ...messageIds(message) };
    }),
});

export function faultsOf(settings: Settings, context: SettingsContext, names: readonly string[]) {
  const { url, headers = "", body, successStatuses, messageIdPointer, errorPointer } = settings;
  const { successValues } = settings;
  const faults = [
    ["url", url === undefined ? null : addressFault(url, context)],
    ...headerFaults(headers).map((fault) => ["headers", fault]),
    ...jsonBodyFaults(body, names).map(({ line, column, message }) => [
      "body",
      `line ${line}, column ${column}: ${message}`,
    ]),
    [
      "successStatuses",
      rangesOf(successStatuses) === undefined ? "a range ends before it begins" : null,
    ],
    ["messageIdPointer", messageIdPointer === undefined ? null : pointerFault(messageIdPointer)],
    ["errorPointer", errorPointer === undefined ? null : pointerFault(errorPointer)],
    [
      "successValues",
      successValues !== undefined && errorPointer === undefined ? "needs errorPointer" : null,
    ],
  ];
  return faults.filter(([, fault]) => fault !== null).map(([field, fault]) => `${field}: ${fault}`);
}

/** Reads ranges such as `200-202, 204`; undefined if a range ends before it begins. */
function rangesOf(text = "200-299"): readonly (readonly [number, number])[] | undefined {
  const ranges = text.split(",").map((part) => {
    const [first = 0, last = first] = part.split("-").map(Number);
    return [first, last] as const;
  });
  return ranges.every(([first, last]) => first <= last) ? ranges : undefined;
}

/**
 * Creates a provider of an API. `urlOf` returns a message's URL if it has its own, and `secretsOf` what of it a stored
 * answer must not repeat.
 */
export async function createHttp<Message>(
  settings: Settings,
  context: ProviderContext,
  valuesOf: (message: Message) => Record<string, unknown>,
  urlOf: (message: Message) => string | undefined = () => settings.url,
  secretsOf: (message: Message) => readonly string[] = () => [],
): Promise<Provider<Message>> {
  const { createHttpCalls } = await import("./http-calls.ts");
  const calls = createHttpCalls(context);
  const { method = "POST" } = settings;
  const own = headerLines(settings.headers ?? "").map(({ name, value }) => [
    name.toLowerCase(),
    value,
  ]);
  const headers = {
    ...JSON_HEADERS,
    ...Object.fromEntries(own),
  };
  // An API may repeat these in its answer, or only the part of `Bearer abc` after the scheme.
  const secrets = own
    .filter(([name = ""]) => !OPEN_HEADERS.has(name))
    .flatMap(([, value = ""]) => [value, ...value.split(" ").slice(1)])
    .concat(settings.secret ?? [], context.secrets);
  const judge = judgeOf(settings, { ...context, secrets });
  const writeBody = createJsonBody(settings.body);
  const { secret = "" } = settings;
  return {
    async send(message) {
      const body = writeBody({ ...valuesOf(message), secret });
      if (!body.ok) return outcome("permanent", BODY_FAULTS[body.reason]);
      const call = {
        url: urlOf(message) ?? "",
        method: method as HttpMethod,
        headers,
        body: body.text,
      };
      const result = await calls.post(call);
      return result.answered ? judge(result.answer, secretsOf(message)) : result.outcome;
    },
    close: () => calls.close(),
  };
}

const BODY_FAULTS = {
  "no JSON": "the body of the provider's settings is no JSON with this message's values",
  "too large": "the message is too large for the body of the provider's settings",
};

const VENDOR = "The API";
const MAX_ID_CHARACTERS = 255;
const MAX_CODE_CHARACTERS = 64;

/** Returns a function that judges an answer, of which only the start is read. In doubt it is no success. */
function judgeOf(settings: Settings, context: Pick<ProviderContext, "secrets" | "now">) {
  const { messageIdPointer, errorPointer } = settings;
  const ranges = rangesOf(settings.successStatuses) ?? [];
  const successValues = (settings.successValues ?? "").split(",").map((value) => value.trim());
  return (answer: HttpAnswer, ofMessage: readonly string[]): SendOutcome => {
    const { status } = answer;
    const asked = { secrets: [...context.secrets, ...ofMessage], now: context.now };
    const isSuccess = ranges.some(([first, last]) => status >= first && status <= last);
    const refused = (outcomeClass: OutcomeClass, code: string | null = null) =>
      refusal(VENDOR, outcomeClass, answer, asked, code);
    const json = parsedJson(answer.text);
    const found = errorPointer === undefined ? undefined : valueAt(json, errorPointer);
    const isScalar = typeof found === "string" || typeof found === "number";
    const meansSuccess = isScalar && successValues.includes(String(found).trim());
    const error = meansSuccess ? undefined : found;
    const code = isError(error) ? codeOf(error) : null;
    if (!isSuccess) {
      const outcomeClass = statusClass(status);
      // An ambiguous status with an error in the answer: the API did not accept the message.
      return refused(
        outcomeClass === "ambiguous" && isError(error) ? "policy" : outcomeClass,
        code,
      );
    }
    // The API did not accept the message. We do not know its codes, so another provider may accept it.
    if (isError(error)) return { ...refused("policy", code), reason: ERROR_INSIDE };
    const needsJson = errorPointer !== undefined || messageIdPointer !== undefined;
    if (needsJson && json === undefined) return refused("ambiguous");
    const messageId = messageIdPointer === undefined ? null : idOf(valueAt(json, messageIdPointer));
    if (messageId === undefined) return refused("ambiguous");
    const known = { messageId, vendorStatus: String(status) };
    return outcome("accepted", `${VENDOR} accepted the message`, known);
  };
}

const ERROR_INSIDE = `${VENDOR} answered a success with an error inside`;

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function idOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  const isId = typeof value === "string" && /^[\x21-\x7e]+$/.test(value);
  return isId && value.length <= MAX_ID_CHARACTERS ? value : undefined;
}

/** Returns a code that is short enough for a status, else null. A longer text is in the stored answer. */
function codeOf(value: unknown): string | null {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return /^[\w.:-]+$/.test(text) && text.length <= MAX_CODE_CHARACTERS ? text : null;
}
