import { isUtf8 } from "node:buffer";
import { open } from "@belfry/contracts/fields";
import { jsonValues } from "@belfry/contracts/json-values";
import { faultsOf, faultText, Problem, requireChecks } from "@belfry/contracts/problems";
import { type TSchema, Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifyRequest } from "fastify";

const BYTE_ORDER_MARK = 0xfeff;

/** The only parameter that is allowed. It changes nothing, because JSON is UTF-8. */
const UTF8_CHARSET = /^charset\s*=\s*"?utf-?8"?$/;

const utf8 = new TextDecoder("utf-8", { fatal: true });

declare module "fastify" {
  interface FastifyRequest {
    /** The body as it was sent, after `readBody`. */
    bodyText: string;
  }
}

/** For `preValidation`: replaces the raw body by its parsed value. Throws what `readText` and `parseJson` throw. */
export function readBody(request: FastifyRequest, _reply: unknown, done: () => void): void {
  request.bodyText = readText(request);
  request.body = parseJson(request.bodyText);
  done();
}

/** Does the same for a call with a large body: counts its values before parsing. Also throws a 422 Problem. */
export function readCountedBody(request: FastifyRequest, reply: unknown, done: () => void): void {
  const body = request.body as Buffer | undefined;
  // Each value takes at least one byte, so a short body needs no count.
  if (body !== undefined && body.length > MAX_VALUES && jsonValues(body, MAX_VALUES) > MAX_VALUES) {
    throw new Problem("validation", { message: [`body must hold at most ${MAX_VALUES} values`] });
  }
  readBody(request, reply, done);
}

/** Bound for a large body. A bundle has 10,000 texts; parsing millions of values would hold up every other call. */
const MAX_VALUES = 100_000;

interface RawRequest {
  body: unknown;
  headers: { [name: string]: string | string[] | undefined };
}

/** Reads a raw body's text. Throws a 415 Problem for another type than plain JSON, 400 for bytes that are not UTF-8. */
export function readText(request: RawRequest): string {
  const body = Buffer.isBuffer(request.body) ? request.body : undefined;
  // An empty body needs no type: it is not JSON anyway.
  if (body === undefined || body.length === 0) return "";
  requireJson(request.headers);
  if (!isUtf8(body)) throw new Problem("unparsable", { cause: new Error("not UTF-8") });
  const text = body.toString("utf8");
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

function requireJson(headers: { [name: string]: string | string[] | undefined }): void {
  const type = headers["content-type"];
  if (type !== "application/json" && (typeof type !== "string" || !isJson(type))) {
    throw new Problem("unsupportedMediaType");
  }
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    throw new Problem("unsupportedMediaType", {
      message: "Content-Encoding is not supported: send the body as it is",
    });
  }
}

/** Checks each part by itself: one expression for the whole header would backtrack over its spaces. */
function isJson(type: string): boolean {
  const [mediaType, ...parameters] = type.split(";").map((part) => part.trim().toLowerCase());
  return (
    mediaType === "application/json" &&
    parameters.every((part) => part === "" || UTF8_CHARSET.test(part))
  );
}

/**
 * Parses with `JSON.parse` itself: the framework's parser refuses keys such as `constructor` and `__proto__`, which
 * tenants may use. Throws a 400 Problem.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem("unparsable", { cause: error });
  }
}

/**
 * Decodes a header, which Node returns as one character per byte: as UTF-8 if the bytes are valid UTF-8, as most
 * clients send it, else as Latin-1, as browsers and `fetch` send it.
 */
export function headerText(bytes: string): string {
  if (!/[\u0080-\u00ff]/.test(bytes)) return bytes;
  try {
    return utf8.decode(Buffer.from(bytes, "latin1"));
  } catch {
    return bytes;
  }
}

/** The query of a call from the specification that changes something: it ignores unknown parameters and a stray body. */
export const ANY_QUERY = open(Type.Object({}));
const NOTHING = Type.Object({});

/**
 * Checks requests against their routes' schemas, for routes that are registered after this. A 422 Problem lists all
 * faults of path, query and body, whereas Fastify's own validation ends at the first. A call with a tenant's key that
 * changes something may have no unknown fields, even if it documents no query or body. Headers are only documented: the
 * code that reads a header reports its faults.
 */
export function checkRoutes(app: FastifyInstance): void {
  disableSchemaValidation(app);
  app.addHook("onRoute", (route) => {
    const { params, querystring, body, security } = route.schema ?? {};
    const isChange = !["GET", "HEAD"].includes(String(route.method)) && security !== undefined;
    const query = (querystring ?? (isChange ? NOTHING : undefined)) as TSchema | undefined;
    const schemas = Object.entries({ params, query, body } as Record<Part, TSchema | undefined>);
    const parts = schemas.flatMap(([part, schema]): [Part, TSchema][] => {
      if (schema === undefined || schema === ANY_QUERY) return [];
      return [[part as Part, part === "query" && !isChange ? open(schema) : schema]];
    });
    for (const [, schema] of parts) requireChecks(schema);
    const refusesBody = isChange && body === undefined && querystring !== ANY_QUERY;
    if (parts.length === 0 && !refusesBody) return;
    route.preHandler = (request, _reply, done) => {
      const faults = parts.flatMap(([part, schema]) => faultsOf(schema, request[part], part, ""));
      if (refusesBody && Buffer.isBuffer(request.body)) faults.push(...strayFaults(request, query));
      if (faults.length > 0) throw new Problem("validation", { message: faults.map(faultText) });
      done();
    };
  });
}

/** Returns the faults of the body of a call that takes none. */
function strayFaults(request: FastifyRequest, query: TSchema = NOTHING) {
  const text = readText(request);
  const body = text === "" ? {} : parseJson(text);
  return faultsOf(NOTHING, body, "body", "").map(({ field, message }) =>
    Object.hasOwn(query.properties, field)
      ? { field, message: "must be in the query" }
      : { field, message },
  );
}

type Part = "params" | "query" | "body";

/** Makes schemas documentation only: Fastify checks and serialises nothing by them, neither headers nor answers. */
export function disableSchemaValidation(app: FastifyInstance): void {
  app.setValidatorCompiler(() => undefined as never);
  app.setSerializerCompiler(() => JSON.stringify);
  app.setReplySerializer((payload) => JSON.stringify(payload));
}
