import type { CpuMicros } from "./cpu-time.ts";
import type { Results } from "./results.ts";
import type { Row } from "./table-rows.ts";

/** How busy a core may be at the named rate: the rest is for peaks, replicas that restart, and slower cores. */
const BUSY_SHARE = 0.5;
/** A replica that ends leaves another. */
const LEAST_REPLICAS = 2;
const RATES = [10, 100, 500, 1000, 3000];
/** What deleting an event costs Postgres when it has had its time: docs/operations/retention.md. */
const EXPIRY_MICROS = 65;

export const SIZING_COLUMNS = [
  "events a second, three channels",
  "ingest-api",
  "dispatcher",
  "email-sender",
  "sms-sender",
  "realtime-gateway",
  "Postgres, cores",
  "NATS, cores",
] as const;

/** Replicas and cores by rate, from the CPU time an event takes; empty until all of it is measured. */
export function sizingRows(results: Results): Row[] {
  const ingest = results.ingest?.result.cpuMicros;
  const dispatch = results.dispatch?.result.cpuMicros;
  const email = results.email?.result.cpuMicros;
  const gateway = results.realtime?.result.cpuMicros;
  if (!ingest || !dispatch || !email || gateway === undefined) return [];
  // An SMS takes the way of a mail.
  const shared = (part: string) => of(ingest, part) + of(dispatch, part) + 2 * of(email, part);
  return RATES.map((rate) => {
    const replicas = (micros: number) => String(Math.max(LEAST_REPLICAS, cores(rate, micros)));
    const sender = replicas(of(email, "email-sender"));
    // Releasing what senders get done is the dispatcher's work too.
    const dispatcher = of(dispatch, "dispatcher") + 2 * of(email, "dispatcher");
    return [
      rate.toLocaleString("en-US"),
      replicas(of(ingest, "ingest-api")),
      replicas(dispatcher),
      sender,
      sender,
      replicas(gateway),
      String(cores(rate, shared("postgres") + EXPIRY_MICROS)),
      String(cores(rate, shared("nats"))),
    ];
  });
}

function cores(perSecond: number, micros: number): number {
  return Math.max(1, Math.ceil((perSecond * micros) / 1e6 / BUSY_SHARE));
}

function of(micros: CpuMicros, part: string): number {
  return micros[part] ?? 0;
}
