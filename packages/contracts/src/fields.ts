import { type Static, type TSchema, type TString, type TUnsafe, Type } from "@sinclair/typebox";
import { emailAddress, MAX_ADDRESS } from "./addresses.ts";
import { MAX_TEXT_CHARACTERS, PHONE, PLAIN_TEXT, textFault, UUID } from "./identifiers.ts";
import { isLocale, LOCALE_PATTERN, NO_LOCALE } from "./locale.ts";

/**
 * Returns the fault of a value in words for the client, without the field's name; undefined if there is none. If a
 * schema has such a function, only the function checks it (and an object's properties). Its JSON Schema keywords only
 * document it, because they cannot count characters as we do or recognize an address.
 */
export type Fault = (value: unknown) => string | undefined;
export const FAULT = Symbol("fault");

export const OPEN = Symbol("open");

/** Marks an object of the specification's own calls: its unknown fields are ignored. All other objects reject them. */
export function open<T extends TSchema>(schema: T): T {
  return { ...schema, [OPEN]: true };
}

interface Words {
  description?: string;
  examples?: unknown[];
  /** Examples by name, for the generator of the OpenAPI document. */
  "x-examples"?: Record<string, { value: unknown }>;
}

/** Returns a type whose values are checked by `fault`. */
export function field<T>(keywords: object, fault: Fault): TUnsafe<T> {
  return Type.Unsafe<T>({ ...keywords, [FAULT]: fault });
}

export function faultOf(schema: TSchema): Fault | undefined {
  return (schema as { [FAULT]?: Fault })[FAULT];
}

/** Returns a type for texts of 1–255 characters without control characters and lone surrogates. */
export function text(words: Words = {}): TUnsafe<string> {
  const keywords = { type: "string", minLength: 1, maxLength: MAX_TEXT_CHARACTERS };
  return field({ ...keywords, pattern: PLAIN_TEXT, ...words }, (value) =>
    typeof value === "string" ? textFault(value) : "must be a string",
  );
}

/** Returns a type with a few allowed values. */
export function oneOf<const T extends string>(values: readonly T[], words: Words = {}): TUnsafe<T> {
  const fault = `must be one of ${values.join(", ")}`;
  return field({ type: "string", enum: [...values], ...words }, (value) =>
    values.includes(value as T) ? undefined : fault,
  );
}

const isNone = (value: unknown) => value === null || value === "";

/** Returns a type for an email address. null or an empty text means that there is none. */
export function emailOrNone(words: Words): TUnsafe<string | null> {
  const address = { type: "string", format: "idn-email", maxLength: MAX_ADDRESS, ...words };
  const anyOf = [address, { type: "string", maxLength: 0 }, { type: "null" }];
  return field({ anyOf }, (value) =>
    isNone(value) || (typeof value === "string" && emailAddress(value) !== undefined)
      ? undefined
      : "must be an email address",
  );
}

/** Returns a type for a short text. null or an empty text means that there is none. */
export function textOrNone(words: Words): TUnsafe<string | null> {
  const keywords = { type: ["string", "null"], maxLength: MAX_TEXT_CHARACTERS, ...words };
  return field(keywords, (value) => {
    if (isNone(value)) return undefined;
    return typeof value === "string" ? textFault(value) : "must be a string";
  });
}

/** Returns a type for a phone number in E.164 form. null or an empty text means that there is none. */
export function phoneOrNone(words: Words): TUnsafe<string | null> {
  const keywords = { type: ["string", "null"], pattern: `^$|${PHONE.source}`, ...words };
  return field(keywords, (value) =>
    isNone(value) || (typeof value === "string" && PHONE.test(value))
      ? undefined
      : "must be a phone number in E.164 form, as +12025550123",
  );
}

/** Returns a type for a language such as de-AT (locale.ts). */
export function locale(words: Words): TUnsafe<string> {
  const keywords = { type: "string", pattern: LOCALE_PATTERN, ...words };
  return field(keywords, (value) =>
    typeof value === "string" && isLocale(value) ? undefined : NO_LOCALE,
  );
}

/** Returns a type that also allows null. */
export function orNull<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  const fault = faultOf(schema);
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [schema.type, "null"],
    ...values,
    ...(fault && { [FAULT]: (value: unknown) => (value === null ? undefined : fault(value)) }),
  });
}

/** Returns a type for true and false. */
export function flag(words: Words = {}): TUnsafe<boolean> {
  return field({ type: "boolean", ...words }, (value) =>
    typeof value === "boolean" ? undefined : "must be true or false",
  );
}

