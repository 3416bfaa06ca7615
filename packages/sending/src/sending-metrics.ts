import type { ProviderChannel } from "@belfry/contracts/channels";
import type { OutcomeClass } from "@belfry/contracts/sending";
import { Counter, Histogram } from "prom-client";

const attempts = new Counter({
  name: "belfry_attempts_total",
  help: "Calls of providers by how they ended",
  labelNames: ["channel", "provider", "class"],
});

const durations = new Histogram({
  name: "belfry_attempt_seconds",
  help: "How long calls of providers took",
  labelNames: ["channel", "provider"],
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
});

export function countAttempt(
  channel: ProviderChannel,
  provider: string,
  outcomeClass: OutcomeClass,
  durationMs: number,
): void {
  attempts.inc({ channel, provider, class: outcomeClass });
  durations.observe({ channel, provider }, durationMs / 1000);
}
