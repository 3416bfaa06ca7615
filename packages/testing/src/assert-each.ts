import assert from "node:assert/strict";

/** Asserts that `pick`, applied to each row in order, returns the expected values. */
export function assertEach<Row>(
  rows: readonly Row[] | undefined,
  pick: (row: Row, at: number) => unknown,
  expected: readonly unknown[],
  message?: string,
): void {
  assert.deepEqual(rows?.map(pick), expected, message);
}
