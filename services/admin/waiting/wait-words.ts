import type { WaitReason } from "@belfry/administration/events/waiting-deliveries";

/** What holds up the deliveries of a reason, as the heading of them. */
export const WAIT_NAMES: Readonly<Record<WaitReason, string>> = {
  gathered: "In a digest",
  quiet: "Held by quiet hours",
  unread: "Sent unless read by then",
  retry: "Waiting for a retry",
  other: "Waiting for its time",
};

/** Why something waits, after "because"; what a vendor said is put behind it. */
export const WAIT_CAUSES: Readonly<Record<WaitReason, string>> = {
  gathered: "it is combined with others into a digest",
  quiet: "of the recipient's quiet hours",
  unread: "it is sent only if it is not read in the inbox by then",
  retry: "the last attempt failed temporarily",
  other: "it is not due yet",
};
