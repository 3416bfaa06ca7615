import type { SentChannel } from "@belfry/contracts/channels";
import type { DeliveryStatus } from "@belfry/contracts/delivery";
import type { OutcomeClass } from "@belfry/contracts/sending";
import { counter, gauge, histogram } from "@belfry/service/metrics";

const attempts = counter("belfry_attempts_total", "Calls to providers by result", [
  "channel",
  "provider",
  "class",
]);
const durations = histogram(
  "belfry_attempt_seconds",
  "Duration of calls to providers",
  ["channel", "provider"],
  [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
);
const outcomes = counter(
  "belfry_delivery_outcomes_total",
  "Deliveries by their status after processing; `waiting` is a retry, `failed` a dead letter",
  ["channel", "provider", "status"],
);
const latency = histogram(
  "belfry_acceptance_to_provider_seconds",
  "Seconds from the acceptance of an event to the provider's acceptance, if the first attempt succeeded",
  ["channel"],
);
const openCircuits = gauge(
  "belfry_open_circuits",
  "Provider accounts that this replica has paused",
);

const attachmentBytes = gauge(
  "belfry_attachment_bytes_held",
  "Bytes of memory reserved for building mails with attachments",
);
const withoutRoom = counter(
  "belfry_attachment_waits_total",
  "Mails with attachments that were put back because the memory for them was in use",
);
attachmentBytes.set(0);
withoutRoom.inc(0);

export function showAttachmentBytes(bytes: number): void {
  attachmentBytes.set(bytes);
}

export function countWithoutRoom(): void {
  withoutRoom.inc();
}

export function countAttempt(
  channel: SentChannel,
  provider: string,
  outcomeClass: OutcomeClass,
  durationMs: number,
): void {
  attempts.inc({ channel, provider, class: outcomeClass });
  durations.observe({ channel, provider }, durationMs / 1000);
}

/** Counts the outcome of a delivery. `provider` is null if none was called. */
export function countOutcome(
  channel: SentChannel,
  provider: string | null,
  status: DeliveryStatus,
): void {
  outcomes.inc({ channel, provider: provider ?? "none", status });
}

/** Records a delivery whose first try was accepted. `since`: when its event was accepted, or its delay had ended. */
export function observeFirstAcceptance(channel: SentChannel, since: Date): void {
  latency.observe({ channel }, Math.max(0, Date.now() - since.getTime()) / 1000);
}

export function showOpenCircuits(count: number): void {
  openCircuits.set(count);
}
