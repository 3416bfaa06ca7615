/**
 * `node test/bench/batches.ts [pairs]`: what an event costs in a batch of 100, beside one in a call of its own. Rounds of
 * both in turn on one ingest-api, each of so many events, each with a key of its own; CPU time by the kernel's count.
 */

import { TRIGGER_PATH } from "@belfry/contracts/trigger";
import { MAX_EVENTS_OF_BATCH, TRIGGER_BATCH_PATH } from "@belfry/contracts/trigger-batch";
import { freePort } from "@belfry/testing/free-port";
import { createBenchTenants, EVENT_TYPE, VARIABLES } from "./bench-tenants.ts";
import { type CpuMicros, cpuMicros, cpuTimes } from "./cpu-time.ts";
import { median, printLine } from "./figures.ts";
import { createRawHttp } from "./raw-http.ts";
import { startServers } from "./servers.ts";
import { startService } from "./start-service.ts";

const PAIRS = Number(process.argv[2] ?? 9);
const EVENTS = 20_000;
const SINGLE_CONNECTIONS = 128;
const BATCH_CONNECTIONS = 2;
const WARM_UP = ["single", "batch", "single", "batch"] as const;

await using cleanup = new AsyncDisposableStack();
const servers = cleanup.use(await startServers({ quick: false }));
const vendorUrl = "http://127.0.0.1:9";
const [tenant] = await createBenchTenants(servers, { count: 1, vendorUrl });
const port = await freePort();
cleanup.use(await startService("ingest-api", servers, { INGEST_API_PORT: String(port) }));
const url = `http://127.0.0.1:${port}`;
let triggered = 0;

const kinds = {
  single: async (http: RawHttp) => {
    const at = nextEvent();
    const body = JSON.stringify(eventOf(at));
    await post(http, TRIGGER_PATH, `x-idempotency-key: key-${at}\r\n`, body);
  },
  batch: async (http: RawHttp) => {
    const events = Array.from({ length: MAX_EVENTS_OF_BATCH }, () => {
      const at = nextEvent();
      return { ...eventOf(at), idempotencyKey: `key-${at}` };
    });
    const body = await post(http, TRIGGER_BATCH_PATH, "", JSON.stringify({ events }));
    const { results } = JSON.parse(body) as { results: { statusCode: number }[] };
    if (results.some(({ statusCode }) => statusCode !== 200)) throw new Error(body);
  },
};
type RawHttp = ReturnType<typeof createRawHttp>;

const PARTS = ["ingest-api", "postgres", "nats"];
printLine(["pair", ...PARTS.map((part) => `1: ${part}`), ...PARTS.map((part) => `100: ${part}`)]);
for (const kind of WARM_UP) await measure(kind);
const ratios: number[] = [];
for (let pair = 1; pair <= PAIRS; pair += 1) {
  const found: Partial<Record<keyof typeof kinds, CpuMicros>> = {};
  for (const kind of ["single", "batch"] as const) found[kind] = await measure(kind);
  const [single, batch] = [found.single!, found.batch!];
  ratios.push(batch["ingest-api"]! / single["ingest-api"]!);
  printLine([pair, ...[single, batch].flatMap((one) => PARTS.map((part) => one[part] ?? 0))]);
}
ratios.sort((a, b) => a - b);
const [least, most] = [ratios[0]!, ratios.at(-1)!].map((ratio) => ratio.toFixed(2));
process.stdout.write(`median ratio ${median(ratios).toFixed(2)} (${least} to ${most})\n`);

/** CPU µs an event, by part. */
async function measure(kind: keyof typeof kinds): Promise<CpuMicros> {
  const connections = kind === "single" ? SINGLE_CONNECTIONS : BATCH_CONNECTIONS;
  const http = createRawHttp(url, connections);
  const before = await cpuTimes();
  const until = triggered + EVENTS;
  const work = async () => {
    while (triggered < until) await kinds[kind](http);
  };
  await Promise.all(Array.from({ length: connections }, work));
  const cpu = cpuMicros(before, await cpuTimes(), EVENTS);
  http.close();
  return cpu;
}

function nextEvent(): number {
  triggered += 1;
  return triggered;
}

function eventOf(at: number) {
  return {
    eventType: EVENT_TYPE,
    payload: {
      userId: `user-${at % 1000}`,
      recipientEmail: `user-${at % 1000}@example.com`,
      recipientPhone: "+12025550123",
    },
    variables: { ...VARIABLES, sentAt: String(at) },
  };
}

async function post(http: RawHttp, path: string, headers: string, body: string): Promise<string> {
  const own = `content-type: application/json\r\nx-api-key: ${tenant!.apiKey}\r\n${headers}`;
  const answer = await http.post(path, own, body);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`);
  return answer.body;
}
