import { emailAddress, MAX_ADDRESS } from "@belfry/contracts/addresses";
import { FormatRegistry, type StringOptions, type TObject, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

export interface SettingsContext {
  allowPrivateAddresses: boolean;
}

/** Options of a property, beside JSON Schema's own. */
export interface FieldOptions extends StringOptions {
  title: string;
  description: string;
  /** Shown masked, kept encrypted, never logged. */
  secret?: boolean;
  /** Drawn as a text area. */
  multiline?: boolean;
  /** The text of a fault, instead of the pattern. */
  fault?: string;
  /** Names the server that receives the secrets. If it changes, the secrets have to be entered again. */
  destination?: boolean;
  /** For a secret: a stored one is kept only if this other setting is given. */
  belongsTo?: string;
  /** For a secret: a stored one is dropped if this other setting is given. */
  replacedBy?: string;
  /** The page of the vendor's console that shows the value. */
  link?: string;
}

const NO_CONTROL_CHARACTERS = "^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$";

/** One line of text, of 1 to 256 characters, nothing that could end a header. */
export function lineField(options: FieldOptions) {
  return Type.String({
    minLength: 1,
    maxLength: 256,
    pattern: NO_CONTROL_CHARACTERS,
    fault: "must be one line without control characters",
    ...options,
  });
}

/** A secret of printable ASCII, without spaces: it travels in a header. */
export function secretField(options: FieldOptions) {
  return Type.String({
    minLength: 1,
    maxLength: 512,
    pattern: "^[\\x21-\\x7e]+$",
    fault: "must be printable ASCII without spaces",
    secret: true,
    ...options,
  });
}

FormatRegistry.Set("idn-email", (text) => emailAddress(text) !== undefined);

/** An email address on its own, without a name. */
export function emailField(options: FieldOptions) {
  return Type.String({
    maxLength: MAX_ADDRESS,
    format: "idn-email",
    fault: "must be an email address",
    ...options,
  });
}

/** One of a few values, each with the words that a person chooses it by. */
export function choiceField<const Value extends string>(
  choices: Readonly<Record<Value, string>>,
  options: FieldOptions & { default: NoInfer<Value> },
) {
  const values = Object.entries<string>(choices) as [Value, string][];
  return Type.Optional(
    Type.Union(
      values.map(([value, title]) => Type.Literal(value, { title })),
      { fault: `must be one of: ${values.map(([value]) => value).join(", ")}`, ...options },
    ),
  );
}

/** The vendor's own mode of trying out. `what`: what it does with a mail then. */
export function testModeField(what: string) {
  return Type.Optional(
    Type.Boolean({ title: "Test mode", description: `${what} Nobody gets anything.` }),
  );
}

/** Fields for a mail's sender. `rule`: the addresses that the vendor lets an account send from. */
export function senderFields(rule: string, link?: string) {
  return {
    from: emailField({
      title: "From",
      description: `The sender's address${rule}.`,
      ...(link === undefined ? {} : { link }),
    }),
    fromName: Type.Optional(
      lineField({ title: "From name", description: "The name shown beside the sender's address." }),
    ),
    replyTo: Type.Optional(
      emailField({ title: "Reply to", description: "Address for replies, if not the sender's." }),
    ),
  };
}

/** The vendor's address, for a proxy or another region; the address guard judges it. */
export function baseUrlField(vendorUrl: string) {
  return Type.Optional(
    Type.String({
      title: "Base URL",
      description: `Another address of the vendor's API: public and https. Default: ${vendorUrl}`,
      minLength: 1,
      maxLength: 512,
      default: vendorUrl,
      destination: true,
    }),
  );
}

/**
 * Every fault of a provider's settings, each beginning with its field's name; empty when they can be
 * saved. No fault repeats a value. Addresses are judged as written here, and again at each connect.
 */
export function checkSettings(
  kind: {
    settings: TObject;
    faults(settings: Record<string, unknown>, context: SettingsContext): string[];
  },
  settings: unknown,
  context: SettingsContext = { allowPrivateAddresses: false },
): string[] {
  if (typeof settings !== "object" || settings === null || Array.isArray(settings)) {
    return ["settings: must be a JSON object"];
  }
  const faults = new Map<string, string>();
  for (const error of Value.Errors(kind.settings, settings)) {
    const field = fieldOf(error.path);
    if (!faults.has(field))
      faults.set(field, describe(kind.settings, field, settings, error.message));
  }
  if (faults.size > 0) return [...faults].map(([field, fault]) => `${field}: ${fault}`);
  return kind.faults(settings as Record<string, unknown>, context);
}

/** The settings as they may be shown: each secret reduced to its last four characters, if it is long. */
export function maskSettings(
  kind: { settings: TObject },
  settings: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).map(([field, value]) => {
      // A field that the schema does not know may be an old secret.
      const known = Object.hasOwn(kind.settings.properties, field);
      const secret = !known || kind.settings.properties[field]?.secret === true;
      return [field, secret ? mask(value) : value];
    }),
  );
}

/** The values of the secret fields. */
export function secretsOf(schema: TObject, settings: Record<string, unknown>): string[] {
  return Object.entries(schema.properties)
    .filter(([, property]) => property.secret === true)
    .map(([field]) => settings[field])
    .filter((value) => typeof value === "string");
}

function mask(value: unknown): string {
  const text = typeof value === "string" ? value.trimEnd() : "";
  return text.length >= 12 && !text.includes("\n") ? `•••• ${text.slice(-4)}` : "••••";
}

function fieldOf(path: string): string {
  return path.split("/")[1]?.replaceAll("~1", "/").replaceAll("~0", "~") || "settings";
}

function describe(schema: TObject, field: string, settings: object, message: string): string {
  if (!Object.hasOwn(schema.properties, field)) return "is not a setting of this provider";
  if (!Object.hasOwn(settings, field)) return "is missing";
  const fault: unknown = schema.properties[field]?.fault;
  return typeof fault === "string" ? fault : message.replace(/^Expected/, "must be");
}
