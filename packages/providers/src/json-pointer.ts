const MAX_STEPS = 20;

/** Returns the fault of a JSON pointer (RFC 6901); null if there is none. */
export function pointerFault(pointer: string): string | null {
  if (!pointer.startsWith("/")) return "must begin with a slash, as /data/id";
  if (/~(?![01])/.test(pointer)) return "has a ~, which is written as ~0";
  return pointer.split("/").length - 1 > MAX_STEPS ? `has more than ${MAX_STEPS} steps` : null;
}

/** Returns the value at a pointer into an answer; undefined if there is none. Reads only own properties. */
export function valueAt(json: unknown, pointer: string): unknown {
  let value = json;
  for (const step of pointer.split("/").slice(1)) {
    if (typeof value !== "object" || value === null) return undefined;
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    // An array's own properties are its items and `length`, which is no item.
    if (Array.isArray(value) ? !/^(?:0|[1-9]\d*)$/.test(key) : !Object.hasOwn(value, key)) {
      return undefined;
    }
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/**
 * Returns whether the value of an API's error field means an error. These mean none: undefined, null, false, 0, an
 * empty text, list or object.
 */
export function isError(value: unknown): boolean {
  if (typeof value === "string") return value !== "" && value !== "0";
  if (typeof value !== "object" || value === null)
    return value === true || (typeof value === "number" && value !== 0);
  return Object.keys(value).length > 0;
}
