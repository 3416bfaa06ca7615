import { type Act, type ActServices, resultOfAct } from "@belfry/administration/act";
import { httpOf } from "@belfry/administration/act-http";
import { InvalidInput } from "@belfry/administration/input-error";
import { Problem } from "@belfry/contracts/problems";
import { HEADERS } from "@belfry/contracts/trigger";
import type { Database } from "@belfry/database/connection";
import { asProblem, fieldsOf, typed } from "@belfry/http-api/act-routes";
import { type Authentication, requireSignature } from "@belfry/http-api/authenticate";
import { headerText, readCountedBody } from "@belfry/http-api/read-request";
import {
  type AnswerHeader,
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

/** The HTTP route of an act for tenants' backends, as far as it differs from the act's own definition. */
export interface ActRoute<
  I extends TObject,
  O extends TSchema,
  A extends TSchema,
  R extends { output: Static<O> },
> {
  operationId: string;
  /** Default: the act's. */
  summary?: string;
  description?: string;
  /** Path parameters. Default: the act's fields that are in its path. */
  params?: TObject;
  /** Absent if the call has no query. */
  querystring?: TObject;
  body?: TObject;
  /** Keeps each number of the body as it is written (`10.10`); plain parsing may change a number. */
  keepsNumbers?: boolean;
  /** Examples of a body, by name. Default: the act's own. */
  examples?: Record<string, { value: unknown }>;
  answer: { status?: number; description: string; headers?: AnswerHeader[]; schema: A };
  /** Further problems than those of every call with a key. */
  problems?: Problems;
  /**
   * Paths that match this route but belong to other routes, each with its allowed methods. Here they are answered 405.
   */
  reserved?: Readonly<Record<string, string>>;
  /** Throws a Problem if the act would refuse the input with another error than this route's. */
  checkInput?(input: Static<I>): void;
  /** Builds the answer. Default: the output as `data`. */
  answerOf?(output: Static<O>, input: Static<I>): Static<A>;
  /** Returns whether an earlier call with the same idempotency key has already made the change. */
  isReplay?(result: R): boolean;
  /** Returns fields to add to the request's log line. */
  logFieldsOf?(output: Static<O>, input: Static<I>): Record<string, unknown>;
  /** Turns an error of the act into a Problem; undefined if the error is an internal one. */
  problemOf?(error: unknown): Problem | undefined;
}

/** Adds the route of one act, with the method and path of its `http`. */
export type AddActRoute = <
  I extends TObject,
  O extends TSchema,
  A extends TSchema,
  R extends { output: Static<O> },
>(
  act: Act<I, O, R>,
  row: ActRoute<I, O, A, R>,
) => void;

/**
 * Returns a function that adds routes of acts, under a tag of the document, for programs with a tenant's key. If the
 * tenant has a webhook secret, calls that change something must be signed. Authentication checks the key's role by
 * `KEY_ACCESS`.
 */
export function createActRoutes(
  app: FastifyInstance,
  {
    authentication,
    db,
    services,
  }: { authentication: Authentication; db: Database; services: Partial<ActServices> },
): (tag: string) => AddActRoute {
  return (tag) => (act, row) => {
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
      schema: schemaOf(tag, act, row, answerOf),
      ...(act.maxBodyBytes !== undefined && { bodyLimit: act.maxBodyBytes }),
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
        const result = await asProblem(() =>
          resultOfAct(act, caller, input).catch((error) => {
            throw withHeaderNames(error, act);
          }),
        ).catch((error) => {
          throw row.problemOf?.(error) ?? error;
        });
        const { output } = result;
        if (row.isReplay?.(result)) reply.header(HEADERS.replayed, "true");
        request.logFields = { ...request.logFields, ...row.logFieldsOf?.(output, input) };
        reply.code(row.answer.status ?? 200);
        return answerOf(output, input);
      },
    });
  };
}

/** Reads the act's input from the fields that the route names. An act may have more fields, which only people set. */
function inputOf<I extends TObject>(
  request: FastifyRequest,
  { input, headers = {} }: Act<I>,
  row: Parts,
) {
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
  for (const [name, header] of Object.entries(headers)) {
    const value = request.headers[header];
    if (value !== undefined) fields[name] = headerText(String(value));
  }
  take(Object.keys(row.querystring?.properties ?? {}), request.query, true);
  take(Object.keys(request.params as object), request.params, false);
  return fields as Static<I>;
}

interface Parts {
  body?: TObject;
  querystring?: TObject;
  keepsNumbers?: boolean;
}

/** Returns a header's name in the form `X-Idempotency-Key`. */
function shownHeader(header: string): string {
  return header.replaceAll(/(^|-)./g, (letter) => letter.toUpperCase());
}

/** Replaces the field by the header's name in faults of fields that are sent in a header. */
function withHeaderNames(error: unknown, { headers = {} }: Pick<Act, "headers">): unknown {
  if (!(error instanceof InvalidInput)) return error;
  return new InvalidInput(
    error.faults.map((fault) => {
      const header = headers[fault.field];
      return header === undefined ? fault : { ...fault, field: shownHeader(header) };
    }),
  );
}

function headersOf({ input, headers = {} }: Act): Record<string, TSchema> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, header]) => {
      const schema = input.properties[name]!;
      const shown = { ...schema, ...unsent(String(schema.examples?.[0])) };
      return [shownHeader(header), Type.Optional(shown)];
    }),
  );
}

function schemaOf<
  I extends TObject,
  O extends TSchema,
  A extends TSchema,
  R extends { output: Static<O> },
>(
  tag: string,
  act: Act<I, O, R>,
  row: ActRoute<I, O, A, R>,
  answerOf: (output: Static<O>, input: Static<I>) => Static<A>,
) {
  const { operationId, querystring, body, summary = act.summary } = row;
  const { description = act.description ?? "" } = row;
  const { method, params } = httpOf(act)!;
  const isSigned = method !== "GET";
  const isSignedEmpty = isSigned && body === undefined;
  const { input, output } = act.example!;
  const inputOfBody = Object.entries(input).filter(([name]) => body && name in body.properties);
  const emptyText = " Send no body; if a signature is needed, sign the empty text.";
  const look = isSigned ? signedOf(tag) : lookOf(tag);
  return {
    ...look,
    operationId,
    summary,
    description: `${description}${isSignedEmpty ? emptyText : ""}`,
    ...(params.length > 0 && { params: row.params ?? fieldsOf(act, params) }),
    ...(querystring && { querystring }),
    headers: Type.Object({ ...look.headers.properties, ...headersOf(act) }),
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
