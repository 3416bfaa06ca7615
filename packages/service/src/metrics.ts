import { Counter, Gauge, Histogram } from "prom-client";
import { within } from "./pause.ts";

// The management port serves metrics. The values of a label are few and known in advance: never a tenant, a user, an
// id, a path or a vendor's text. Names and meanings: docs/operations/metrics.md.

/** Histogram buckets in seconds, from 5 ms to a minute. */
export const LATENCY_SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
] as const;

/** Creates a counter. Call it once per name and process. */
export function counter<Label extends string>(
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
): Counter<Label> {
  return new Counter({ name, help, labelNames });
}

/** Creates a histogram, in the unit that its name ends with. */
export function histogram<Label extends string>(
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
  buckets: readonly number[] = LATENCY_SECONDS,
): Histogram<Label> {
  return new Histogram({ name, help, labelNames, buckets: [...buckets] });
}

const COLLECT_TIMEOUT_MS = 2000;

/**
 * Creates a gauge that `read` sets at each scrape. If `read` fails or takes more than two seconds, only this metric is
 * missing from the scrape.
 */
export function gauge<Label extends string>(
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
  read?: (gauge: Gauge<Label>) => void | Promise<void>,
): Gauge<Label> {
  return new Gauge({
    name,
    help,
    labelNames,
    ...(read === undefined
      ? {}
      : {
          async collect() {
            // A reset would show 0 for a metric without labels, though its value is unknown.
            if (labelNames.length > 0) this.reset();
            else this.remove();
            try {
              await within(read(this), COLLECT_TIMEOUT_MS, undefined);
            } catch {
              // The metric is missing from this scrape.
            }
          },
        }),
  });
}
