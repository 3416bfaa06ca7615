import { type Act, type ActServices, runAct } from "@belfry/administration/act";
import { httpOf } from "@belfry/administration/act-http";
import { Problem } from "@belfry/contracts/problems";
import type { Database } from "@belfry/database/connection";
import { asProblem, typed } from "@belfry/http-api/act-routes";
import { type Authentication, requireSignature } from "@belfry/http-api/authenticate";
import { headerText, readCountedBody } from "@belfry/http-api/read-request";
import {
  answers,
  KEYED,
  lookOf,
  type Problems,
  signedOf,
  unsent,
  WITH_BODY,
  WITHOUT_BODY,
} from "@belfry/http-api/route-schema";
import { hasChangingNumber, parseAsWritten } from "@belfry/templates/language/event-variables";
import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** How a tenant's backend calls an act, where that is not what the act itself says. */
export interface ActRoute<I extends TObject, O extends TSchema, A extends TSchema> {
  operationId: string;
  tag: string;
  /** Default: the act's. */
  summary?: string;
  description?: string;
  /** Default: the act's fields that are in its path. */
  params?: TObject;
  /** Absent: the call has none. */
  querystring?: TObject;
  body?: TObject;
  /** Fields that are in headers, each with the header's name. */
  headers?: Readonly<Record<string, string>>;
  /** Numbers of the body stay as they are written, which parsing may change. */
  keepsNumbers?: boolean;
  /** Examples of a body, by name. Default: the act's own. */
  examples?: Record<string, { value: unknown }>;
  answer: { status?: number; description: string; schema: A };
  /** Beside those of every call with a key. */
  problems?: Problems;
  maxBodyBytes?: number;
  /** Paths that match this route and belong to others, with the methods that they know: any other is 405. */
  reserved?: Readonly<Record<string, string>>;
  /** Throws a Problem for an input that the act would refuse in another way. */
  checkInput?(input: Static<I>): void;
  /** Writes the answer. Default: the output as `data`. */
  answerOf?(output: Static<O>, input: Static<I>): Static<A>;
  /** Adds to the request's log line. */
  logFieldsOf?(output: Static<O>, input: Static<I>): Record<string, unknown>;
  /** Turns an error of the act into a Problem; undefined: it is an error of ours. */
  problemOf?(error: unknown): Problem | undefined;
}

/** Adds the route of one act, with the method and path of its `http`. */
export type AddActRoute = <I extends TObject, O extends TSchema, A extends TSchema>(
  act: Act<I, O>,
  row: ActRoute<I, O, A>,
) => void;

/**
 * Serves acts to the programs that have a tenant's key. A call that changes something is signed, where the tenant has a
 * webhook secret. The key's role was judged by `KEY_ACCESS`.
 */
export function createActRoutes(
  app: FastifyInstance,
  {
    authentication,
    db,
    services,
  }: { authentication: Authentication; db: Database; services: Partial<ActServices> },
): AddActRoute {
  return (act, row) => {
    const { answerOf = (data) => ({ success: true, data }) as never, reserved = {} } = row;
    const { method, path } = httpOf(act)!;
    const isSigned = method !== "GET";
    const refuseReserved = async ({ url }: FastifyRequest) => {
      const allow = reserved[url.split("?", 1)[0] ?? ""];
      if (allow !== undefined) throw new Problem("methodNotAllowed", { headers: { allow } });
    };
    app.route({
      method,
      url: path,
      schema: schemaOf(act, row, answerOf),
      ...(row.maxBodyBytes !== undefined && { bodyLimit: row.maxBodyBytes }),
      onRequest: [...(row.reserved ? [refuseReserved] : []), authentication.other],
      preValidation: [
        ...(isSigned ? [requireSignature] : []),
        ...(row.body ? [readCountedBody] : []),
      ],
      async handler(request, reply) {
        const caller = {
          db,
          services: services as ActServices,
          tenantId: request.tenant.id,
          actor: {
            personId: null,
            person: "the tenant, by API",
            address: request.ip,
            isProgram: true,
          },
          may: () => true,
        };
        const input = inputOf(request, act, row);
        row.checkInput?.(input);
        const output = await asProblem(() => runAct(act, caller, input)).catch((error) => {
          throw row.problemOf?.(error) ?? error;
        });
        request.logFields = { ...request.logFields, ...row.logFieldsOf?.(output, input) };
        reply.code(row.answer.status ?? 200);
        return answerOf(output, input);
      },
    });
  };
}

/** The fields that the route names: an act may have others, which only people set. */
function inputOf<I extends TObject>(request: FastifyRequest, { input }: Act<I>, row: Parts) {
  const fields: Record<string, unknown> = {};
  const take = (names: readonly string[], given: unknown, isText: boolean) => {
    for (const name of names) {
      const value = (given as Record<string, unknown>)[name];
      fields[name] = isText ? typed(value, input.properties[name]) : value;
    }
  };
  const isRead = row.keepsNumbers && hasChangingNumber(request.bodyText);
  const body = isRead ? parseAsWritten(request.bodyText) : request.body;
  take(Object.keys(row.body?.properties ?? {}), body, false);
  for (const [name, header] of Object.entries(row.headers ?? {})) {
    const value = request.headers[header];
    if (value !== undefined) fields[name] = headerText(String(value));
  }
  take(Object.keys(row.querystring?.properties ?? {}), request.query, true);
  take(Object.keys(request.params as object), request.params, false);
  return fields as Static<I>;
}

type Parts = Pick<
  ActRoute<TObject, TSchema, TSchema>,
  "body" | "querystring" | "headers" | "keepsNumbers"
>;

function headersOf({ input }: Act, { headers = {} }: Parts): Record<string, TSchema> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, header]) => {
      const shown = header.replaceAll(/(^|-)./g, (letter) => letter.toUpperCase());
      const schema = input.properties[name]!;
      return [shown, Type.Optional({ ...schema, ...unsent(String(schema.examples?.[0])) })];
    }),
  );
}

function schemaOf<I extends TObject, O extends TSchema, A extends TSchema>(
  act: Act<I, O>,
  row: ActRoute<I, O, A>,
  answerOf: (output: Static<O>, input: Static<I>) => Static<A>,
) {
  const { operationId, tag, querystring, body, summary = act.summary } = row;
  const { description = act.description ?? "" } = row;
  const { method, params } = httpOf(act)!;
  const isSigned = method !== "GET";
  const isSignedEmpty = isSigned && body === undefined;
  const { input, output } = act.example!;
  const inputOfBody = Object.entries(input).filter(([name]) => body && name in body.properties);
  const properties = Object.fromEntries(params.map((name) => [name, act.input.properties[name]!]));
  const emptyText = " Without a body: where a signature is needed, it is over the empty text.";
  const look = isSigned ? signedOf(tag) : lookOf(tag);
  return {
    ...look,
    operationId,
    summary,
    description: `${description}${isSignedEmpty ? emptyText : ""}`,
    ...(params.length > 0 && { params: row.params ?? Type.Object(properties) }),
    ...(querystring && { querystring }),
    headers: Type.Object({ ...look.headers.properties, ...headersOf(act, row) }),
    ...(body && {
      body,
      "x-examples": row.examples ?? { example: { value: Object.fromEntries(inputOfBody) } },
    }),
    response: answers(
      { ...row.answer, example: answerOf(output, input) },
      {
        ...KEYED,
        ...(body && WITH_BODY),
        ...(isSignedEmpty && WITHOUT_BODY),
        ...row.problems,
      },
      isSigned ? { 401: ["WWW-Authenticate"] } : {},
    ),
  };
}
