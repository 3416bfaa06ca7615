import { ADDRESSES } from "@belfry/contracts/addresses";
import { noAddress } from "@belfry/contracts/delivery";

const SENTENCES: Readonly<Record<string, string>> = {
  "no active template": "there is no active template of this event type for it",
  "channel not allowed": "the operator has not allowed this channel for the tenant",
  "not requested": "the request asked for other channels only",
  ...Object.fromEntries(
    Object.values(ADDRESSES).map(({ field, label }) => [
      noAddress(field),
      `the request carried no ${label.toLowerCase()}`,
    ]),
  ),
  "no active provider": "the tenant has no active provider for it",
  "tenant inactive": "the tenant was not active",
};

/** Why something was not sent, as a sentence; undefined: it was, or still may be. */
export function whyNot(status: string, reason: string | null | undefined): string | undefined {
  if (status === "skipped") {
    return `Not sent: ${SENTENCES[reason ?? ""] ?? reason ?? "it was skipped"}.`;
  }
  if (!["failed", "expired", "unknown", "bounced", "complained"].includes(status)) return undefined;
  return `${status === "unknown" ? "Nobody knows" : "Not delivered"}: ${reason ?? status}.`;
}