export function integer(bounds: { minimum: number; maximum: number }, words: Words = {}) {
  const { minimum, maximum } = bounds;
  return field<number>({ type: "integer", ...bounds, ...words }, (value) =>
    Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum
      ? undefined
      : `must be an integer from ${minimum} to ${maximum}`,
  );
}

/** Returns a type for a JSON object that another schema checks later. */
export function anyObject(words: Words = {}): TUnsafe<Record<string, unknown>> {
  return field({ type: "object", ...words }, (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? undefined
      : "must be an object",
  );
}

/** Marks an input field as a secret: the command line reads it from a file, and no fault or log contains it. */
export function secret<T extends TSchema>(schema: T): T {
  return { ...schema, writeOnly: true };
}

/** Returns a type for a secret in an answer that is shown only once. Callers must not log it. */
export function shownOnce(words: string): TString {
  return Type.String({ description: words, readOnly: true, "x-secret": true });
}

/** Texts by language; the key "" is the default. An empty text removes its language. */
export type TextByLanguage = Record<string, string>;

/** Returns a type for texts by language, each with at most `maxCharacters`. */
export function textByLanguage(maxCharacters: number, words: Words = {}): TUnsafe<TextByLanguage> {
  const keywords = {
    type: "object",
    propertyNames: { pattern: `^$|${LOCALE_PATTERN}` },
    additionalProperties: { type: "string", maxLength: maxCharacters, pattern: PLAIN_TEXT },
  };
  return field({ ...keywords, ...words }, (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return "must be an object of texts by language";
    }
    const faults = Object.entries(value).flatMap(([language, text]) => {
      const fault =
        language === "" || isLocale(language) ? languageFault(text, maxCharacters) : NO_LOCALE;
      const of = language === "" ? "" : `(${language.slice(0, 40)}) `;
      return fault === undefined ? [] : [of + fault];
    });
    return faults.length === 0 ? undefined : faults.join("; ");
  });
}

function languageFault(text: unknown, maxCharacters: number): string | undefined {
  if (typeof text !== "string") return "must be a string";
  if (text === "") return undefined;
  if (text.trim() === "") return "should not be empty";
  const fault = textFault(text);
  if (fault !== undefined) return fault;
  return [...text].length > maxCharacters
    ? `must be at most ${maxCharacters} characters`
    : undefined;
}

/** Returns a type for a time in an answer, described by `words`. */
export function time(words: string): TString {
  return Type.String({ format: "date-time", description: `${words}; ISO 8601, UTC` });
}

/** Returns a type for a secret in an answer that is returned only once and never logged. */
export function secretOnce(words: string): TString {
  return Type.String({ description: `${words}; answered this once`, "x-secret": true });
}

const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d[\d:.]{0,10}(Z|[+-]\d\d:\d\d))?$/;

/** Returns a type for a moment such as 2026-11-20T12:00:00Z. A day without a time means its beginning in UTC. */
export function moment(words: Words): TUnsafe<string> {
  return field({ type: "string", format: "date-time", ...words }, (value) =>
    typeof value === "string" && MOMENT.test(value) && !Number.isNaN(Date.parse(value))
      ? undefined
      : "must be a time such as 2026-11-20T12:00:00Z",
  );
}

/** The field `success` of every successful answer. */
export const success = Type.Boolean({ description: "Always true" });

/** Returns a type for an integer in a query string. */
export function integerText(
  bounds: { minimum: number; maximum: number; default: number },
  words: Words,
): TUnsafe<string> {
  const { minimum, maximum } = bounds;
  return field({ type: "integer", ...bounds, ...words }, (value) => {
    const number =
      typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
    const isIn = number >= minimum && number <= maximum;
    return isIn ? undefined : `must be an integer from ${minimum} to ${maximum}`;
  });
}

/**
 * Returns a type for a text that is not checked here. Its reader answers bad values in another way, such as 403 or 404.
 */
export function documented(keywords: object): TUnsafe<string> {
  return field({ type: "string", ...keywords }, (value) =>
    typeof value === "string" || value === undefined ? undefined : "must be a string",
  );
}

/** Returns a type for one of our ids in a path. It is not checked: a text that is no id matches no row. */
export function id(words: Words): TUnsafe<string> {
  // Both cases, because JSON Schema's patterns have no flags.
  return documented({ pattern: UUID.source.replaceAll("a-f", "a-fA-F"), ...words });
}
