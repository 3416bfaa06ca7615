import { Kind, OptionalKind, type TSchema } from "@sinclair/typebox";
import { faultOf } from "./fields.ts";

/** What is wrong with one field, in the client's words. */
export interface FieldFault {
  /** Its path, as `payload.userId` or `users[2].email`. */
  field: string;
  /** Follows the field's name, as `must be an integer`. */
  message: string;
}

/** As an answer lists it. */
export function faultText({ field, message }: FieldFault): string {
  return `${field} ${message}`;
}

/**
 * Lists every fault of a value. For a part that should be an object and is none it also lists what the part lacks. The
 * names of the fields within begin with `prefix`: nothing for a whole body. Throws for a schema that it knows no check for.
 */
export function faultsOf(
  schema: TSchema,
  value: unknown,
  field: string,
  prefix = `${field}.`,
): FieldFault[] {
  const faults: FieldFault[] = [];
  addFaults(faults, schema, value, field, prefix);
  return faults;
}

/** Throws for a schema with a part that `faultsOf` knows no check for. */
export function requireChecks(schema: TSchema): void {
  if (schema[Kind] === "Array") requireChecks(schema.items);
  else if (schema[Kind] === "Object") Object.values<TSchema>(schema.properties).map(requireChecks);
  else requireFault(schema);
}

function requireFault(schema: TSchema) {
  const fault = faultOf(schema);
  if (fault === undefined) throw new Error(`no check for a ${schema[Kind]}: see fields.ts`);
  return fault;
}

/** Runs for every request: it writes no names and makes no lists for fields that are absent. */
function addFaults(
  faults: FieldFault[],
  schema: TSchema,
  value: unknown,
  field: string,
  prefix: string,
): void {
  let message: string | undefined;
  if (schema[Kind] === "Object") {
    const given = isObject(value) ? value : undefined;
    if (given === undefined) faults.push({ field, message: "must be an object" });
    if (given === undefined && prefix === "") return;
    const { properties } = schema;
    for (const name in properties) {
      const part = properties[name];
      const inner = given?.[name];
      if (inner === undefined && OptionalKind in part) continue;
      const path = prefix + name;
      addFaults(faults, part, inner, path, `${path}.`);
    }
    message = given && faultOf(schema)?.(given);
  } else if (schema[Kind] === "Array") {
    message = listFault(schema, value);
    if (message === undefined) {
      for (const [index, item] of (value as unknown[]).entries()) {
        const path = `${field}[${index}]`;
        addFaults(faults, schema.items, item, path, `${path}.`);
      }
    }
  } else {
    message = requireFault(schema)(value);
  }
  if (message !== undefined) faults.push({ field, message });
}

function listFault({ minItems, maxItems }: TSchema, value: unknown): string | undefined {
  if (!Array.isArray(value)) return "must be an array";
  if (value.length > maxItems) return `must have at most ${maxItems} items`;
  if (value.length < minItems) return `must have at least ${minItems} item`;
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
