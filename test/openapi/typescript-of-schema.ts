/** The part of JSON Schema that the management document uses. */
export interface TypedSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: TypedSchema[];
  properties?: Record<string, TypedSchema>;
  required?: string[];
  additionalProperties?: TypedSchema;
  patternProperties?: Record<string, TypedSchema>;
  items?: TypedSchema;
  description?: string;
}

/** Returns the unformatted TypeScript type of a schema. A reference becomes the name of an interface. */
export function typeOf(schema: TypedSchema): string {
  const { $ref, anyOf, enum: values, type } = schema;
  if ($ref !== undefined) return nameOf($ref);
  if (anyOf !== undefined) return union(anyOf.map(typeOf));
  if (values !== undefined) return union(values.map((value) => JSON.stringify(value)));
  if (type === undefined) return "unknown";
  return union([type].flat().map((one) => typeOfKind(one, schema)));
}

function typeOfKind(type: string, schema: TypedSchema): string {
  if (type === "array") return `(${typeOf(schema.items ?? {})})[]`;
  if (type === "integer" || type === "number") return "number";
  if (type !== "object") return type;
  const fields = fieldsOf(schema);
  if (fields !== "") return `{\n${fields}}`;
  const { patternProperties, additionalProperties } = schema;
  const values = additionalProperties ?? Object.values(patternProperties ?? {})[0] ?? {};
  return `Record<string, ${typeOf(values)}>`;
}

/** The fields of an object, one or more lines each, except those in `without`. */
export function fieldsOf(
  { properties = {}, required = [] }: TypedSchema,
  without: TypedSchema = {},
): string {
  return Object.entries(properties)
    .filter(([name]) => without.properties?.[name] === undefined)
    .map(([name, field]) => {
      const mark = required.includes(name) ? "" : "?";
      const about = field.description ?? field.anyOf?.[0]?.description;
      return `${comment(about)}${name}${mark}: ${typeOf(field)};\n`;
    })
    .join("");
}

/** Whether a schema has all fields of another and more, so that its interface can extend the other's. */
export function hasAllOf(schema: TypedSchema, other: TypedSchema): boolean {
  const theirs = Object.entries(other.properties ?? {});
  return (
    theirs.length < Object.keys(schema.properties ?? {}).length &&
    theirs.every(
      ([name, field]) =>
        JSON.stringify(schema.properties?.[name]) === JSON.stringify(field) &&
        schema.required?.includes(name) === other.required?.includes(name),
    )
  );
}

export function comment(text: string | undefined): string {
  return text === undefined ? "" : `/** ${text.replaceAll("*/", "*\\/")} */\n`;
}

export function nameOf($ref: string): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}

function union(types: string[]): string {
  return [...new Set(types)].join(" | ");
}
