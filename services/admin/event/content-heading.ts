import type { ChannelReport } from "@belfry/contracts/event-report";

const SENT = ["accepted", "delivered", "bounced", "complained", "published"];

/** What stands over the content of a channel: it is rendered again, whether or not it ever left. */
export function contentHeading({
  status,
  delivery,
}: Pick<ChannelReport, "status" | "delivery">): string {
  const classes = (delivery?.attempts ?? []).map((attempt) => attempt.class);
  if (SENT.includes(status) || classes.includes("accepted")) return "as sent";
  if (status === "unknown" || classes.some((one) => one === "ambiguous" || one === null)) {
    return "as rendered, perhaps sent";
  }
  if (["queued", "sending", "waiting"].includes(status)) return "as rendered, not sent yet";
  return "as rendered, not sent";
}
