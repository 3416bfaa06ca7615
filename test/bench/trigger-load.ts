/**
 * Triggers events over HTTP, in a process of its own: `count` of them as fast as they are answered, or
 * `perSecond` for `seconds`, whatever the answers. Each carries in `sentAt` the time (of the monotonic
 * clock, in ns) at which its request was begun.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type BenchTenant, EVENT_TYPE, VARIABLES } from "./bench-tenants.ts";
import { percentile } from "./figures.ts";
import { createRawHttp } from "./raw-http.ts";

export interface TriggerLoad {
  url: string;
  tenants: BenchTenant[];
  usersPerTenant: number;
  /** The tenants have named their users: their addresses are left to the directory, and users come from all of it. */
  named?: boolean;
  channels: string[];
  pace: { count: number } | { perSecond: number; seconds: number };
}

export interface TriggerResult {
  type: "triggered";
  triggered: number;
  p50Ms: number;
  p99Ms: number;
}

const CONNECTIONS = 128;
const TICK_MS = 2;
/** A prime, so that neighbours in time are none in the directory. */
const STRIDE = 7919;

const load = JSON.parse(process.argv[2] ?? "{}") as TriggerLoad;
const http = createRawHttp(load.url, CONNECTIONS);
const path = new URL(load.url).pathname;
const run = `${process.pid}-${Date.now()}`;
const latencies: number[] = [];
const faults: string[] = [];
let triggered = 0;

process.on("disconnect", () => process.exit());
if ("count" in load.pace) await asFastAsAnswered(load.pace.count);
else await paced(load.pace.perSecond, load.pace.seconds);
http.close();
if (faults.length > 0) {
  process.stderr.write(`${faults.length} events were not accepted: ${faults[0]}\n`);
  process.exit(1);
}
latencies.sort((a, b) => a - b);
process.send?.({
  type: "triggered",
  triggered,
  p50Ms: percentile(latencies, 50),
  p99Ms: percentile(latencies, 99),
} satisfies TriggerResult);

async function asFastAsAnswered(count: number): Promise<void> {
  const work = async () => {
    while (triggered < count) await trigger();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
}

async function paced(perSecond: number, seconds: number): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const start = performance.now();
  const total = perSecond * seconds;
  while (triggered < total) {
    const due = Math.min(total, ((performance.now() - start) / 1000) * perSecond);
    while (triggered < due) {
      const one = trigger().finally(() => underWay.delete(one));
      underWay.add(one);
    }
    await sleep(TICK_MS);
  }
  await Promise.all(underWay);
}

async function trigger(): Promise<void> {
  const at = triggered;
  triggered += 1;
  const tenant = load.tenants[at % load.tenants.length]!;
  const stride = load.named ? STRIDE : 1;
  const user = (Math.floor(at / load.tenants.length) * stride) % load.usersPerTenant;
  const sentAt = process.hrtime.bigint();
  const body = JSON.stringify({
    eventType: EVENT_TYPE,
    payload: {
      userId: `user-${user}`,
      ...(!load.named && {
        recipientEmail: `user-${user}@example.com`,
        recipientPhone: `+1202555${String(1000 + user).padStart(4, "0")}`,
      }),
    },
    channels: load.channels,
    variables: { ...VARIABLES, sentAt: String(sentAt) },
  });
  const headers = `content-type: application/json\r\nx-api-key: ${tenant.apiKey}\r\nx-idempotency-key: ${run}-${at}\r\n`;
  try {
    const answer = await http.post(path, headers, body);
    if (answer.status !== 200) faults.push(`${answer.status} ${answer.body}`);
  } catch (error) {
    faults.push(String(error));
  }
  latencies.push(Number(process.hrtime.bigint() - sentAt) / 1e6);
}
