import { type Fault, faultOf } from "@belfry/contracts/fields";
import { Problem } from "@belfry/contracts/problems";
import { Kind, OptionalKind, type TArray, type TObject, type TSchema } from "@sinclair/typebox";
import type { FastifyInstance, FastifyRequest, FastifySchema } from "fastify";

type Fields = Record<string, unknown>;
/** The names of a route's schemas, and of what they are of in its request. */
const PARTS = [
  ["params", "params"],
  ["querystring", "query"],
  ["body", "body"],
] as const;

/**
 * Checks what requests bring against their routes' schemas, for the routes that come after it: a 422 Problem
 * lists every fault of path, query and body together, where Fastify's own validation ends at the first.
 */
export function checkRoutes(app: FastifyInstance): void {
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  // Without a look at what an answer's schema is.
  app.setReplySerializer((payload) => JSON.stringify(payload));
  app.addHook("onRoute", (route) => {
    const preHandler = requestCheck(route.schema);
    if (preHandler !== undefined) route.preHandler = preHandler;
  });
}

function requestCheck(schema: FastifySchema = {}) {
  const parts = PARTS.flatMap(([name, property]) => {
    const part = schema[name] as TSchema | undefined;
    return part === undefined ? [] : [{ property, part, check: compile(part) }];
  });
  if (parts.length === 0) return undefined;
  return (request: FastifyRequest, _reply: unknown, done: () => void): void => {
    if (parts.some(({ property, check }) => check(request[property]) !== undefined)) {
      const message = parts.flatMap(({ property, part }) =>
        faultsOf(part, request[property], property),
      );
      throw new Problem("validation", { message });
    }
    done();
  };
}

/** A schema as a function that tells whether something is wrong: made once, and all that a good request costs. */
export function compile(schema: TSchema): Fault {
  if (schema[Kind] === "Object") return compileObject(schema as TObject);
  if (schema[Kind] === "Array") return compileArray(schema as TArray);
  return faultOf(schema) ?? (() => undefined);
}

function compileObject(schema: TObject): Fault {
  const fault = faultOf(schema);
  // No prototype: a name such as `constructor` is looked up here.
  const checks: Record<string, { check: Fault; counts: number }> = Object.create(null);
  let required = 0;
  for (const [name, part] of Object.entries(schema.properties)) {
    const counts = OptionalKind in part ? 0 : 1;
    checks[name] = { check: compile(part), counts };
    required += counts;
  }
  return (value) => {
    if (!isObject(value)) return "must be an object";
    let found = 0;
    // By its own names: what a body does not have is the most of what it might have.
    for (const name in value) {
      const row = checks[name];
      const inner = value[name];
      if (row === undefined || inner === undefined) continue;
      const wrong = row.check(inner);
      if (wrong !== undefined) return wrong;
      found += row.counts;
    }
    return found < required ? "is not complete" : fault?.(value);
  };
}

function compileArray({ items, maxItems = Number.POSITIVE_INFINITY }: TArray): Fault {
  const check = compile(items);
  return (value) => {
    if (!Array.isArray(value)) return "must be an array";
    if (value.length > maxItems) return `must have at most ${maxItems} items`;
    for (const item of value) {
      const wrong = check(item);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
}

/** Every fault of a value, each naming its field; of a part that is no object, what it lacks too. */
export function faultsOf(schema: TSchema, value: unknown, field: string): string[] {
  if (
    schema[Kind] === "Array" &&
    Array.isArray(value) &&
    value.length <= (schema.maxItems ?? value.length)
  ) {
    return value.flatMap((item, index) => faultsOf(schema.items, item, `${field}[${index}]`));
  }
  if (schema[Kind] !== "Object") {
    const fault = compile(schema)(value);
    return fault === undefined ? [] : [`${field} ${fault}`];
  }
  const isWhole = PARTS.some(([, property]) => property === field);
  const noObject = isObject(value) ? [] : [`${field} must be an object`];
  if (isWhole && noObject.length > 0) return noObject;
  const inner = Object.entries((schema as TObject).properties).flatMap(([name, part]) => {
    const one = isObject(value) ? value[name] : undefined;
    if (one === undefined && OptionalKind in part) return [];
    return faultsOf(part, one, isWhole ? name : `${field}.${name}`);
  });
  const fault = isObject(value) ? faultOf(schema)?.(value) : undefined;
  return [...noObject, ...inner, ...(fault === undefined ? [] : [`${field} ${fault}`])];
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
