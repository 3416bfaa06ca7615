import { Problem } from "@belfry/contracts/problems";
import { checkOf, faultsOf, faultText } from "@belfry/contracts/schema-faults";
import type { TSchema } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";

type Part = "params" | "query" | "body";

/**
 * Checks what requests bring against their routes' schemas, for the routes that come after it: a 422 Problem
 * lists every fault of path, query and body together, where Fastify's own validation ends at the first.
 * Headers are only documented: each is told in its own way by who reads it.
 */
export function checkRoutes(app: FastifyInstance): void {
  withoutFastifysChecks(app);
  app.addHook("onRoute", (route) => {
    const { params, querystring: query, body } = route.schema ?? {};
    const parts = Object.entries({ params, query, body } as Record<Part, TSchema | undefined>);
    const rows = parts.flatMap(([part, schema]) =>
      schema === undefined ? [] : [{ part: part as Part, schema, check: checkOf(schema) }],
    );
    if (rows.length === 0) return;
    route.preHandler = (request, _reply, done) => {
      if (rows.some(({ part, check }) => check(request[part]) !== undefined)) {
        const message = rows.flatMap(({ part, schema }) =>
          faultsOf(schema, request[part], part, "").map(faultText),
        );
        throw new Problem("validation", { message });
      }
      done();
    };
  });
}

/** Schemas then only document: Fastify looks at nothing by them, headers and answers included. */
export function withoutFastifysChecks(app: FastifyInstance): void {
  app.setValidatorCompiler(() => undefined as never);
  app.setSerializerCompiler(() => JSON.stringify);
  app.setReplySerializer((payload) => JSON.stringify(payload));
}
