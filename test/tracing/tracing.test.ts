import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { listDigests, releaseDigest } from "@belfry/administration/events/digests";
import { actsIn, putActiveProvider } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { webhookActs } from "@belfry/administration/test/webhook-world";
import { putWebhook } from "@belfry/administration/webhooks/webhooks";
import { eventually } from "@belfry/testing/eventually";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { type CollectedSpan, startTraceCollector } from "@belfry/testing/trace-collector";
import { wholeFile } from "@belfry/testing/whole-file";
import { settled } from "../end-to-end/outcome.ts";
import { freshKey, startStack, trigger } from "../end-to-end/stack.ts";
import { connectedBrowser } from "../end-to-end/trace.ts";

/** What a collector gets of events, through every process. */

const cleanup = wholeFile();
const collector = await startTraceCollector(cleanup);
const stack = await startStack(cleanup, {
  env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "20" },
});

const CALLERS_SPAN = "00f067aa0ba902b7";

/** Triggers an event as the child of a caller's span; returns its id, its trace and how the caller named it. */
async function traced(
  apiKey: string,
  over: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) {
  const traceId = randomBytes(16).toString("hex");
  const traceparent = `00-${traceId}-${CALLERS_SPAN}-01`;
  const answer = await trigger(stack.apiUrls[0], apiKey, over, {
    ...freshKey(),
    traceparent,
    ...headers,
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return { eventId: answer.headers.get("x-event-id") ?? "", traceId };
}

const spansOf = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);

/** A message may come twice: what it does then is marked, and a second release is no part of a dispatch. */
const isRepeated = ({ name, parentSpanId, traceId, attributes }: CollectedSpan) =>
  attributes["belfry.outcome"] === "repeated" ||
  (name === "release" &&
    spansOf(traceId).some((one) => one.name === "accept" && one.spanId === parentSpanId));

/** Waits until the trace has these spans, in any order, and returns them by name; each of them is there once. */
async function traceWith(traceId: string, ...names: string[]) {
  return await eventually(() => {
    const spans = spansOf(traceId).filter((span) => !isRepeated(span));
    assert.deepEqual(spans.map(({ name }) => name).sort(), [...names].sort());
    return Object.fromEntries(spans.map((span) => [span.name, span])) as Record<
      string,
      CollectedSpan
    >;
  });
}

/** The statements that have run for a batch with this span in it. */
const statementsFor = ({ spanId }: CollectedSpan) =>
  collector.spans
    .filter(
      ({ links, parentSpanId }) =>
        parentSpanId === "" && links.some((one) => one.spanId === spanId),
    )
    .map(({ attributes }) => attributes["db.stored_procedure.name"]);

const place = (span: CollectedSpan | undefined) => [span?.service, span?.kind, span?.parentSpanId];

test("one trace leads from the caller through the trigger, dispatch, release and attempt to the vendor's call", async (t) => {
  const { id: tenantId, apiKey } = await stack.createReadyTenant({}, { channels: [] });
  const vendor = await startRecordingServer(t);
  vendor.answer = { status: 202 };
  const settings = { apiKey: "SG.key", from: "shop@example.com", baseUrl: vendor.url };
  const provider = { tenantId, channel: "EMAIL", kind: "sendgrid", settings } as const;
  await putActiveProvider(stack.db, provider, { keys: stack.keys, allowPrivateAddresses: true });
  const email = { eventType: "order.confirmed", channel: "EMAIL", subject: "Order" } as const;
  await putTemplate(stack.db, { tenantId, ...email, content: "<p>{{orderId}}</p>" });

  const { eventId, traceId } = await traced(apiKey, {}, { "x-trace-id": "mine" });
  const names = ["accept", "dispatch", "release", "attempt", "call"] as const;
  const spans = await traceWith(traceId, ...names);
  const { accept, dispatch, release, attempt, call } = spans;
  assert.deepEqual(place(accept), ["ingest-api", "SERVER", CALLERS_SPAN]);
  assert.deepEqual(place(dispatch), ["dispatcher", "CONSUMER", accept?.spanId]);
  assert.deepEqual(place(release), ["dispatcher", "PRODUCER", dispatch?.spanId]);
  assert.deepEqual(place(attempt), ["email-sender", "CONSUMER", accept?.spanId]);
  assert.deepEqual(place(call), ["email-sender", "CLIENT", attempt?.spanId]);
  for (const [at, name] of names.entries()) {
    const span = spans[name]!;
    assert.ok(span.startedAt <= span.endedAt, name);
    assert.equal(span.isError, false, name);
    // Spans count milliseconds.
    if (at > 0) assert.ok(span.startedAt >= accept!.startedAt - 1_000_000n, name);
  }
  assert.deepEqual(accept?.attributes, {
    "http.request.method": "POST",
    "http.response.status_code": 200,
    "http.route": "/api/v1/events/trigger",
    "url.path": "/api/v1/events/trigger",
    "url.scheme": "http",
    "belfry.tenant.id": tenantId,
    "belfry.event.id": eventId,
    "belfry.event.type": "order.confirmed",
    "belfry.outcome": "accepted",
  });
  const { "belfry.provider.id": providerId, ...ofCall } = call?.attributes ?? {};
  assert.ok(providerId);
  assert.deepEqual(ofCall, {
    "belfry.provider.kind": "sendgrid",
    "belfry.attempt.class": "accepted",
    "belfry.vendor.status": "202",
  });
  assert.equal(attempt?.attributes["belfry.event.id"], eventId);
  assert.equal(attempt?.attributes["belfry.attempt.number"], 1);
  await eventually(() => {
    assert.deepEqual(statementsFor(accept!).sort(), ["accept_events", "claim_deliveries"]);
    assert.deepEqual(statementsFor(dispatch!), ["dispatch_events"]);
  });

  // Belfry's own trace id stays beside it.
  await eventually(() => {
    const lines = Object.values(stack.processes).flatMap((process) => process.logs());
    for (const [msg, span] of Object.entries({ request: accept, dispatched: dispatch, attempt })) {
      const line = lines.find((one) => one.msg === msg && one.eventId === eventId);
      const fields = ["mine", traceId, span?.spanId];
      assert.deepEqual([line?.traceId, line?.trace_id, line?.span_id], fields, msg);
    }
  });
});

test("one trace leads to the browser's publication, and to the call of the tenant's endpoint", async (t) => {
  const tenant = await stack.createReadyTenant({}, { channels: ["PUSH"] });
  const receiver = await startRecordingServer(t);
  const acts = webhookActs(stack.db, { keys: stack.keys, allowPrivateAddresses: true });
  const endpoint = {
    tenantId: tenant.id,
    url: receiver.url,
    types: ["notification.created" as const],
  };
  await acts(putWebhook, endpoint);
  await using browser = await connectedBrowser(stack, tenant.apiKey);
  const { eventId, traceId } = await traced(tenant.apiKey);
  await eventually(() => browser.pushed.length === 1);
  assert.ok(!JSON.stringify(browser.pushed).includes(traceId), "it is no business of the browser");
  const spans = await traceWith(traceId, "accept", "dispatch", "publish", "push", "webhook call");
  assert.deepEqual(place(spans.publish), ["dispatcher", "PRODUCER", spans.dispatch?.spanId]);
  assert.deepEqual(place(spans.push), ["realtime-gateway", "CONSUMER", spans.publish?.spanId]);
  const call = spans["webhook call"];
  assert.deepEqual(place(call), ["webhook-sender", "CLIENT", spans.accept?.spanId]);
  assert.equal(call?.attributes["http.request.method"], "POST");
  assert.equal(call?.attributes["http.response.status_code"], 200);
  for (const { headers } of receiver.requests) assert.equal(headers.traceparent, undefined);
  await eventually(() => {
    const pushed = stack.processes.gateway?.logs().find((line) => line.eventId === eventId);
    assert.deepEqual([pushed?.trace_id, pushed?.span_id], [traceId, spans.push?.spanId]);
  });
});

test("a failed call is an error with its class, and the next attempt is in the same trace", async (t) => {
  const { id: tenantId, apiKey } = await stack.createReadyTenant({}, { channels: [] });
  const vendor = await startRecordingServer(t);
  vendor.next({ status: 503 });
  vendor.answer = { status: 202 };
  const settings = { apiKey: "SG.key", from: "shop@example.com", baseUrl: vendor.url };
  const provider = { tenantId, channel: "EMAIL", kind: "sendgrid", settings } as const;
  await putActiveProvider(stack.db, provider, { keys: stack.keys, allowPrivateAddresses: true });
  const email = { eventType: "order.confirmed", channel: "EMAIL", subject: "Order" } as const;
  await putTemplate(stack.db, { tenantId, ...email, content: "<p>{{orderId}}</p>" });
  const { eventId, traceId } = await traced(apiKey);
  const failed = await eventually(() => {
    const [call] = spansOf(traceId).filter(({ name }) => name === "call");
    assert.ok(call);
    return call;
  });
  assert.equal(failed.isError, true);
  assert.equal(failed.attributes["error.type"], "transient");
  // Its retry comes later than a test waits for: it is due now.
  await eventually(async () => {
    const { rowCount } = await stack.pool.query(
      "update deliveries set due_at = now() where event_id = $1 and status = 'waiting'",
      [eventId],
    );
    assert.equal(rowCount, 1);
  });
  await eventually(() => {
    const attempts = spansOf(traceId).filter(({ name }) => name === "attempt");
    assert.deepEqual(
      attempts.map(({ attributes }) => attributes["belfry.attempt.number"]).sort(),
      [1, 2],
    );
    const releases = spansOf(traceId).filter(({ name }) => name === "release");
    assert.ok(releases.length >= 2);
  });
});

test("what was to be sent later begins a trace of its own, with a link to its acceptance", async () => {
  const tenant = await stack.createReadyTenant({}, { channels: ["EMAIL"] });
  const { eventId, traceId } = await traced(tenant.apiKey, { delaySeconds: 1 });
  await settled(stack, eventId);
  const { accept } = await traceWith(traceId, "accept");
  const dispatch = await eventually(() => {
    const found = collector.spans.find(
      ({ name, attributes }) => name === "dispatch" && attributes["belfry.event.id"] === eventId,
    );
    assert.ok(found);
    return found;
  });
  assert.notEqual(dispatch.traceId, traceId);
  assert.equal(dispatch.parentSpanId, "");
  assert.deepEqual(dispatch.links, [{ traceId, spanId: accept?.spanId }]);
  const spans = await traceWith(dispatch.traceId, "dispatch", "release", "attempt", "call");
  assert.equal(spans.attempt?.parentSpanId, dispatch.spanId);
});

test("a digest's attempt begins a trace of its own, with links to the events that it gathers", async () => {
  const eventType = "comment.posted";
  const tenant = await stack.createReadyTenant({}, { eventType, channels: ["EMAIL"] });
  await putTemplate(stack.db, {
    ...{ tenantId: tenant.id, eventType, channel: "EMAIL" },
    subject: "{{$count}} new comments",
    content: "<p>{{$count}}</p>",
    digest: { windowSeconds: 3600 },
  });
  const events = [
    await traced(tenant.apiKey, { eventType }),
    await traced(tenant.apiKey, { eventType }),
  ];
  const origins = await Promise.all(
    events.map(async ({ traceId }) => {
      const { accept } = await traceWith(traceId, "accept", "dispatch");
      return { traceId, spanId: accept?.spanId };
    }),
  );
  const [digest] = await eventually(async () => {
    const found = await actsIn(stack.db, tenant.id)(listDigests, {});
    assert.deepEqual(
      found.map(({ count }) => count),
      [2],
    );
    return found;
  });
  await actsIn(stack.db, tenant.id)(releaseDigest, { id: digest!.id });
  const attempt = await eventually(() => {
    const found = collector.spans.find(
      ({ attributes }) => attributes["belfry.digest.id"] === digest!.id,
    );
    assert.ok(found);
    return found;
  });
  assert.equal(attempt.parentSpanId, "");
  assert.deepEqual(attempt.links, origins);
  await traceWith(attempt.traceId, "attempt", "call");
});

test("an invalid traceparent is ignored, tracestate is not read, and no span holds personal data", async () => {
  const tenant = await stack.createReadyTenant();
  const hostile = { traceparent: "00-not-a-trace-01", tracestate: `secret=${"x".repeat(2000)}` };
  const over = {
    payload: {
      userId: "user-secret-1",
      recipientEmail: "secret.ann@example.com",
      recipientPhone: "+12025550199",
    },
    variables: { name: "Secret Name", orderId: "secret-order" },
    eventId: "secret-reference",
    cancelKey: "secret-key",
  };
  const { eventId } = await traced(tenant.apiKey, over, hostile);
  const traceId = await eventually(() => {
    const found = collector.spans.find(
      ({ attributes }) => attributes["belfry.event.id"] === eventId,
    );
    assert.ok(found);
    return found.traceId;
  });
  await settled(stack, eventId);
  await eventually(() => {
    const names = spansOf(traceId).map(({ name }) => name);
    assert.deepEqual(names.filter((name) => name === "call").length, 2, names.join());
  });
  const [accept] = spansOf(traceId).filter(({ name }) => name === "accept");
  assert.deepEqual([accept?.parentSpanId, accept?.traceState], ["", ""]);
  const everything = JSON.stringify(collector.spans, (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  assert.doesNotMatch(everything, /secret/i);
  assert.ok(!everything.includes("@") && !everything.includes("2025550"), "no address");
  assert.ok(!everything.includes(tenant.apiKey), "no key");
});
