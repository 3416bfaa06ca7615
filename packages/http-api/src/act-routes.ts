import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Act, COMPILED_AT_ONCE, NotAllowed, runAct } from "@belfry/administration/act";
import type { ActHttp } from "@belfry/administration/act-http";
import { Conflict, InvalidInput, NotFound, TooLate } from "@belfry/administration/input-error";
import { listed } from "@belfry/contracts/channels";
import { success, text } from "@belfry/contracts/fields";
import { KEYS_THAT_MAY } from "@belfry/contracts/key-roles";
import { faultsOf, faultText, Problem } from "@belfry/contracts/problems";
import { type TSchema, Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { clientSignal, type KeyChecks, type KeyedAct, keyOf, PLATFORM_KEY } from "./act-access.ts";
import { refusal } from "./authenticate.ts";
import { readCountedBody } from "./read-request.ts";
import { onceByKey } from "./repeated-calls.ts";
import {
  answers,
  IDEMPOTENCY_HEADER,
  KEYED,
  lookOf,
  type Problems,
  REVISION_HEADER,
  TIMED_SIGNATURE_HEADERS,
  TRACE_HEADERS,
  WITH_BODY,
} from "./route-schema.ts";

type Fields = Record<string, unknown>;

/** Fields that name a tenant. If an act does not find it, the key's tenant was deleted during the call. */
const TENANT_FIELDS = ["tenant", "tenantId"];

/**
 * Adds a route for each act. An act's fields come from path, query and body. The app must pass raw bodies and have
 * `bodyText`.
 */
export function actRoutes(
  app: FastifyInstance,
  acts: readonly KeyedAct[],
  { onRequest, preValidation, callerOf }: KeyChecks,
): void {
  for (const { act, http, need } of acts) {
    app.route({
      method: http.method,
      url: http.path,
      schema: schemaOf(act, http, need),
      ...(act.maxBodyBytes !== undefined && { bodyLimit: act.maxBodyBytes }),
      config: { isOfPlatform: need === PLATFORM_KEY },
      onRequest,
      preValidation: [
        ...preValidation,
        ...(http.method === "GET" ? [] : [http.body.length > 0 ? readActBody : readStrayBody]),
      ],
      async handler(request, reply) {
        const signal = clientSignal(reply);
        const caller = { ...callerOf(request), signal, compileAtOnce: COMPILED_AT_ONCE };
        const input = inputOf(request, act, http);
        const work = async () => {
          try {
            return { success: true, data: await asProblem(() => runAct(act, caller, input)) };
          } catch (error) {
            // The client has hung up, so nobody reads the answer.
            if (error === signal.reason) throw new Problem("badRequest", { cause: error });
            throw problemOf(error, request, need, hasRevision(input));
          }
        };
        const { db, services, tenantId } = caller;
        const place = { request, reply, caller: tenantId || hash("sha256", keyOf(request)) };
        const answer = isRepeatable(act, http)
          ? await onceByKey({ db, keys: services.keys }, place, work)
          : await work();
        if (act.underWay?.is(answer.data)) reply.code(202);
        return answer;
      },
    });
  }
}

/** Returns whether a repeated call would do something again, unless it has an Idempotency-Key. */
function isRepeatable({ effect }: Act, { method }: ActHttp): boolean {
  return method === "POST" && effect !== "read";
}

/** Runs an act, and turns the errors that acts throw into Problems of the API. */
export async function asProblem<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidInput) {
      throw new Problem("validation", { message: error.faults.map(faultText) });
    }
    if (error instanceof NotFound) {
      const isGone = TENANT_FIELDS.includes(error.field);
      throw new Problem(isGone ? "unauthorized" : "notFound", { cause: error });
    }
    if (error instanceof TooLate) throw new Problem("conflict", { message: error.message });
    throw error;
  }
}

/** Turns conflicts and missing roles into Problems, and names what was not found, as the command line does. */
function problemOf(
  error: unknown,
  { tenant }: FastifyRequest,
  need: KeyedAct["need"],
  gaveRevision: boolean,
): unknown {
  const { cause } = Object(error) as { cause?: unknown };
  // A tenant's key is deleted with its tenant, so its caller gets the 401 of an unknown key.
  const status = need === PLATFORM_KEY ? [401, 404] : [404];
  const isMissing = error instanceof Problem && status.includes(error.body.statusCode);
  if (isMissing && cause instanceof NotFound) {
    return new Problem("notFound", { message: `${cause.field}: ${cause.message}`, cause });
  }
  if (error instanceof Conflict) {
    const { message } = error;
    return new Problem(gaveRevision ? "preconditionFailed" : "conflict", { message });
  }
  if (error instanceof NotAllowed && need !== PLATFORM_KEY) {
    return new Problem("keyRole", { message: refusal(tenant.keyRole, need) });
  }
  return error;
}

/** Reads the body. An absent one becomes an empty object, because an act may require no field. */
function readActBody(request: FastifyRequest, reply: unknown, done: () => void): void {
  const body = request.body as Buffer | undefined;
  if (body === undefined || body.length === 0) {
    request.body = {};
    done();
  } else {
    readCountedBody(request, reply, done);
  }
}

/** Reads the body of a call without body fields, if it has one, so that the act's check refuses its unknown fields. */
function readStrayBody(request: FastifyRequest, reply: unknown, done: () => void): void {
  if (Buffer.isBuffer(request.body) && request.body.length > 0)
    readCountedBody(request, reply, done);
  else done();
}

