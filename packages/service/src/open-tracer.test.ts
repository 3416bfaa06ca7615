import assert from "node:assert/strict";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { eventually } from "@belfry/testing/eventually";
import { listen } from "@belfry/testing/listen";
import { startTraceCollector } from "@belfry/testing/trace-collector";
import { register } from "prom-client";
import { createLogger } from "./logger.ts";
import { openTracer } from "./open-tracer.ts";
import { setTracer, spanFields, startStatement } from "./tracing.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const CALLER = `00-${TRACE}-${SPAN}-01`;
const UNSAMPLED = `00-${TRACE}-${SPAN}-00`;
const SERVER = { kind: "server" } as const;
/** Ends every export to a collector that misbehaves, on any machine. */
const TIMEOUT_MS = 500;

type Options = Partial<Parameters<typeof openTracer>[1]>;

function tracerFor(t: TestContext, url: string, options: Options = {}) {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLogger({ service: "test", level: "info", destination });
  const config = {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_TIMEOUT: TIMEOUT_MS,
    OTEL_TRACES_SAMPLER: "parentbased_always_on",
    OTEL_TRACES_SAMPLER_ARG: 1,
    ...options,
  } as const;
  const tracer = openTracer("test-service", config, log);
  t.after(() => tracer.close());
  const messages = () => lines.map(({ msg }) => msg);
  return { tracer, lines, messages };
}

/** How often something happened since `before`. */
async function counted(before: Record<string, number> = {}): Promise<Record<string, number>> {
  const { values } = await register.getSingleMetric("belfry_trace_spans_total")!.get();
  return Object.fromEntries(
    values.map(({ labels, value }) => {
      const outcome = String(labels.outcome);
      return [outcome, value - (before[outcome] ?? 0)];
    }),
  );
}

test("a span arrives with its parent, its links, its kind, its attributes and its fault", async (t) => {
  const collector = await startTraceCollector(t);
  const { tracer } = tracerFor(t, `${collector.url}/`);
  const request = tracer.startRequest(CALLER, false, "accept", {
    ...SERVER,
    attributes: { "http.request.method": "POST", "belfry.none": undefined },
  });
  assert.ok(request);
  const child = tracer.start("call", { kind: "client", parent: request.traceParent });
  const other = tracer.start("batch", { links: [request.traceParent, child.traceParent] });
  child.end({ "http.response.status_code": 503 }, "503");
  child.end({ late: true });
  other.end();
  request.end();
  await tracer.close();
  const [call, batch, accept] = collector.spans;
  assert.deepEqual(
    [accept?.service, accept?.traceId, accept?.parentSpanId, accept?.kind, accept?.isError],
    ["test-service", TRACE, SPAN, "SERVER", false],
  );
  assert.deepEqual(accept?.attributes, { "http.request.method": "POST" });
  assert.deepEqual(
    [call?.traceId, call?.parentSpanId, call?.kind, call?.isError],
    [TRACE, accept?.spanId, "CLIENT", true],
  );
  assert.deepEqual(call?.attributes, { "http.response.status_code": 503, "error.type": "503" });
  assert.notEqual(batch?.traceId, TRACE);
  assert.equal(batch?.parentSpanId, "");
  assert.deepEqual(batch?.links, [
    { traceId: TRACE, spanId: accept?.spanId },
    { traceId: TRACE, spanId: call?.spanId },
  ]);
  const fields = { trace_id: TRACE, span_id: accept?.spanId };
  assert.deepEqual(spanFields(request), fields);
});

test("what is disposed before its end counts as failed", async (t) => {
  const collector = await startTraceCollector(t);
  const { tracer } = tracerFor(t, collector.url);
  {
    using _span = tracer.start("attempt", {});
  }
  await tracer.close();
  assert.equal(collector.spans[0]?.isError, true);
});

test("an untrusted caller gives a trace and no say in what is recorded, whatever ids it chooses", (t) => {
  /** How many of 400 requests are recorded. */
  const recorded = (options: Options, trusts: boolean, parent: string | undefined) => {
    const { tracer } = tracerFor(t, "http://127.0.0.1:1", options);
    const spans = Array.from({ length: 400 }, () =>
      tracer.startRequest(parent, trusts, "accept", SERVER),
    );
    return spans.filter((span) => span !== undefined).length;
  };
  const never = { OTEL_TRACES_SAMPLER: "parentbased_always_off" } as const;
  const always = { OTEL_TRACES_SAMPLER: "parentbased_always_on" } as const;
  const half = {
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: 0.5,
  } as const;
  const byId = { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: 0.5 } as const;
  for (const parent of [CALLER, UNSAMPLED, undefined]) {
    assert.equal(recorded(never, false, parent), 0);
    assert.equal(recorded(always, false, parent), 400);
    for (const options of [half, byId]) {
      const some = recorded(options, false, parent);
      // Chance alone leaves this range once in 10^21 runs.
      assert.ok(some > 100 && some < 300, `${some} of 400`);
    }
  }
  assert.equal(recorded(never, true, CALLER), 400);
  assert.equal(recorded(never, true, undefined), 0);
  assert.equal(recorded(always, true, UNSAMPLED), 0);
  assert.equal(recorded(half, true, CALLER), 400);
  assert.ok([0, 400].includes(recorded(byId, true, CALLER)), "all by the same id");
});

