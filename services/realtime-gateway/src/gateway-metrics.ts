import { secondsSinceId } from "@belfry/contracts/identifiers";
import { counter, gauge, histogram } from "@belfry/service/metrics";
import type { Codec } from "./codec.ts";
import type { Bound } from "./held-bytes.ts";
import { DISCONNECTS } from "./protocol.ts";

const closed = counter("belfry_connections_closed_total", "Closed connections by close code", [
  "code",
]);
const refused = counter("belfry_connections_refused_total", "Refused handshakes by reason", [
  "reason",
]);
const dropped = counter(
  "belfry_connections_dropped_total",
  "Connections closed because too many bytes waited, by whose limit was reached",
  ["bound"],
);
const recoveries = counter(
  "belfry_recoveries_total",
  "Clients that reconnected with a position, by whether they recovered or must read the history again",
  ["result"],
);
const delivered = counter(
  "belfry_publications_delivered_total",
  "Publications sent to the connections of a channel, each counted once per gateway",
);
const latency = histogram(
  "belfry_acceptance_to_browser_seconds",
  "Seconds from the acceptance of an event until its publication is queued on the sockets",
);

/** Our close codes and the standard ones. A client may send any of 4,000 others, which are too many for a label. */
const KNOWN_CODES = new Set<number>([
  ...Object.values(DISCONNECTS).map(({ code }) => code),
  ...[1000, 1001, 1002, 1005, 1006, 1007, 1009, 1011],
]);

export function countClose(code: number): void {
  closed.inc({ code: KNOWN_CODES.has(code) ? String(code) : "other" });
}

export function countRefusal(reason: "origin" | "full" | "rate" | "stopping"): void {
  refused.inc({ reason });
}

export function countDrop(bound: Bound): void {
  dropped.inc({ bound });
}

export function countRecovery(isRecovered: boolean): void {
  recoveries.inc({ result: isRecovered ? "recovered" : "insufficient" });
}

/** Counts a delivered publication and its latency. The id of a notification is that of its event. */
export function observeDelivery(eventId: string): void {
  delivered.inc();
  const seconds = secondsSinceId(eventId);
  if (seconds !== undefined) latency.observe(seconds);
}

/** Registers gauges that are read at each scrape. */
export function showConnections(
  connections: ReadonlySet<{ codec: Codec }>,
  held: { bytes: number },
): void {
  gauge("belfry_connections", "Open connections by encoding", ["protocol"], (it) => {
    const counts = { json: 0, protobuf: 0 };
    for (const { codec } of connections) counts[codec.name] += 1;
    for (const [protocol, count] of Object.entries(counts)) it.set({ protocol }, count);
  });
  gauge(
    "belfry_queue_bytes",
    "Bytes that wait: for clients to read them, and of requests that clients have sent",
    [],
    (it) => it.set(held.bytes),
  );
}
