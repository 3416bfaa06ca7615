import fc, { type Arbitrary } from "fast-check";

/** The part of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  /** For an object: the fields to generate. */
  oneOf?: { required: string[] }[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean;
  items?: Schema;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  uniqueItems?: boolean;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  format?: string;
  examples?: unknown[];
  /** A combination of all of them is invalid. */
  not?: { required: string[] };
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
/** Whether this is the pattern that forbids control characters: generating from it would rarely yield useful texts. */
const isTextPattern = (pattern: string) => pattern.startsWith("^(?:[^\\u0000");

/** Text without control characters and lone surrogates; the length counts code points. */
export function plainText(minLength: number, maxLength: number): Arbitrary<string> {
  return fc
    .string({ unit: "binary", minLength, maxLength })
    .map((text) => [...text].map((sign) => (CONTROL.test(sign) ? "~" : sign)).join(""));
}

/** Generates values that follow a schema. */
export function validOf(schema: Schema): Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(validOf));
  const types = [schema.type ?? []].flat();
  return fc.oneof(...types.map((type) => validOfType(type, schema)));
}

function validOfType(type: string, schema: Schema): Arbitrary<unknown> {
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      if (schema.maximum === undefined && schema.examples !== undefined) {
        return fc.constantFrom(...schema.examples);
      }
      return fc.integer({ min: schema.minimum ?? -(2 ** 31), max: schema.maximum ?? 2 ** 31 });
    case "array":
      return (schema.uniqueItems ? fc.uniqueArray : fc.array)(validOf(schema.items ?? {}), {
        ...{ minLength: schema.minItems ?? 0, maxLength: schema.maxItems ?? 8 },
      });
    case "object":
      return validObject(schema);
    case "string":
      return validString(schema);
    default:
      throw new Error(`no arbitrary for ${type}`);
  }
}

function validString(schema: Schema): Arbitrary<string> {
  const { pattern, examples, format, minLength = 0, maxLength = 64 } = schema;
  if (format === "idn-email" && examples === undefined) return emailAddress();
  // Schemas cannot express some rules, such as public hosts; use their examples.
  const hasMoreRules = pattern === undefined || format === "uri";
  if (!hasMoreRules && !isTextPattern(pattern)) return fc.stringMatching(new RegExp(pattern));
  if (hasMoreRules && examples !== undefined) {
    const shown = fc.constantFrom(...(examples as string[]));
    return format === "idn-email" ? fc.oneof(shown, emailAddress()) : shown;
  }
  return plainText(minLength, maxLength);
}

function emailAddress(): Arbitrary<string> {
  return fc.emailAddress({ size: "small" }).filter((address) => address.indexOf("@") <= 64);
}

function validObject(schema: Schema): Arbitrary<unknown> {
  if (schema.oneOf !== undefined) {
    const { oneOf, examples: _, ...rest } = schema;
    return fc.oneof(...oneOf.map(({ required }) => validObject(only(rest, oneOf, required))));
  }
  // For example, that two fields differ.
  if (schema.examples !== undefined) return fc.constantFrom(...schema.examples);
  const named = Object.entries(schema.properties ?? {});
  const arbitraries = Object.fromEntries(named.map(([name, part]) => [name, validOf(part)]));
  const requiredKeys = schema.required ?? [];
  if (named.length > 0) {
    const record = fc.record(arbitraries, { requiredKeys });
    const [first, ...others] = schema.not?.required ?? [];
    if (first === undefined) return record;
    return record.map(({ [first]: one, ...rest }) =>
      one === undefined || others.every((name) => name in rest) ? rest : { ...rest, [first]: one },
    );
  }
  return fc.dictionary(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.jsonValue({ maxDepth: 5 }),
    {
      maxKeys: 12,
    },
  );
}

/** The schema restricted to one alternative: its fields are required, those of the others are absent. */
function only(schema: Schema, all: { required: string[] }[], required: string[]): Schema {
  const others = all.flatMap((one) => one.required).filter((name) => !required.includes(name));
  const properties = Object.entries(schema.properties ?? {}).filter(
    ([name]) => !others.includes(name),
  );
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    required: [...(schema.required ?? []), ...required],
  };
}

const ODD_VALUES = fc.constantFrom<unknown>(
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  "",
  " ",
  "\u0000",
  "\ud800",
  "a\r\nb",
  "x".repeat(256),
  "x".repeat(100_000),
  "null",
  "__proto__",
  [],
  {},
  [[]],
  [null],
  { length: 1 },
  { toString: "x" },
  "2026-01-01",
  "%00",
  "٣",
  "EMAIL",
  ["EMAIL", "EMAIL"],
);

/** Arbitrary JSON with frequent edge cases. */
export function anything(): Arbitrary<unknown> {
  return fc.oneof(ODD_VALUES, fc.jsonValue({ maxDepth: 6 }), fc.string({ unit: "binary" }));
}

/** A valid value with one or more mutations: dropped, replaced, added or wrapped fields. */
export function brokenOf(schema: Schema): Arbitrary<unknown> {
  return fc
    .tuple(
      validOf(schema),
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), anything()), { minLength: 1, maxLength: 3 }),
    )
    .map(([valid, changes]) => {
      let value = structuredClone(valid);
      // Copy the value: later mutations may change it, and edge cases are reused.
      for (const [place, how, other] of changes) {
        value = changed(value, place, how, structuredClone(other));
      }
      return value;
    });
}

function changed(value: unknown, place: number, how: number, other: unknown): unknown {
  if (typeof value !== "object" || value === null) return how === 0 ? [value] : other;
  const keys = Object.keys(value);
  if (keys.length === 0 || how === 3)
    return Array.isArray(value)
      ? other
      : { ...value, [JSON.stringify(other)?.slice(0, 40) ?? ""]: other };
  const key = keys[place % keys.length]!;
  const record = value as Record<string, unknown>;
  const inner = record[key];
  const goesDeeper = typeof inner === "object" && inner !== null && place % 2 === 0;
  if (how === 0 && !goesDeeper) delete record[key];
  else record[key] = goesDeeper ? changed(inner, place >> 1, how, other) : other;
  return value;
}
