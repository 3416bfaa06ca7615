/** The load of the ingest benchmark, in a process of its own: a closed loop over keep-alive connections. */
import autocannon from "autocannon";

export interface IngestLoad {
  url: string;
  headers: Record<string, string>;
  body: string;
  connections: number;
  /** In seconds; or instead of it how many requests. */
  duration?: number;
  amount?: number;
}

export interface LoadResult {
  requests: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  statuses: Record<string, number>;
  errors: number;
}

const { headers, body, ...load } = JSON.parse(process.argv[2] ?? "{}") as IngestLoad;
let count = 0;
const run = `${process.pid}-${Date.now()}`;
const result = await autocannon({
  ...load,
  requests: [
    {
      method: "POST",
      setupRequest: (request) => {
        count += 1;
        // The yardstick is sent the same header, and ignores it.
        return {
          ...request,
          headers: { ...headers, "x-idempotency-key": `${run}-${count}` },
          body,
        };
      },
    },
  ],
});
process.send?.({
  requests: result.requests.total,
  perSecond: result.requests.total / result.duration,
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
  statuses: Object.fromEntries(
    Object.entries(result.statusCodeStats ?? {}).map(([status, seen]) => [status, seen.count ?? 0]),
  ),
  errors: result.errors + result.timeouts,
} satisfies LoadResult);
// Stays until its CPU time has been read: whoever started it ends it.
process.channel?.ref();
