import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { document } from "./document.ts";

/** An HTTP answer. */
interface ObservedResponse {
  method: string;
  /** The path, with or without a query. */
  path: string;
  status: number;
  headers: Headers;
  /** The body as text; "" if there is none. */
  body: string;
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema({ $id: "api", components: { schemas: closed(document.components.schemas) } });
const validators = new Map<string, ValidateFunction>();

const patterns = Object.entries(document.paths).map(([path, operations]) => ({
  pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]*")}$`),
  operations,
}));

/** The statuses allowed for unknown paths, and for unknown methods besides 405. */
const OF_NO_PATH = [400, 404, 408, 414, 431];
const OF_NO_METHOD = [400, 405, 408, 414, 431];

/**
 * Throws where an answer is not what the document says of the endpoint: its status, headers,
 * content type and body, a field that is not documented included.
 */
export function checkResponse(response: ObservedResponse): void {
  const where = `${response.method} ${response.path.slice(0, 200)} → ${response.status}`;
  const fail = (what: string): never => {
    throw new Error(`${where}: ${what}; body ${response.body.slice(0, 500)}`);
  };
  const path = response.path.split("?", 1)[0] ?? "";
  const exact = document.paths[path];
  const found =
    exact === undefined
      ? patterns.filter(({ pattern }) => pattern.test(path))
      : [{ operations: exact }];
  const method = response.method.toLowerCase();
  const operation = found
    .map(({ operations }) => operations[method] ?? (method === "head" ? operations.get : undefined))
    .find((one) => one !== undefined);
  if (operation === undefined) {
    const allowed = found.length === 0 ? OF_NO_PATH : OF_NO_METHOD;
    if (!allowed.includes(response.status)) fail(`not one of ${allowed}`);
    if (response.status === 405 && !response.headers.get("allow")) fail("405 without Allow");
    checkHeader(response, "X-Trace-Id", fail);
    if (method !== "head") checkProblem(response, fail);
    return;
  }
  const documented = operation.responses[response.status];
  if (documented === undefined) throw new Error(`${where}: the status is not documented`);
  for (const name of Object.keys(documented.headers)) checkHeader(response, name, fail);
  if (method === "head") return;
  const type = response.headers.get("content-type") ?? "";
  const content = documented.content[type];
  if (content === undefined) throw new Error(`${where}: content type ${type}`);
  if (content.schema.$ref !== undefined) checkBody(response, content.schema.$ref, fail);
  if (response.status >= 400) checkProblem(response, fail);
}

function checkHeader(response: ObservedResponse, name: string, fail: (what: string) => never) {
  const header = document.components.headers[name]!;
  const value = response.headers.get(name);
  if (value === null) {
    if (header.required) fail(`no header ${name}`);
  } else if (!ajv.validate(header.schema, value)) {
    fail(`header ${name}: ${value}`);
  }
}

function checkProblem(response: ObservedResponse, fail: (what: string) => never): void {
  const body = checkBody(response, "#/components/schemas/Problem", fail);
  const { statusCode, retryAfter } = body as { statusCode: number; retryAfter?: number };
  if (statusCode !== response.status) fail("statusCode is not the status");
  if ((response.status === 429) !== (retryAfter !== undefined)) fail("retryAfter is of 429");
  const header = response.headers.get("retry-after");
  if (retryAfter !== undefined && String(retryAfter) !== header) fail("Retry-After differs");
}

function checkBody(
  response: ObservedResponse,
  ref: string,
  fail: (what: string) => never,
): unknown {
  let body: unknown;
  try {
    body = JSON.parse(response.body);
  } catch {
    fail("the body is not JSON");
  }
  const validate = validators.get(ref) ?? ajv.compile({ $ref: `api${ref}` });
  validators.set(ref, validate);
  if (!validate(body)) fail(ajv.errorsText(validate.errors));
  return body;
}

/** The same schemas, with additional properties forbidden. */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T;
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  );
  const isObject = copy.type === "object" && copy.properties !== undefined;
  return (isObject ? { additionalProperties: false, ...copy } : copy) as T;
}
