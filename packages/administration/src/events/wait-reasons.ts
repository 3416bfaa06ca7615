import { type ReasonCode, reasonOf } from "@belfry/contracts/reasons";

/** Why a delivery waits for a time. */
export const WAIT_REASONS = ["gathered", "quiet", "unread", "retry", "other"] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

const OF_CODES: Readonly<Partial<Record<ReasonCode, WaitReason>>> = {
  gathered: "gathered",
  "gathered-quiet": "gathered",
  quiet: "quiet",
  unread: "unread",
};

/** By a delivery's status and its reason as it is stored. */
export function waitReason(status: string, reason: string | null): WaitReason {
  const code = reasonOf(reason)?.code;
  // After a try only quiet hours hold up what is ours to say.
  if (status === "waiting") return code === "quiet" ? "quiet" : "retry";
  return (code && OF_CODES[code]) ?? "other";
}
