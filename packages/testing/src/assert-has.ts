import assert from "node:assert/strict";

/** Asserts that the object has these properties with strictly these values; it ignores all other properties. */
export function assertHas<Of extends object>(
  actual: Of | null | undefined,
  expected: { [Key in keyof Of]?: unknown },
): void {
  const found = Object.keys(expected).map((key) => [key, actual?.[key as keyof Of]]);
  assert.deepEqual(Object.fromEntries(found), expected);
}