/**
 * Returns the input of an act. If the call changes something, its body may have every field; fields of the body must
 * not be in the query. Unknown fields stay in the input, so that the act's check names them. Throws a 422 Problem for a
 * field with two values.
 */
function inputOf(request: FastifyRequest, { input }: Act, http: ActHttp): Fields {
  const isRead = http.method === "GET";
  const body = isRead || request.body === undefined ? {} : request.body;
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new Problem("validation", { message: ["body must be an object"] });
  }
  const query = request.query as Fields;
  // A path may name a tenant although the act of the platform has no such field.
  const params = http.params.filter((name) => name in input.properties);
  const fields: Fields = Object.assign(Object.create(null), body);
  const faults: string[] = [];
  const take = (names: readonly string[], given: unknown, place: string) => {
    for (const name of names) {
      const text = (given as Fields)[name];
      if (text === undefined) continue;
      const value = typed(text, input.properties[name]);
      if (fields[name] !== undefined && !isDeepStrictEqual(fields[name], value)) {
        faults.push(`${name} must not differ between the ${place} and the body`);
      }
      fields[name] = value;
    }
  };
  take(isRead ? http.query : Object.keys(query), query, "query");
  take(params, request.params, "path");
  for (const name of http.body) if (name in query) faults.push(`${name} must be in the body`);
  if (faults.length > 0) throw new Problem("validation", { message: faults });
  for (const name of REVISIONS) fields[name] ??= revisionOf(request, input.properties[name]);
  return fields;
}

/** Fields with the version of the state that a change is based on. */
const REVISIONS = ["revision", "plan"];

function hasRevision(fields: Fields): boolean {
  return REVISIONS.some((name) => fields[name] !== undefined);
}

/** Reads `If-Match: "7"` as the field `revision` or `plan`. */
function revisionOf({ headers }: FastifyRequest, schema: TSchema | undefined): unknown {
  const given = headers["if-match"];
  if (given === undefined || schema === undefined) return undefined;
  return typed(given.replace(/^"(.*)"$/, "$1"), schema);
}

/** Converts text of a path or query to its field's type. Text that does not fit stays, and the check refuses it. */
export function typed(text: unknown, { type }: TSchema = {} as TSchema): unknown {
  const types = [type].flat();
  if (types.includes("array")) return [text].flat();
  if (typeof text !== "string") return text;
  if (types.includes("integer") && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** Returns the schema of some fields of an act, with the values of its example. */
export function fieldsOf(
  { input, example }: Pick<Act, "input" | "example">,
  names: readonly string[],
) {
  const values: Fields = example?.input ?? {};
  const fields = names.map((name): [string, TSchema] => {
    // The path of some acts of the platform names a tenant, which is no field of the act.
    const schema = (input.properties[name] as TSchema | undefined) ?? text();
    const isNamed = schema.examples !== undefined || values[name] === undefined;
    return [name, isNamed ? schema : { ...schema, examples: [values[name]] }];
  });
  return Type.Object(Object.fromEntries(fields));
}

function schemaOf(act: Act, http: ActHttp, need: KeyedAct["need"]) {
  const { params, query, body } = http;
  const { properties } = act.input;
  const { input = {}, output } = act.example ?? {};
  const example = input as Fields;
  const given = Object.fromEntries(
    body.flatMap((name) => (example[name] === undefined ? [] : [[name, example[name]]])),
  );
  const faults = faultsOf(act.input, {}, "input", "").map(faultText);
  const roles =
    need === PLATFORM_KEY
      ? "Needs a platform key."
      : `Needs a key with the role ${listed(KEYS_THAT_MAY[need], "or")}.`;
  const isRevised = hasRevision(properties);
  const problems: Problems = {
    ...KEYED,
    ...(body.length > 0 && WITH_BODY),
    ...(need !== PLATFORM_KEY && { keyRole: { message: refusal("read", need) } }),
    notFound: {},
    ...(act.effect !== "read" && { conflict: {} }),
    ...(isRevised && { preconditionFailed: {} }),
    validation: faults.length > 0 ? { message: faults } : {},
  };
  return {
    ...lookOf(act.name.split(" ", 1)[0] ?? ""),
    headers: Type.Object({
      ...(isRevised && REVISION_HEADER),
      ...(isRepeatable(act, http) && IDEMPOTENCY_HEADER),
      ...(need !== PLATFORM_KEY && TIMED_SIGNATURE_HEADERS),
      ...TRACE_HEADERS,
    }),
    operationId: act.name.replaceAll(/[ -](\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary: act.summary,
    description: [act.description, roles].filter((one) => one !== undefined).join(" "),
    ...(params.length > 0 && { params: fieldsOf(act, params) }),
    ...(query.length > 0 && { querystring: fieldsOf(act, query) }),
    ...(body.length > 0 && {
      body: fieldsOf(act, body),
      "x-examples": { example: { value: given } },
    }),
    response: answers(
      [
        {
          description: "Done, or what was asked for",
          schema: Type.Object({ success, data: act.output }),
          example: { success: true, data: output },
        },
        act.underWay && {
          status: 202,
          description: "The work goes on in the background",
          schema: Type.Object({ success, data: act.output }),
          example: { success: true, data: act.underWay.example },
        },
      ],
      problems,
      { 401: ["WWW-Authenticate"] },
    ),
  };
}
