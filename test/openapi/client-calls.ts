import {
  comment,
  fieldsOf,
  hasAllOf,
  nameOf,
  type TypedSchema,
  typeOf,
} from "./typescript-of-schema.ts";

/** The part of OpenAPI 3.1 that the client's calls depend on. */
export interface CallsDocument {
  paths: Record<string, Record<string, CallsOperation>>;
  components: { schemas: Record<string, TypedSchema> };
}

interface CallsOperation {
  operationId: string;
  summary: string;
  description?: string;
  parameters: {
    name: string;
    in: string;
    required: boolean;
    description?: string;
    schema: TypedSchema;
  }[];
  requestBody?: { content: Record<string, { schema: TypedSchema }> };
  responses: Record<string, { content: Record<string, { schema: TypedSchema }> }>;
}

/** Makes fields that the call does not have a type error. */
const NO_INPUT = "Record<string, never>";

interface Call {
  name: string;
  about: string[];
  /** The fields of path and query; those of a body without a name as well. */
  input: TypedSchema;
  body: TypedSchema;
  answer: TypedSchema;
  row: {
    method: string;
    path: string;
    query?: string[];
    pages?: string;
    hasBody?: true;
    isSigned?: true;
  };
}

/** One of the client's two files of calls. */
export interface CallsFile {
  /** Comment at the beginning of the file, without its last sentence. */
  about: string;
  /** Begins the names that the file exports. */
  prefix: "Management" | "Tenant";
  /** The paths of the calls begin with it. */
  basePath: string;
  /** Whether the client returns only the field `data` of an answer. */
  isDataOnly: boolean;
}

/** Returns the unformatted source of a file of calls in `packages/client/src`. */
export function clientCalls(document: CallsDocument, file: CallsFile): string {
  const { prefix, basePath } = file;
  const calls = Object.entries(document.paths)
    .filter(([path]) => path.startsWith(basePath) && path !== `${basePath}/openapi.json`)
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) =>
        callOf(method, path.slice(basePath.length), operation, file),
      ),
    );
  calls.sort((one, other) => (one.name < other.name ? -1 : 1));
  return `${headOf(file)}
${interfaces(document.components.schemas, calls)}

/** The input and answer of each call, by its name. */
export interface ${prefix}Calls {
${calls.map((call) => typesOf(call, file)).join("")}}

/** The method and path of a call. Input fields that are neither in the path nor in the query are its JSON body. */
export interface ${prefix}Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below ${basePath}, with fields in braces. */
  path: string;
  query?: readonly string[];
${
  file.isDataOnly
    ? `/** Of a list in pages: the field of the data that has them. */
  pages?: string;`
    : `/** Whether the call has a body, if only an empty object. */
  hasBody?: true;
  /** Whether the call is signed if the tenant has a webhook secret. */
  isSigned?: true;`
}
}

export const ${prefix.toUpperCase()}_ROUTES: Readonly<Record<keyof ${prefix}Calls, ${prefix}Route>> = {
${calls.map(({ name, row }) => `${name}: ${JSON.stringify(row)},\n`).join("")}};
`;
}

function headOf({ about }: CallsFile): string {
  return `/**
 * ${about} Generated from its OpenAPI document, and held true by a test:
 * node test/run.ts --test-update-snapshots test/openapi/client-calls.test.ts
 */
`;
}

function callOf(method: string, path: string, operation: CallsOperation, file: CallsFile): Call {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const inAddress = parameters.filter((one) => one.in !== "header");
  const isSigned = parameters.some(({ name }) => name === "X-Service-Signature");
  const body = schemaIn(requestBody?.content);
  const input = {
    properties: {
      ...Object.fromEntries(inAddress.map(({ name, ...one }) => [name, described(one)])),
      ...body.properties,
    },
    required: [
      ...inAddress.filter(({ required }) => required).map(({ name }) => name),
      ...(body.required ?? []),
    ],
  };
  const whole = schemaIn(Object.entries(responses).find(([status]) => status < "300")?.[1].content);
  const answer = file.isDataOnly ? (whole.properties?.data ?? {}) : whole;
  const query = inAddress.filter((one) => one.in === "query").map(({ name }) => name);
  const pages = file.isDataOnly && query.includes("after") ? listIn(answer) : undefined;
  return {
    name: operationId,
    about: [summary, description ?? []].flat(),
    input,
    body,
    answer,
    row: {
      method: method.toUpperCase(),
      path,
      ...(query.length > 0 && { query }),
      ...(pages !== undefined && { pages }),
      ...(!file.isDataOnly && body.$ref !== undefined && { hasBody: true }),
      ...(!file.isDataOnly && isSigned && { isSigned }),
    },
  };
}

function schemaIn(content: Record<string, { schema: TypedSchema }> = {}): TypedSchema {
  return Object.values(content)[0]?.schema ?? {};
}

function described({ schema, description }: { schema: TypedSchema; description?: string }) {
  return description === undefined ? schema : { ...schema, description };
}

/** The field of a page that holds its rows. */
function listIn({ properties = {} }: TypedSchema): string | undefined {
  return Object.keys(properties).find((name) => properties[name]?.type === "array");
}

function typesOf({ name, about, input, body, answer, row }: Call, file: CallsFile): string {
  const pages = row.pages === undefined ? "" : `pages: ${JSON.stringify(row.pages)};\n`;
  const fields = fieldsOf(input);
  const parts = [fields && `{\n${fields}}`, body.$ref && typeOf(body)].filter((part) => part);
  const given = parts.join(" & ") || NO_INPUT;
  const field = file.isDataOnly ? "data" : "answer";
  return `/**\n${about.map((line) => ` * ${line}\n`).join("")} */\n${name}: {\ninput: ${given};\n${field}: ${typeOf(answer)};\n${pages}};\n`;
}

/** Orders the schemas so that each comes after the one it extends. */
function interfaces(schemas: Record<string, TypedSchema>, calls: readonly Call[]): string {
  const used = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { $ref } = node as TypedSchema;
    if (typeof $ref === "string" && !used.has(nameOf($ref))) {
      used.add(nameOf($ref));
      visit(schemas[nameOf($ref)]);
    }
    Object.values(node).forEach(visit);
  };
  visit(calls);
  const named = Object.entries(schemas)
    .filter(([name]) => used.has(name))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return named
    .map(([name, schema]) => {
      const [base, of] = named
        .filter(([, other]) => sizeOf(other) > 1 && hasAllOf(schema, other))
        .reduce<[string, TypedSchema] | []>(
          (most, one) => (sizeOf(one[1]) > sizeOf(most[1]) ? one : most),
          [],
        );
      const head = base === undefined ? name : `${name} extends ${base}`;
      return `${comment(schema.description)}export interface ${head} {\n${fieldsOf(schema, of)}}\n`;
    })
    .join("\n");
}

function sizeOf(schema: TypedSchema = {}): number {
  return Object.keys(schema.properties ?? {}).length;
}
