import { Kind, OptionalKind, type TArray, type TObject, type TSchema } from "@sinclair/typebox";
import { type Fault, faultOf } from "./fields.ts";

/** Answers nothing where a value is as its schema says, and costs a good request next to nothing. */
type Check = Fault;

/** A schema as a function, made once. Throws for one that it knows no check for. */
export function checkOf(schema: TSchema): Check {
  if (schema[Kind] === "Object") return objectCheck(schema as TObject);
  if (schema[Kind] === "Array") return arrayCheck(schema as TArray);
  const fault = faultOf(schema);
  if (fault === undefined) throw new Error(`no check for a ${schema[Kind]}: see fields.ts`);
  return fault;
}

function objectCheck(schema: TObject): Check {
  const fault = faultOf(schema);
  const checks = new Map<string, { check: Check; counts: number }>();
  let required = 0;
  for (const [name, part] of Object.entries(schema.properties)) {
    const counts = OptionalKind in part ? 0 : 1;
    checks.set(name, { check: checkOf(part), counts });
    required += counts;
  }
  return (value) => {
    if (!isObject(value)) return "must be an object";
    let found = 0;
    // By its own names: what a body does not have is the most of what it might have.
    for (const name in value) {
      const row = checks.get(name);
      const inner = value[name];
      if (row === undefined || inner === undefined) continue;
      const wrong = row.check(inner);
      if (wrong !== undefined) return wrong;
      found += row.counts;
    }
    return found < required ? "is not complete" : fault?.(value);
  };
}

function arrayCheck({ items, minItems = 0, maxItems = Number.POSITIVE_INFINITY }: TArray): Check {
  const check = checkOf(items);
  return (value) => {
    if (!Array.isArray(value)) return "must be an array";
    if (value.length > maxItems) return `must have at most ${maxItems} items`;
    if (value.length < minItems) return `must have at least ${minItems} item`;
    for (const item of value) {
      const wrong = check(item);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
}

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
 * Every fault of a value. A part that should be an object and is none is told with what it lacks. `prefix` is
 * what the names of the fields within begin with: nothing for a whole body.
 */
export function faultsOf(
  schema: TSchema,
  value: unknown,
  field: string,
  prefix = `${field}.`,
): FieldFault[] {
  if (schema[Kind] === "Object") return objectFaults(schema as TObject, value, field, prefix);
  const message = checkOf(schema)(value);
  if (message === undefined) return [];
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const isRightSize = (list: unknown[]) => list.length >= minItems && list.length <= maxItems;
  if (schema[Kind] === "Array" && Array.isArray(value) && isRightSize(value)) {
    return value.flatMap((item, index) => faultsOf(schema.items, item, `${field}[${index}]`));
  }
  return [{ field, message }];
}

function objectFaults(
  schema: TObject,
  value: unknown,
  field: string,
  prefix: string,
): FieldFault[] {
  const noObject = { field, message: "must be an object" };
  if (!isObject(value) && prefix === "") return [noObject];
  const inner = Object.entries(schema.properties).flatMap(([name, part]) => {
    const one = isObject(value) ? value[name] : undefined;
    return one === undefined && OptionalKind in part ? [] : faultsOf(part, one, prefix + name);
  });
  if (!isObject(value)) return [noObject, ...inner];
  const message = faultOf(schema)?.(value);
  return message === undefined ? inner : [...inner, { field, message }];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
