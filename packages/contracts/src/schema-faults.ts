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

/**
 * Every fault of a value, each naming its field; of a part that is no object, what it lacks too. `prefix` is
 * what the names within begin with: nothing, where the value is a whole body.
 */
export function faultsOf(
  schema: TSchema,
  value: unknown,
  field: string,
  prefix = `${field}.`,
): string[] {
  if (schema[Kind] === "Object") return objectFaults(schema as TObject, value, field, prefix);
  const fault = checkOf(schema)(value);
  if (fault === undefined) return [];
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const isRightSize = (list: unknown[]) => list.length >= minItems && list.length <= maxItems;
  if (schema[Kind] === "Array" && Array.isArray(value) && isRightSize(value)) {
    return value.flatMap((item, index) => faultsOf(schema.items, item, `${field}[${index}]`));
  }
  return [`${field} ${fault}`];
}

function objectFaults(schema: TObject, value: unknown, field: string, prefix: string): string[] {
  const noObject = `${field} must be an object`;
  if (!isObject(value) && prefix === "") return [noObject];
  const inner = Object.entries(schema.properties).flatMap(([name, part]) => {
    const one = isObject(value) ? value[name] : undefined;
    return one === undefined && OptionalKind in part ? [] : faultsOf(part, one, prefix + name);
  });
  if (!isObject(value)) return [noObject, ...inner];
  const fault = faultOf(schema)?.(value);
  return fault === undefined ? inner : [...inner, `${field} ${fault}`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
