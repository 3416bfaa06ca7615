import assert from "node:assert/strict";

/** Of each row, in order, the same is looked at: what `pick` takes of it is as expected. */
export function assertEach<Row>(
  rows: readonly Row[] | undefined,
  pick: (row: Row, at: number) => unknown,
  expected: readonly unknown[],
  message?: string,
): void {
  assert.deepEqual(rows?.map(pick), expected, message);
}
