import type { CpuMicros } from "./cpu-time.ts";
import type { Flow } from "./end-to-end.ts";
import type { RealtimeResult } from "./realtime.ts";
import type { Results } from "./results.ts";

/** What is asked of two cores that carry everything, servers and load included. */
const AIMS = {
  ingestRatio: 1,
  dispatchPerSecond: 3000,
  emailRatio: 0.6,
  browserP99Ms: 50,
  idleCpuPercent: 2,
  idlePssMb: 700,
};

/** Cells of one line; the first is text, the others stand to the right. */
export type Row = readonly string[];

export const FIGURE_COLUMNS = ["what", "Belfry", "yardstick", "ratio", "aim"] as const;

/** The figures of every benchmark that has been run, beside their yardsticks and aims. */
export function figureRows(results: Results): Row[] {
  const rows: Row[] = [];
  const ingest = results.ingest?.result;
  if (ingest !== undefined) {
    rows.push(
      [
        "accepted triggers a second; a bare route that publishes",
        ...[number(ingest.perSecond), number(ingest.yardstickPerSecond), ingest.ratio.toFixed(2)],
        aim(`ratio ≥ ${AIMS.ingestRatio.toFixed(1)}`, ingest.ratio >= AIMS.ingestRatio),
      ],
      [
        "… p50 and p99 of the answer at 256 connections, ms",
        ...[
          `${ingest.p50Ms}, ${ingest.p99Ms}`,
          `${ingest.yardstickP50Ms}, ${ingest.yardstickP99Ms}`,
        ],
        ...["", ""],
      ],
    );
  }
  const dispatch = results.dispatch?.result;
  if (dispatch !== undefined) {
    rows.push([
      "events dispatched a second on three channels; a bare consumer and one batched insert",
      ...[number(dispatch.perSecond), number(dispatch.yardstickPerSecond)],
      dispatch.ratio.toFixed(2),
      aim(
        `≥ ${number(AIMS.dispatchPerSecond)} a second`,
        dispatch.perSecond >= AIMS.dispatchPerSecond,
      ),
    ]);
  }
  const email = results.email?.result;
  if (email !== undefined) {
    rows.push([
      `mails of ${Math.round(email.mailBytes / 1024)} KiB a second; the vendor's library in a loop`,
      ...[number(email.perSecond), number(email.yardstickPerSecond), email.ratio.toFixed(2)],
      aim(`ratio ≥ ${AIMS.emailRatio}`, email.ratio >= AIMS.emailRatio),
    ]);
  }
  rows.push(...realtimeRows(results), ...endToEndRows(results), ...broadcastRows(results));
  return rows;
}

function realtimeRows(results: Results): Row[] {
  const realtime = results.realtime?.result;
  if (realtime === undefined) return [];
  const { connections, rates } = realtime;
  return [
    [
      `messages a second to ${number(connections)} browsers; raw \`ws\``,
      ...[number(realtime.perSecond), number(realtime.barePerSecond)],
      ...[realtime.ratio.toFixed(2), ""],
    ],
    [
      "KiB a connection; a bare @fastify/websocket",
      ...[String(realtime.kibPerConnection), String(realtime.bareKibPerConnection), "", ""],
    ],
    ...protobufRows(realtime),
    ...Object.entries(rates).map(([rate, { p50Ms, p99Ms }]) => [
      `gateway to browser at ${number(Number(rate))} a second: p50 and p99, ms`,
      ...[`${p50Ms}, ${p99Ms}`, "", "", ""],
    ]),
    ["connections a second, while they come", number(realtime.connectsPerSecond), "", "", ""],
    [
      `all ${number(connections)} back, nothing missed, after a kill: seconds`,
      ...[String(realtime.backSeconds), "", "", ""],
    ],
  ];
}

/** Beside JSON; none in results from before there was Protobuf. */
function protobufRows(realtime: Partial<RealtimeResult>): Row[] {
  const { protobufPacedCpuMicros, pacedCpuMicros } = realtime;
  if (protobufPacedCpuMicros === undefined || !pacedCpuMicros) return [];
  return [
    [
      "CPU µs of a message in Protobuf, at an even pace; in JSON",
      ...[String(protobufPacedCpuMicros), String(pacedCpuMicros)],
      ...[(protobufPacedCpuMicros / pacedCpuMicros).toFixed(2), ""],
    ],
    [
      "KiB of a later connection in Protobuf; in JSON",
      ...[String(realtime.protobufKibPerLaterConnection), String(realtime.kibPerLaterConnection)],
      ...["", ""],
    ],
  ];
}

