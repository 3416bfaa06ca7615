import type { TSchema } from "@sinclair/typebox";
import { EventReport } from "./event-report.ts";
import { HistoryResponse, MarkReadResponse } from "./notification.ts";
import { ProblemBody } from "./problems.ts";
import { RealtimeTokenRequest, RealtimeTokenResponse } from "./realtime-token.ts";
import { TriggerRequest, TriggerResponse } from "./trigger.ts";

/** JSON Schema 2020-12, as OpenAPI 3.1 has it. */
export interface JsonSchema {
  [keyword: string]: unknown;
}

const BODIES: readonly TSchema[] = [
  TriggerRequest,
  TriggerResponse,
  RealtimeTokenRequest,
  RealtimeTokenResponse,
  HistoryResponse,
  MarkReadResponse,
  EventReport,
  ProblemBody,
];

/** Every schema with a title, by it: those of whole bodies and those within. */
export function componentSchemas(): Record<string, JsonSchema> {
  const components: Record<string, JsonSchema> = {};
  for (const schema of BODIES) {
    const title = String(schema.title);
    components[title] = {};
    components[title] = plain(schema, components);
  }
  return components;
}

export function refTo(schema: TSchema): JsonSchema {
  if (schema.title === undefined) throw new Error("a schema of the documentation needs a title");
  return { $ref: `#/components/schemas/${schema.title}` };
}

/** Without TypeBox's own marks; titled parts move to `components`; unions in their shortest form. */
function plain(schema: JsonSchema, components: Record<string, JsonSchema>): JsonSchema {
  return simplified(
    Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => {
        if (keyword === "properties") return [keyword, mapValues(value, components)];
        return [keyword, Array.isArray(value) ? value.map(part) : part(value)];
      }),
    ),
  );

  function part(value: unknown): unknown {
    return isSchema(value) ? child(value, components) : value;
  }
}

function mapValues(value: unknown, components: Record<string, JsonSchema>): JsonSchema {
  return Object.fromEntries(
    Object.entries(value as Record<string, JsonSchema>).map(([name, schema]) => [
      name,
      child(schema, components),
    ]),
  );
}

function child(schema: JsonSchema, components: Record<string, JsonSchema>): JsonSchema {
  const { title } = schema;
  if (typeof title !== "string") return plain(schema, components);
  if (components[title] === undefined) {
    components[title] = {};
    components[title] = plain(schema, components);
  }
  return { $ref: `#/components/schemas/${title}` };
}

/** `anyOf` of constants is an `enum`; `anyOf` of a type and null is a list of types. */
function simplified(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  if (anyOf.every((one) => typeof one.const === "string")) {
    return { type: "string", enum: anyOf.map((one) => one.const), ...rest };
  }
  const [first, second] = anyOf as [JsonSchema, JsonSchema];
  if (anyOf.length === 2 && second.type === "null" && typeof first.type === "string") {
    const values = Array.isArray(first.enum) ? { enum: [...first.enum, null] } : {};
    return { ...first, ...rest, type: [first.type, "null"], ...values };
  }
  return schema;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