test("a hostile traceparent is no parent, and tracestate is never read", async (t) => {
  const collector = await startTraceCollector(t);
  const { tracer } = tracerFor(t, collector.url);
  const hostile = [
    `${CALLER}, ${CALLER}`,
    `01-${TRACE}-${SPAN}-01-${"x".repeat(8000)}`,
    "\0",
    "00",
  ];
  for (const parent of hostile) tracer.startRequest(parent, true, "accept", SERVER)?.end();
  await tracer.close();
  assert.equal(collector.spans.length, hostile.length);
  for (const span of collector.spans) {
    assert.notEqual(span.traceId, TRACE);
    assert.deepEqual([span.parentSpanId, span.traceState], ["", ""]);
  }
});

test("a batch's statement links to its sampled items, and is recorded only if there are any", async (t) => {
  const collector = await startTraceCollector(t);
  const { tracer } = tracerFor(t, collector.url);
  const parentOf = (parent: string | null) => parent;
  assert.equal(startStatement("accept_events", [CALLER], parentOf), undefined);
  t.after(() => setTracer(undefined));
  setTracer(tracer);
  assert.equal(startStatement("accept_events", [null, null], parentOf), undefined);
  startStatement("accept_events", [null, CALLER, CALLER], parentOf)?.end();
  await tracer.close();
  const [span] = collector.spans;
  assert.equal(span?.links.length, 2);
  assert.deepEqual(span?.attributes, {
    "db.system.name": "postgresql",
    "db.stored_procedure.name": "accept_events",
    "db.operation.batch.size": 3,
  });
});

/** A collector that does everybody harm, by what it does with a connection or an answer. */
const HARMFUL: Record<string, (t: TestContext) => Promise<{ url: string; received(): number }>> = {
  "is down": async () => ({ url: "http://127.0.0.1:1", received: () => 1 }),
  "answers 500": async (t) => {
    const collector = await startTraceCollector(t);
    collector.answer = (response) => {
      response.statusCode = 500;
      response.end("no ".repeat(1000));
    };
    return { url: collector.url, received: () => collector.requests.length };
  },
  "answers 200 with a page": async (t) => {
    const collector = await startTraceCollector(t);
    const headers = { "content-type": "text/html; charset=utf-8" };
    collector.answer = (response) =>
      void response.writeHead(200, headers).end("<!doctype html><title>Sign in</title>");
    return { url: collector.url, received: () => collector.requests.length };
  },
  "asks to come again in an hour": async (t) => {
    const collector = await startTraceCollector(t);
    collector.answer = (response) => void response.writeHead(503, { "retry-after": "3600" }).end();
    return { url: collector.url, received: () => collector.requests.length };
  },
  "never answers": async (t) => {
    let received = 0;
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      received += 1;
    });
    return { url: `http://127.0.0.1:${await listen(t, server)}`, received: () => received };
  },
  "answers a byte at a time, for ever": async (t) => {
    const collector = await startTraceCollector(t);
    collector.answer = (response) => {
      response.writeHead(500);
      const drip = setInterval(() => response.write("x"), 20);
      response.once("close", () => clearInterval(drip));
    };
    return { url: collector.url, received: () => collector.requests.length };
  },
  "answers 10 MB": async (t) => {
    const collector = await startTraceCollector(t);
    collector.answer = (response) =>
      void response.writeHead(500).end(Buffer.alloc(10 * 1024 * 1024));
    return { url: collector.url, received: () => collector.requests.length };
  },
};

for (const [harm, start] of Object.entries(HARMFUL)) {
  test(`spans for a collector that ${harm} are lost and counted, with one line in the log, and a stop does not wait for it`, async (t) => {
    const { url, received } = await start(t);
    const { tracer, lines, messages } = tracerFor(t, url);
    const before = await counted();
    // More than one export takes: the first begins at once.
    for (let span = 0; span < 600; span += 1) tracer.start("accept", {}).end();
    await eventually(() => received() > 0);
    await eventually(async () => assert.equal((await counted(before)).failed, 512));
    await tracer.close();
    await eventually(async () => assert.equal((await counted(before)).failed, 600));
    assert.deepEqual(messages(), ["spans cannot be exported: they are lost"]);
    assert.ok(JSON.stringify(lines).length < 1000, "nothing of what it wrote");
  });
}

test("spans that a collector does not take wait in a queue of 2,048; the others are lost and counted, with one line", async (t) => {
  const collector = await startTraceCollector(t);
  const release = Promise.withResolvers<void>();
  collector.answer = (response) => void release.promise.then(() => response.end());
  const { tracer, messages } = tracerFor(t, collector.url, { OTEL_EXPORTER_OTLP_TIMEOUT: 60_000 });
  const before = await counted();
  for (let span = 0; span < 5000; span += 1) tracer.start("accept", {}).end();
  const lost = (await counted(before)).queue_full!;
  assert.equal(lost, 5000 - 2048 - 512);
  assert.deepEqual(messages(), ["too many spans wait for their export: the others are lost"]);
  release.resolve();
  await tracer.close();
  await eventually(async () => assert.equal((await counted(before)).exported, 5000 - lost));
  assert.equal(collector.spans.length, 5000 - lost);
});

test("spans are exported again when the collector is back, which the log says", async (t) => {
  const collector = await startTraceCollector(t);
  let isAway = true;
  collector.answer = (response) => void response.writeHead(isAway ? 400 : 200).end();
  const { tracer, messages } = tracerFor(t, collector.url);
  const before = await counted();
  const some = () => {
    for (let span = 0; span < 512; span += 1) tracer.start("accept", {}).end();
  };
  some();
  await eventually(async () => assert.equal((await counted(before)).failed, 512));
  isAway = false;
  some();
  await eventually(async () => assert.equal((await counted(before)).exported, 512));
  assert.deepEqual(messages(), [
    "spans cannot be exported: they are lost",
    "spans are exported again",
  ]);
});