function endToEndRows(results: Results): Row[] {
  const flows = results["end-to-end"]?.result;
  if (flows === undefined) return [];
  const { push, allChannels, idle } = flows;
  const pair = ({ p50Ms, p99Ms }: Flow["browser"]) => `${p50Ms}, ${p99Ms}`;
  const line = (what: string, value: Flow["browser"] | undefined, aimed = "") =>
    value === undefined ? [] : [[`${what}: p50 and p99, ms`, pair(value), "", "", aimed]];
  const metPush = aim(`p99 ≤ ${AIMS.browserP99Ms} ms`, push.browser.p99Ms <= AIMS.browserP99Ms);
  const rate = (perSecond: number) => `at ${number(perSecond)} events a second`;
  return [
    ...line(`trigger to browser, ${rate(push.perSecond)} (PUSH)`, push.browser, metPush),
    ...line(`… trigger to its answer`, push.answer),
    ...line(
      `trigger to browser, ${rate(allChannels.perSecond)} on three channels`,
      allChannels.browser,
    ),
    ...line("… trigger to the mail at its vendor", allChannels.email),
    ...line("… trigger to the SMS at its vendor", allChannels.sms),
    [
      "idle stack: % of one core",
      ...[String(idle.cpuPercent), "", ""],
      aim(`< ${AIMS.idleCpuPercent} %`, idle.cpuPercent < AIMS.idleCpuPercent),
    ],
    [
      "idle stack: memory (PSS), MB",
      ...[String(idle.pssMb), "", ""],
      aim(`< ${AIMS.idlePssMb} MB`, idle.pssMb < AIMS.idlePssMb),
    ],
  ];
}

/** The ratio is that of the p99, the yardstick the same mails without broadcasts. */
function broadcastRows(results: Results): Row[] {
  const found = results.broadcast?.result;
  if (found === undefined) return [];
  const { neighbour, sender, broadcasts, members } = found;
  const row = (what: string, mails: Record<string, number>) => [
    `${what} beside ${broadcasts} broadcasts of ${number(members)}; without: p50 and p99, ms`,
    `${mails.besideP50Ms}, ${mails.besideP99Ms}`,
    `${mails.p50Ms}, ${mails.p99Ms}`,
    String(mails.ratioP99),
    aim(
      "p50 ≤ 1.5 times, p99 ≤ 2 times",
      (mails.ratioP50 ?? 0) <= 1.5 && (mails.ratioP99 ?? 0) <= 2,
    ),
  ];
  return [row("mails of another tenant", neighbour), row("mails of the same tenant", sender)];
}

export const CPU_COLUMNS = ["CPU time, µs", "Belfry", "Postgres", "NATS", "load, vendor"] as const;

/** What one event, mail or trigger costs, by part. */
export function cpuRows(results: Results): Row[] {
  const rows: Row[] = [];
  const add = (what: string, micros: CpuMicros | undefined) => {
    if (micros !== undefined) rows.push([what, ...cpuCells(micros)]);
  };
  add("a trigger", results.ingest?.result.cpuMicros);
  add("… of the bare route", results.ingest?.result.yardstickCpuMicros);
  add("an event dispatched on three channels", results.dispatch?.result.cpuMicros);
  add("a mail", results.email?.result.cpuMicros);
  add("… of the library in a loop", results.email?.result.yardstickCpuMicros);
  const flows = results["end-to-end"]?.result;
  add("an event from trigger to browser", flows?.push.cpuMicros);
  add("an event on three channels, whole", flows?.allChannels.cpuMicros);
  return rows;
}

/** Services that had next to nothing to do are left out. */
const NEGLIGIBLE_MICROS = 10;
const NOT_OURS = new Set(["postgres", "nats", "load", "vendor", "yardstick", "launcher"]);

function cpuCells(micros: CpuMicros): Row {
  const own = Object.entries(micros)
    .filter(([part, each]) => !NOT_OURS.has(part) && each >= NEGLIGIBLE_MICROS)
    .map(([part, each]) => `${part} ${each}`);
  const belfry = micros.yardstick === undefined ? own.join(", ") : String(micros.yardstick);
  const others = (micros.load ?? 0) + (micros.vendor ?? 0);
  return [belfry, String(micros.postgres ?? 0), String(micros.nats ?? 0), String(others)];
}

export const IDLE_COLUMNS = ["idle", "% of one core", "PSS, MB"] as const;

export function idleRows(results: Results): Row[] {
  const idle = results["end-to-end"]?.result.idle;
  if (idle === undefined) return [];
  return Object.entries(idle.parts).map(([part, { cpuPercent, pssMb }]) => [
    part,
    cpuPercent.toFixed(2),
    String(pssMb),
  ]);
}

function number(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 1 });
}

function aim(text: string, isMet: boolean): string {
  return `${text}: ${isMet ? "met" : "missed"}`;
}

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
