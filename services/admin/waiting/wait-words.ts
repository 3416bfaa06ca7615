import type { WaitReason } from "@belfry/administration/events/wait-reasons";

/** What holds up the deliveries of a reason, as the heading of them. */
export const WAIT_NAMES: Readonly<Record<WaitReason, string>> = {
  gathered: "Gathered into one message",
  quiet: "Held by quiet hours",
  unread: "Sent unless it is read by then",
  retry: "Waiting for another try",
  other: "Waiting for its time",
};

/** Why something waits, after "because"; what a vendor said is put behind it. */
export const WAIT_CAUSES: Readonly<Record<WaitReason, string>> = {
  gathered: "it is gathered with others into one message",
  quiet: "these are the recipient's quiet hours",
  unread: "it is sent only if it is not read in the inbox by then",
  retry: "the last try failed for now",
  other: "its time has not come",
};
