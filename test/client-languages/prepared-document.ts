/** The part of an OpenAPI 3.1 document that the generators of clients read. */
export interface PreparedDocument {
  openapi: string;
  info: object;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { headers?: object; content: Record<string, { schema: Schema }> }>;
  [extension: `x-${string}`]: unknown;
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  patternProperties?: Record<string, Schema>;
  additionalProperties?: unknown;
  nullable?: boolean;
  [other: string]: unknown;
}

const SIGNATURE_HEADER = "X-Service-Signature";
const KEY_HEADERS = ["X-Idempotency-Key", "Idempotency-Key"];
/** Rules for values. They are no part of a type, and Belfry checks them. */
const RULES = ["not", "oneOf", "allOf", "pattern", "propertyNames"];

/**
 * Returns a copy of a document that the generators can read: the calls with JSON below `basePath`, each with its
 * successful answer, which gets a name. Enumerations in answers become texts, so that a client accepts the values that
 * a later Belfry adds.
 */
export function preparedDocument(given: object, basePath: string): PreparedDocument {
  const { openapi, info, paths: all, components } = structuredClone(given) as PreparedDocument;
  const { schemas } = components;
  const paths: PreparedDocument["paths"] = {};
  const answers: unknown[] = [];
  for (const [path, operations] of Object.entries(all)) {
    if (!path.startsWith(basePath) || path === `${basePath}/openapi.json`) continue;
    for (const [method, operation] of Object.entries(operations)) {
      const { operationId, requestBody, responses } = operation;
      operation.parameters = operation.parameters.filter(
        (one) => one.in !== "header" || [SIGNATURE_HEADER, ...KEY_HEADERS].includes(one.name),
      );
      const [status, answer] = Object.entries(responses).find(([one]) => one < "300")!;
      const { schema } = Object.entries(answer.content).find(([type]) =>
        type.startsWith("application/json"),
      )![1];
      const name = schema.$ref?.split("/").at(-1) ?? `${capital(operationId)}Answer`;
      if (schema.$ref === undefined) schemas[name] = { title: name, ...schema };
      const content = { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } };
      operation.responses = { [status]: { ...answer, headers: {}, content } };
      answers.push(content);
      // The clients send files by hand.
      if (requestBody !== undefined && !requestBody.content["application/json"]) continue;
      paths[path] = { ...paths[path], [method]: operation };
    }
  }
  visit(answers, schemas, (one) => delete one.enum);
  const used = visit([paths, answers], schemas, withoutRules);
  const kept = Object.entries(schemas).filter(([, schema]) => used.has(schema));
  return { openapi, info, paths, components: { schemas: Object.fromEntries(kept) } };
}

/** Changes a prepared document for Go: an absent value is a zero value or a nil pointer there, and a union is `any`. */
export function forGo(document: PreparedDocument): PreparedDocument {
  visit(document.paths, document.components.schemas, goTypes);
  for (const operation of Object.values(document.paths).flatMap((one) => Object.values(one))) {
    const headers = operation.parameters.filter((one) => one.in === "header");
    operation["x-signed"] = headers.some(({ name }) => name === SIGNATURE_HEADER);
    operation["x-key-header"] = headers.find(({ name }) => KEY_HEADERS.includes(name))?.name ?? "";
    operation.parameters = operation.parameters.filter((one) => one.in !== "header");
  }
  return Object.assign(document, { openapi: "3.0.3" });
}

function withoutRules(one: Schema): void {
  for (const name of RULES) delete one[name];
  if (one.format !== "date-time") delete one.format;
  if (one.patternProperties !== undefined) {
    [one.additionalProperties] = Object.values(one.patternProperties);
    delete one.patternProperties;
  }
}

function goTypes(one: Schema): void {
  const { type, anyOf } = one;
  if (anyOf !== undefined) {
    const types = anyOf.filter((some) => some.type !== "null");
    delete one.anyOf;
    if (types.every((some) => some.type === "string")) one.type = ["string", "null"];
    else if (types.length === 1) Object.assign(one, types[0], { nullable: true });
  }
  if (Array.isArray(type ?? one.type)) {
    one.type = [type ?? one.type].flat().find((some) => some !== "null")!;
    one.nullable = true;
  }
  const isMap = one.type === "object" && Object.keys(one.properties ?? {}).length === 0;
  // An empty list and false say something else than an absent one.
  if (one.type === "array" || isMap)
    Object.assign(one, { "x-omitempty": false, "x-omitzero": true });
  else if (one.type !== "string" || one.nullable) one["x-go-type-skip-optional-pointer"] = false;
}

/** Calls `change` with every schema below a value, once, also behind references. Returns the schemas. */
function visit(
  value: unknown,
  schemas: Record<string, Schema>,
  change: (one: Schema) => void,
  seen = new Set<unknown>(),
): Set<unknown> {
  if (typeof value !== "object" || value === null || seen.has(value)) return seen;
  seen.add(value);
  const one = value as Schema;
  if (typeof one.$ref === "string")
    visit(schemas[one.$ref.split("/").at(-1)!], schemas, change, seen);
  if (isSchema(one)) {
    delete one.examples;
    change(one);
  }
  for (const below of Object.values(one)) visit(below, schemas, change, seen);
  return seen;
}

/** Properties may have the names of keywords: a schema's own keywords have these types. */
function isSchema({ type, anyOf, not, title }: Schema): boolean {
  const isType = typeof type === "string" || Array.isArray(type);
  return isType || Array.isArray(anyOf) || not !== undefined || typeof title === "string";
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
