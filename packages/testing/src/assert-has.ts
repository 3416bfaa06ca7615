import assert from "node:assert/strict";

/** It has these properties, each strictly as told; of its others nothing is said. */
export function assertHas<Of extends object>(
  actual: Of | null | undefined,
  expected: { [Key in keyof Of]?: unknown },
): void {
  const found = Object.keys(expected).map((key) => [key, actual?.[key as keyof Of]]);
  assert.deepEqual(Object.fromEntries(found), expected);
}
