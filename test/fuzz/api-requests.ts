import fc, { type Arbitrary } from "fast-check";
import { document, type Operation, type Parameter } from "../openapi/document.ts";
import { anything, brokenOf, plainText, type Schema, validOf } from "./arbitrary-of-schema.ts";

/** One HTTP request. */
export interface ApiRequest {
  method: string;
  /** The encoded path and query. */
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
  /** Whether the request is valid by the document; if so, the answer must not be 422. */
  isValid: boolean;
}

/** Existing objects that generated requests refer to. */
export interface Known {
  apiKey: string;
  tenantId: string;
  userId: string;
  /** The ids of an event and of its notification. */
  id: string;
}

/** Requests to every endpoint of the document, drawn from its own schemas: valid and broken. */
export function apiRequests(known: Known): Arbitrary<ApiRequest> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      operationRequests(method.toUpperCase(), path, operation, known),
    ),
  );
  return fc.oneof(
    { weight: 8, arbitrary: fc.oneof(...operations) },
    { weight: 1, arbitrary: wanderings(known) },
  );
}

function operationRequests(method: string, template: string, operation: Operation, known: Known) {
  const { content } = operation.requestBody ?? {};
  /** The body is a file, of whatever type. */
  const takesFile = content !== undefined && "*/*" in content;
  const schemaName = content?.["application/json"]?.schema.$ref.split("/").at(-1);
  const schema = schemaName === undefined ? undefined : document.components.schemas[schemaName];
  const { parameters } = operation;
  const valid = fc.record({
    method: fc.constant(method),
    parameters: parameterValues(parameters, known, false),
    key: fc.constant<string | undefined>(known.apiKey),
    type: takesFile
      ? fc.constantFrom<string | undefined>("application/pdf", "text/calendar; method=REQUEST")
      : fc.constantFrom<string | undefined>("application/json", "application/json; charset=utf-8"),
    body: takesFile
      ? fc.uint8Array({ minLength: 1, maxLength: 300_000 })
      : schema === undefined
        ? fc.constant<string | Uint8Array>("")
        : validOf(schema).map((value) => JSON.stringify(value)),
    isValid: fc.constant(true),
  });
  const broken = fc.record({
    method: fc.oneof(
      { weight: 12, arbitrary: fc.constant(method) },
      {
        weight: 1,
        arbitrary: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
      },
    ),
    parameters: parameterValues(parameters, known, true),
    key: fc.oneof(
      { weight: 20, arbitrary: fc.constant<string | undefined>(known.apiKey) },
      { weight: 1, arbitrary: fc.oneof(fc.constant(undefined), headerText()) },
    ),
    type: fc.oneof(
      { weight: 8, arbitrary: fc.constant<string | undefined>("application/json") },
      {
        weight: 1,
        arbitrary: fc.oneof(fc.constant(undefined), fc.constant("text/plain"), headerText()),
      },
    ),
    body: brokenBody(schema),
    isValid: fc.constant(false),
  });
  return fc.oneof(valid, broken).map(({ parameters: values, key, type, ...rest }) => ({
    method: rest.method,
    path: pathOf(template, parameters, values),
    headers: {
      ...headersOf(parameters, values),
      ...(key === undefined ? {} : { "x-api-key": key }),
      ...(type === undefined ? {} : { "content-type": type }),
    },
    body: rest.body,
    isValid: rest.isValid,
  }));
}

function brokenBody(schema: Schema | undefined): Arbitrary<string | Uint8Array> {
  const json = (schema === undefined ? anything() : brokenOf(schema)).map(
    (value) => JSON.stringify(value) ?? "",
  );
  const mangled = fc
    .tuple(json, fc.nat(), fc.string({ unit: "binary", maxLength: 4 }))
    .map(([text, at, piece]) => {
      const place = text.length === 0 ? 0 : at % text.length;
      return text.slice(0, place) + piece + text.slice(place + 1);
    });
  return fc.oneof(
    { weight: 6, arbitrary: json },
    { weight: 2, arbitrary: mangled },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    { weight: 1, arbitrary: fc.constant("") },
  );
}

type Values = (string | undefined)[];

