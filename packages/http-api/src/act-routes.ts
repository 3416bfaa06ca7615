import {
  type Act,
  type ActServices,
  type Caller,
  NotAllowed,
  runAct,
} from "@belfry/administration/act";
import { type ActHttp, httpOf } from "@belfry/administration/act-http";
import { Conflict, NotFound } from "@belfry/administration/input-error";
import { listed } from "@belfry/contracts/channels";
import { success } from "@belfry/contracts/fields";
import { KEYS_THAT_MAY, type KeyNeed, keyMay } from "@belfry/contracts/key-roles";
import { Problem } from "@belfry/contracts/problems";
import { faultsOf, faultText } from "@belfry/contracts/schema-faults";
import type { Database } from "@belfry/database/connection";
import { type TSchema, Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { answers, KEYED, type Problems, WITH_BODY } from "./answers.ts";
import { asProblem } from "./as-problem.ts";
import { type Authentication, type KeyAccess, refusal } from "./authenticate.ts";
import {
  lookOf,
  REVISION_HEADER,
  TIMED_SIGNATURE_HEADERS,
  TRACE_HEADERS,
} from "./document-parts.ts";
import { readBody } from "./read-body.ts";
import { requireTimedSignature } from "./signature.ts";

type Fields = Record<string, unknown>;

/** An act that API keys may run, with its route. */
export interface KeyedAct {
  act: Act;
  http: ActHttp;
  need: KeyNeed;
}

/** Those below a prefix that an API key may run. */
export function keyedActs(acts: readonly Act[], prefix: string): KeyedAct[] {
  return acts.flatMap((act) => {
    const http = httpOf(act);
    const { scope, key: need } = act.access;
    if (http === undefined || need === undefined || scope !== "tenant") return [];
    return http.path.startsWith(`${prefix}/`) ? [{ act, http, need }] : [];
  });
}

export function accessOf(acts: readonly KeyedAct[]): KeyAccess {
  return Object.fromEntries(acts.map(({ http, need }) => [`${http.method} ${http.path}`, need]));
}

/**
 * A route for each act. The tenant is the key's; fields come from path, query and body, and a path wins over a body.
 * Needs `bodyText` and raw bodies.
 */
export function actRoutes(
  app: FastifyInstance,
  acts: readonly KeyedAct[],
  deps: { authentication: Authentication; db: Database; services: ActServices; now(): Date },
): void {
  const { authentication, db, services, now } = deps;
  for (const { act, http, need } of acts) {
    app.route({
      method: http.method,
      url: http.path,
      schema: schemaOf(act, http, need),
      ...(act.maxBodyBytes !== undefined && { bodyLimit: act.maxBodyBytes }),
      onRequest: authentication.other,
      preValidation: [requireTimedSignature(now), ...(http.body.length > 0 ? [readActBody] : [])],
      async handler(request) {
        const caller = callerOf(request, { db, services });
        const input = inputOf(request, act, http);
        try {
          return { success: true, data: await asProblem(() => runAct(act, caller, input)) };
        } catch (error) {
          throw problemOf(error, request, need, hasRevision(input));
        }
      },
    });
  }
}

/** The program that has the request's key. */
export function callerOf(
  { ip, tenant: { id: tenantId, keyName, keyRole } }: FastifyRequest,
  deps: Pick<Caller, "db" | "services">,
): Caller {
  return {
    ...deps,
    tenantId,
    actor: { personId: null, person: `key ${keyName}`, address: ip, isProgram: true },
    may: ({ scope, key }) => scope === "tenant" && key !== undefined && keyMay(keyRole, key),
  };
}

/** What `asProblem` does not know, and the words of what is not there: a command shows them, too. */
function problemOf(
  error: unknown,
  { tenant }: FastifyRequest,
  need: KeyNeed,
  gaveRevision: boolean,
): unknown {
  const { cause } = Object(error) as { cause?: unknown };
  if (error instanceof Problem && error.body.statusCode === 404 && cause instanceof NotFound) {
    return new Problem("notFound", { message: `${cause.field}: ${cause.message}`, cause });
  }
  if (error instanceof Conflict) {
    const { message } = error;
    return new Problem(gaveRevision ? "preconditionFailed" : "conflict", { message });
  }
  if (error instanceof NotAllowed) {
    return new Problem("keyRole", { message: refusal(tenant.keyRole, need) });
  }
  return error;
}

/** An act may have no field that must be given: then no body is none of them. */
function readActBody(request: FastifyRequest, reply: unknown, done: () => void): void {
  if (request.body === undefined || (request.body as Buffer).length === 0) {
    request.body = {};
    done();
  } else readBody(request, reply, done);
}

function inputOf(request: FastifyRequest, { input }: Act, http: ActHttp): Fields {
  const body = http.body.length === 0 ? {} : request.body;
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new Problem("validation", { message: ["body must be an object"] });
  }
  const fields: Fields = {};
  const take = (names: readonly string[], given: unknown, isText: boolean) => {
    for (const name of names) {
      const value = (given as Fields)[name];
      if (value === undefined) continue;
      fields[name] = isText ? typed(value, input.properties[name]) : value;
    }
  };
  take(http.body, body, false);
  take(http.query, request.query, true);
  take(http.params, request.params, true);
  for (const name of REVISIONS) fields[name] ??= revisionOf(request, input.properties[name]);
  return fields;
}

