import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createLogger } from "@belfry/service/logger";
import { openTracer } from "@belfry/service/open-tracer";
import { setTracer } from "@belfry/service/tracing";
import { startTraceCollector } from "@belfry/testing/trace-collector";
import { dispatcherUnderTest, eventsMessage } from "../test/dispatcher-under-test.ts";
import { createEventHandler } from "./event-handler.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceParent = `00-${TRACE}-00f067aa0ba902b7-01`;

/** A dispatcher whose statements and spans are seen. */
async function traced(t: TestContext) {
  const under = await dispatcherUnderTest(t);
  const tenant = await under.tenant();
  await under.templates(tenant, "order.confirmed");
  const collector = await startTraceCollector(t);
  const config = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_TIMEOUT: 3000,
    OTEL_TRACES_SAMPLER: "parentbased_always_on",
    OTEL_TRACES_SAMPLER_ARG: 1,
  } as const;
  const tracer = openTracer("dispatcher", config, createLogger({ service: "t", level: "silent" }));
  t.after(() => tracer.close());
  t.after(() => setTracer(undefined));
  const statements: string[] = [];
  const query = under.pool.query.bind(under.pool) as (...all: unknown[]) => unknown;
  const recording = (...all: unknown[]) => {
    const [{ name, text }] = all as [{ name?: string; text?: string }];
    statements.push(name ?? text ?? String(all[0]));
    return query(...all);
  };
  const pool = Object.assign(Object.create(under.pool), { query: recording }) as typeof under.pool;
  const handler = createEventHandler({ ...under.deps, pool });
  return {
    ...under,
    tenant,
    tracer,
    collector,
    /** Handles events and returns the statements that this took. */
    async handle(ids: string[]) {
      statements.length = 0;
      const signal = new AbortController().signal;
      await handler([eventsMessage(ids)], { log: under.log, signal });
      return [...statements];
    },
  };
}

test("an event that is not recorded takes the same statements with tracing as without, at once or later, and makes no span", async (t) => {
  const { tenant, tracer, collector, events, handle, pool } = await traced(t);
  const rested = async (ids: string[]) => {
    await pool.sql`update events set send_at = now() where id = any (${ids})`;
    return ids;
  };
  const given = () => events(tenant, { userId: "a" });
  // The first fills the caches.
  await handle(await given());
  const off = [await handle(await given()), await handle(await rested(await given()))];
  setTracer(tracer);
  const on = [await handle(await given()), await handle(await rested(await given()))];
  assert.deepEqual(on, off);
  const later = { traceParent };
  const [sampled] = await events(tenant, { userId: "a", later });
  assert.deepEqual(await handle([sampled!]), off[0], "nor does a recorded one that leaves at once");
  const [rests] = await rested(await events(tenant, { userId: "a", later }));
  assert.deepEqual(
    (await handle([rests!])).filter((name) => !off[1]!.includes(name)),
    ["move_traces"],
  );
  await tracer.close();
  const dispatched = collector.spans.filter(({ name }) => name === "dispatch");
  assert.deepEqual(
    dispatched.map(({ attributes }) => attributes["belfry.event.id"]),
    [sampled, rests],
  );
});

test("of a batch only what is recorded has spans, and its statement links to them and says how many it served", async (t) => {
  const { tenant, tracer, collector, events, handle, sent } = await traced(t);
  setTracer(tracer);
  const later = { traceParent };
  const [one = "", two = "", three = ""] = await events(
    tenant,
    { userId: "a", later },
    { userId: "b" },
    { userId: "c", later },
  );
  await handle([one, two, three]);
  await tracer.close();
  const dispatched = collector.spans.filter(({ name }) => name === "dispatch");
  assert.deepEqual(
    dispatched.map(({ attributes }) => attributes["belfry.event.id"]).sort(),
    [one, three].sort(),
  );
  const statement = collector.spans.find(({ name }) => name === "dispatch_events");
  assert.equal(statement?.attributes["db.operation.batch.size"], 3);
  assert.deepEqual(
    statement?.links.map(({ spanId }) => spanId).sort(),
    dispatched.map(({ spanId }) => spanId).sort(),
  );
  const recorded = sent.deliveries.filter((delivery) => delivery.traceParent !== null);
  assert.ok(recorded.length > 0 && recorded.length < sent.deliveries.length);
});

test("what fails is a span that says so, with the code of the fault", async (t) => {
  const { tenant, tracer, collector, events, handle, pool } = await traced(t);
  setTracer(tracer);
  const [id] = await events(tenant, { later: { traceParent } });
  await pool.query("alter table deliveries rename to gone");
  await assert.rejects(handle([id!]));
  await tracer.close();
  for (const name of ["dispatch", "dispatch_events"]) {
    const span = collector.spans.find((one) => one.name === name);
    assert.equal(span?.isError, true, name);
    // undefined_table
    assert.equal(span?.attributes["error.type"], "42P01", name);
  }
});
