import type { Starter } from "./starters/starter.ts";

export type { Starter } from "./starters/starter.ts";

/** In the order in which they are offered. */
export const STARTERS: readonly Starter[] = [];