function parameterValues(
  parameters: Parameter[],
  known: Known,
  isBroken: boolean,
): Arbitrary<Values> {
  const values = parameters.map((parameter) => {
    const good =
      parameter.name === "X-File-Name"
        ? fc.constantFrom("a.pdf", "%E5%8F%91%E7%A5%A8%20%22a%22", "x".repeat(255))
        : parameter.schema.enum !== undefined || ["status", "after"].includes(parameter.name)
          ? validOf(parameter.schema).map(asText)
          : fc.oneof(knownValue(parameter, known), validOf(parameter.schema).map(asText));
    const present = parameter.in === "header" ? good.map(latin1) : good;
    const optional = parameter.required ? present : fc.oneof(fc.constant(undefined), present);
    if (!isBroken) return optional;
    const odd =
      parameter.in === "header"
        ? headerText()
        : fc.oneof(fc.string({ unit: "binary" }), anything().map(asText));
    return fc.oneof({ weight: 4, arbitrary: optional }, { weight: 1, arbitrary: odd });
  });
  return fc.tuple(...values);
}

function knownValue({ name }: Parameter, known: Known): Arbitrary<string> {
  if (name === "tenantId") return fc.constant(known.tenantId);
  if (name === "userId") return fc.oneof(fc.constant(known.userId), plainText(1, 255));
  if (name === "eventId" || name === "notificationId") return fc.constant(known.id);
  if (name === "limit" || name === "offset") return fc.nat({ max: 20 }).map((n) => String(n + 1));
  return fc.constantFrom("known-1", "known-2");
}

function pathOf(template: string, parameters: Parameter[], values: Values): string {
  let path = template;
  const query: string[] = [];
  for (const [index, parameter] of parameters.entries()) {
    const value = values[index];
    if (value === undefined) continue;
    const encoded = percentEncoded(value);
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, () => encoded);
    if (parameter.in === "query") query.push(`${parameter.name}=${encoded}`);
  }
  return query.length === 0 ? path : `${path}?${query.join("&")}`;
}

/** As `encodeURIComponent`, with lone surrogates as the bytes that nobody may send. */
function percentEncoded(text: string): string {
  return text.isWellFormed()
    ? encodeURIComponent(text)
    : [...text]
        .map((sign) => (sign.isWellFormed() ? encodeURIComponent(sign) : "%ed%a0%80"))
        .join("");
}

function headersOf(parameters: Parameter[], values: Values): Record<string, string> {
  const headers = parameters.flatMap((parameter, index) => {
    const value = values[index];
    return parameter.in === "header" && value !== undefined ? [[parameter.name, value]] : [];
  });
  return Object.fromEntries(headers);
}

/** A header is bytes: what is beyond Latin-1 is left out; blanks at its ends are not its own. */
function latin1(text: string): string {
  return text.replaceAll(/[^\u0021-\u007e\u00a0-\u00ff]/gu, "x").trim() || "x";
}

function headerText(): Arbitrary<string> {
  return fc
    .string({ unit: "binary-ascii", maxLength: 300 })
    .map((text) => text.replaceAll(/[\u0000-\u001f\u007f]/g, "\t"));
}

/** Paths that lead nowhere, or almost somewhere. */
function wanderings(known: Known): Arbitrary<ApiRequest> {
  const segment = fc.oneof(
    fc.constantFrom(
      "api",
      "v1",
      "events",
      "trigger",
      "notifications",
      "auth",
      "docs",
      "..",
      "%2e%2e",
      "%00",
      "",
      known.tenantId,
      known.id,
    ),
    fc.string({ unit: "binary", maxLength: 30 }).map(percentEncoded),
    fc.string({ maxLength: 10 }).map((text) => text.replaceAll(/[^\u0021-\u007e]|[#?]/g, "%")),
  );
  return fc.record({
    method: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
    path: fc.array(segment, { maxLength: 8 }).map((parts) => `/${parts.join("/")}`),
    headers: fc.constant({ "x-api-key": known.apiKey, "content-type": "application/json" }),
    body: fc.oneof(fc.constant(""), fc.constant("{}")),
    isValid: fc.constant(false),
  });
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
