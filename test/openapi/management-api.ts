import { MANAGE_PATH } from "@belfry/administration/act-http";
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
  description: string;
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
  input: TypedSchema;
  data: TypedSchema;
  row: { method: string; path: string; query?: string[]; pages?: string };
}

/** Returns the unformatted source of `packages/client/src/management-api.ts`. */
export function managementApi(document: CallsDocument): string {
  const calls = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      // The call that serves the document returns no data.
      .filter(([, { operationId }]) => operationId !== "managementOpenapi")
      .map(([method, operation]) => callOf(method, path, operation)),
  );
  calls.sort((one, other) => (one.name < other.name ? -1 : 1));
  return `${HEAD}
${interfaces(document.components.schemas, calls)}

/** What each call takes and answers, by its name. */
export interface ManagementCalls {
${calls.map(typesOf).join("")}}

/** Where a call goes. Fields of its input that are neither in the path nor in the query are its JSON body. */
export interface ManagementRoute {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below ${MANAGE_PATH}; a field in braces. */
  path: string;
  query?: readonly string[];
  /** Of a list in pages: the field of the data that has them. */
  pages?: string;
}

export const MANAGEMENT_ROUTES: Readonly<Record<keyof ManagementCalls, ManagementRoute>> = {
${calls.map(({ name, row }) => `${name}: ${JSON.stringify(row)},\n`).join("")}};
`;
}

const HEAD = `/**
 * The calls of the management API. Generated from its OpenAPI document, and held true by a test:
 * node test/run.ts --test-update-snapshots test/openapi/management-api.test.ts
 */
`;

function callOf(method: string, path: string, operation: CallsOperation): Call {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const inAddress = parameters.filter((one) => one.in !== "header");
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
  const data = schemaIn(responses[200]?.content).properties?.data ?? {};
  const query = inAddress.filter((one) => one.in === "query").map(({ name }) => name);
  const pages = query.includes("after") ? listIn(data) : undefined;
  return {
    name: operationId,
    about: [summary, description],
    input,
    data,
    row: {
      method: method.toUpperCase(),
      path: path.slice(MANAGE_PATH.length),
      ...(query.length > 0 && { query }),
      ...(pages !== undefined && { pages }),
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

function typesOf({ name, about, input, data, row }: Call): string {
  const pages = row.pages === undefined ? "" : `pages: ${JSON.stringify(row.pages)};\n`;
  const given =
    Object.keys(input.properties ?? {}).length > 0 ? `{\n${fieldsOf(input)}}` : NO_INPUT;
  return `/**\n${about.map((line) => ` * ${line}\n`).join("")} */\n${name}: {\ninput: ${given};\ndata: ${typeOf(data)};\n${pages}};\n`;
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
        .filter(([, other]) => hasAllOf(schema, other))
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
