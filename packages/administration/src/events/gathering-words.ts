import type { DigestItemState } from "@belfry/contracts/delivery";
import { REASONS } from "@belfry/contracts/reasons";
import type { GatheringRow } from "./digest-rows.ts";

/** Why an event is not in its message. */
export const LEFT_OUT: Readonly<Partial<Record<DigestItemState, string>>> = {
  read: REASONS["read-in-inbox"],
  cancelled: REASONS.cancelled,
};

export function othersIn({ state, count }: GatheringRow): number {
  return state === "in" ? count - 1 : count;
}

/** What became of an event in a digest, in words. */
export function gatheringWords(gathering: GatheringRow): string {
  const { state, windowEndsAt, closedAt } = gathering;
  const others = othersIn(gathering);
  const ends = windowEndsAt.toISOString();
  if (state === "alone") return `sent by itself; what comes until ${ends} is gathered`;
  const why = LEFT_OUT[state];
  if (why !== undefined) return `left out of the message: ${why}`;
  if (others === 0) return `gathered with no other event${closedAt === null ? " yet" : ""}`;
  return `gathered with ${others === 1 ? "1 other" : `${others} others`} into one message`;
}
