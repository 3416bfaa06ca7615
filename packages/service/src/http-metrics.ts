import type { Histogram } from "prom-client";
import { histogram } from "./metrics.ts";

const requests = histogram(
  "belfry_http_request_seconds",
  "From the last byte of a request's head to the end of its answer",
  ["method", "route", "status"],
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
);
/** Finding a labelled series costs more than counting in it; there are few, as routes are patterns. */
const series = new Map<string, Histogram.Internal<"method" | "route" | "status">>();

/** `route` is the pattern; undefined for a path that leads nowhere. */
export function observeRequest(
  method: string,
  route: string | undefined,
  status: number,
  durationMs: number,
): void {
  const key = `${status} ${method} ${route}`;
  let one = series.get(key);
  if (one === undefined) {
    one = requests.labels({ method, route: route ?? "none", status: String(status) });
    series.set(key, one);
  }
  one.observe(durationMs / 1000);
}
