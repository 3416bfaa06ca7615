import type { Stack } from "../end-to-end/stack.ts";

/** What the tests of the documentation share. */
export interface Bench {
  stack: Stack;
  /** A folder of this run's own. */
  folder: string;
}