/** Fields that say on what a change is based. */
const REVISIONS = ["revision", "plan"];

function hasRevision(fields: Fields): boolean {
  return REVISIONS.some((name) => fields[name] !== undefined);
}

/** `If-Match: "7"` says the same as the field. */
function revisionOf({ headers }: FastifyRequest, schema: TSchema | undefined): unknown {
  const given = headers["if-match"];
  if (given === undefined || schema === undefined) return undefined;
  return typed(given.replace(/^"(.*)"$/, "$1"), schema);
}

/** The text of a path or query as the field has it; text that is no such value stays, and is told as a fault. */
function typed(text: unknown, { type }: TSchema = {} as TSchema): unknown {
  const types = [type].flat();
  if (types.includes("array")) return [text].flat();
  if (typeof text !== "string") return text;
  if (types.includes("integer") && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  return text;
}

function schemaOf(act: Act, { params, query, body }: ActHttp, need: KeyNeed) {
  const { properties } = act.input;
  const { input = {}, output } = act.examples[0] ?? {};
  const example = input as Fields;
  const of = (names: readonly string[]) => {
    const fields = names.map((name): [string, TSchema] => {
      const schema = properties[name] as TSchema;
      const isNamed = schema.examples !== undefined || example[name] === undefined;
      return [name, isNamed ? schema : { ...schema, examples: [example[name]] }];
    });
    return Type.Object(Object.fromEntries(fields));
  };
  const given = Object.fromEntries(
    body.flatMap((name) => (example[name] === undefined ? [] : [[name, example[name]]])),
  );
  const faults = faultsOf(act.input, {}, "input", "").map(faultText);
  const roles = `Needs a key with the role ${listed(KEYS_THAT_MAY[need], "or")}.`;
  const isRevised = hasRevision(properties);
  const problems: Problems = {
    ...KEYED,
    ...(body.length > 0 && WITH_BODY),
    keyRole: { message: refusal("read", need) },
    notFound: {},
    ...(act.effect !== "read" && { conflict: {} }),
    ...(isRevised && { preconditionFailed: {} }),
    validation: faults.length > 0 ? { message: faults } : {},
  };
  return {
    ...lookOf(act.name.split(" ", 1)[0] ?? ""),
    headers: Type.Object({
      ...(isRevised && REVISION_HEADER),
      ...TIMED_SIGNATURE_HEADERS,
      ...TRACE_HEADERS,
    }),
    operationId: act.name.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary: act.summary,
    description: [act.description, roles].filter((one) => one !== undefined).join(" "),
    ...(params.length > 0 && { params: of(params) }),
    ...(query.length > 0 && { querystring: of(query) }),
    ...(body.length > 0 && {
      body: of(body),
      "x-examples": { example: { value: given } },
    }),
    response: answers(
      {
        description: "Done, or what was asked for",
        schema: Type.Object({ success, data: act.output }),
        example: { success: true, data: output },
      },
      problems,
      { 401: ["WWW-Authenticate"] },
    ),
  };
}
