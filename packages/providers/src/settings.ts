import { createPrivateKey, type KeyObject } from "node:crypto";
import { emailAddress, MAX_ADDRESS } from "@belfry/contracts/addresses";
import { FormatRegistry, type StringOptions, type TObject, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

export interface SettingsContext {
  allowPrivateAddresses: boolean;
}

/** Options of a setting's field, in addition to those of JSON Schema. */
export interface FieldOptions extends StringOptions {
  title: string;
  description: string;
  /** Whether the value is shown masked, stored encrypted and never logged. */
  secret?: boolean;
  /** For a secret of lines `NAME=VALUE`: whether the names are shown. */
  showsNames?: boolean;
  /** Whether the Admin UI shows a text area. */
  multiline?: boolean;
  /** The message for an invalid value, instead of one that shows the pattern. */
  fault?: string;
  /** Whether the value names the server that receives the secrets. If it changes, the secrets must be entered again. */
  destination?: boolean;
  /** For a secret: the setting without which a stored secret is dropped. */
  belongsTo?: string;
  /** For a secret: the setting whose presence drops a stored secret. */
  replacedBy?: string;
  /** The URL of the page in the vendor's console that shows the value. */
  link?: string;
}

const NO_CONTROL_CHARACTERS = "^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$";

/** Returns a field for one line of 1 to 256 characters, without characters that could end a header field. */
export function lineField(options: FieldOptions) {
  return Type.String({
    minLength: 1,
    maxLength: 256,
    pattern: NO_CONTROL_CHARACTERS,
    fault: "must be one line without control characters",
    ...options,
  });
}

/** Returns a field for a secret of printable ASCII without spaces, because it is sent in a header. */
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

/** Returns a field for a private key in PEM form. */
export function privateKeyField(options: FieldOptions) {
  return Type.String({
    maxLength: 16_384,
    // The pattern excludes file names, because a library would read the file.
    pattern:
      "^-----BEGIN (RSA )?PRIVATE KEY-----\\r?\\n[A-Za-z0-9+/=\\r\\n]+-----END (RSA )?PRIVATE KEY-----\\s*$",
    fault: "must be a private key in PEM form",
    secret: true,
    multiline: true,
    ...options,
  });
}

/** Returns the private key of a PEM text; undefined if it holds none. */
export function privateKeyOf(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

FormatRegistry.Set("idn-email", (text) => emailAddress(text) !== undefined);

/** Returns a field for an email address without a name. */
export function emailField(options: FieldOptions) {
  return Type.String({
    maxLength: MAX_ADDRESS,
    format: "idn-email",
    fault: "must be an email address",
    ...options,
  });
}

/** Returns a field for a choice. `choices` has the label of each value. */
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

/** Returns the field that turns on the vendor's test mode. `what` says what the vendor then does with a mail. */
export function testModeField(what: string) {
  return Type.Optional(
    Type.Boolean({ title: "Test mode", description: `${what} Nobody gets anything.` }),
  );
}

/** Returns the fields for a mail's sender. `rule` says from which addresses the vendor lets an account send. */
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

/** Returns the field for another API address: a proxy, or another region. The address guard checks the value. */
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
 * Returns every fault of a provider's settings, each beginning with its field's name; empty if they can be saved. No
 * fault quotes a value. Addresses are checked here as they are written, and at each connect as they resolve.
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

/** Returns the settings with each secret masked. Long secrets keep their last four characters, named ones the names. */
export function maskSettings(
  kind: { settings: TObject },
  settings: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).map(([field, value]) => {
      // An unknown field may be an old secret.
      const known = Object.hasOwn(kind.settings.properties, field);
      const property = known ? kind.settings.properties[field] : undefined;
      if (property?.showsNames === true) return [field, namesOf(String(value)).join(", ")];
      return [field, property === undefined || property.secret === true ? mask(value) : value];
    }),
  );
}

/** Returns the values of the secret fields. */
export function secretsOf(schema: TObject, settings: Record<string, unknown>): string[] {
  return Object.entries(schema.properties)
    .filter(([, property]) => property.secret === true)
    .map(([field]) => settings[field])
    .filter((value) => typeof value === "string");
}

/** Returns the names in lines `NAME=VALUE`, in time linear in the text. */
function namesOf(text: string): string[] {
  const names = text
    .split("\n")
    .map((line) => /^([A-Za-z0-9_-]{1,64})[ \t]*=/.exec(line.trim())?.[1]);
  return names.filter((name) => name !== undefined);
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
