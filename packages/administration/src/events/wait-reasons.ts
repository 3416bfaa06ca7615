import type { DeliveryStatus } from "@belfry/contracts/delivery";

/** Why a delivery waits for a time. */
export const WAIT_REASONS = ["gathered", "quiet", "unread", "retry", "other"] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** How the words begin that dispatching and claiming write, here beside their meaning. */
const BEGINNINGS: readonly (readonly [string, WaitReason])[] = [
  ["gathered", "gathered"],
  ["quiet hours until", "quiet"],
  ["sent unless it is read", "unread"],
];

export function waitReason(status: DeliveryStatus | string, reason: string | null): WaitReason {
  const known = BEGINNINGS.find(([words]) => reason?.startsWith(words));
  // A vendor's words may begin as they like: after a try only quiet hours hold up what is ours to say.
  if (status === "waiting") return known?.[1] === "quiet" ? "quiet" : "retry";
  return known?.[1] ?? "other";
}
