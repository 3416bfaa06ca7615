import { counter } from "@belfry/service/metrics";

const accepted = counter(
  "belfry_events_accepted_total",
  "Triggers answered 200, by replay or not",
  ["replayed"],
);
const rejected = counter("belfry_events_rejected_total", "Triggers not accepted, by reason", [
  "reason",
]);

const REASONS: Readonly<Record<number, string>> = {
  400: "unparsable",
  401: "unauthorized",
  403: "forbidden",
  413: "too_large",
  415: "media_type",
  422: "invalid",
  500: "internal",
  503: "internal",
};

// From zero on, so that the first is seen as an increase.
for (const replayed of ["true", "false"]) accepted.inc({ replayed }, 0);
for (const reason of [...Object.values(REASONS), "minute", "day", "unknown_keys"]) {
  rejected.inc({ reason }, 0);
}

/** Counts the end of one trigger; `outcome` is the database's word, where it was asked. */
export function countTrigger(status: number, outcome: unknown): void {
  if (status === 200) {
    accepted.inc({ replayed: outcome === "replayed" ? "true" : "false" });
  } else if (status === 429) {
    rejected.inc({ reason: outcome === "minute" || outcome === "day" ? outcome : "unknown_keys" });
  } else {
    rejected.inc({ reason: REASONS[status] ?? "other" });
  }
}
