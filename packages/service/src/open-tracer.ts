import { randomUUID } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import {
  ROOT_CONTEXT,
  type Span as SdkSpan,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  NodeTracerProvider,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-node";
import type { CommonConfig } from "./config.ts";
import type { Logger } from "./logger.ts";
import { counter } from "./metrics.ts";
import { within } from "./pause.ts";
import { parseTraceParent } from "./trace-id.ts";
import { faultOf, type Span, type SpanStart, type Tracer } from "./tracing.ts";

type TracingConfig = Pick<
  CommonConfig,
  | "OTEL_EXPORTER_OTLP_ENDPOINT"
  | "OTEL_EXPORTER_OTLP_TIMEOUT"
  | "OTEL_TRACES_SAMPLER"
  | "OTEL_TRACES_SAMPLER_ARG"
>;

export interface OpenTracer extends Tracer {
  /** Exports the waiting spans for at most a second, and closes all connections. */
  close(): Promise<void>;
}

/** The maximum number of spans that wait for their export. Further spans are dropped. */
const MAX_WAITING_SPANS = 2048;
const MAX_SPANS_OF_EXPORT = 512;
/** The maximum number of exports at a time. At a stop, all waiting spans are exported while one export still runs. */
const EXPORTS_AT_A_TIME = 1 + MAX_WAITING_SPANS / MAX_SPANS_OF_EXPORT;
/** More than the items in a batch of any service. */
const MAX_LINKS = 256;
const MAX_ATTRIBUTE_CHARACTERS = 256;
const CLOSE_WITHIN_MS = 1000;

const KINDS = {
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  producer: SpanKind.PRODUCER,
  server: SpanKind.SERVER,
} as const;

const spans = counter(
  "belfry_trace_spans_total",
  "Ended spans by result: exported, failed or queue_full",
  ["outcome"],
);
for (const outcome of ["exported", "failed", "queue_full"]) spans.inc({ outcome }, 0);

/**
 * Opens the export of spans over OTLP/HTTP. The SDK itself reads the headers, the resource's attributes and the delay
 * of an export from the standard variables. This file is imported only if tracing is on, because it loads the SDK.
 */
export function openTracer(service: string, config: TracingConfig, log: Logger): OpenTracer {
  const collector = connectCollector(config, log);
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(
        resourceFromAttributes({
          "service.name": service,
          "service.namespace": "belfry",
          "service.instance.id": randomUUID(),
        }),
      )
      .merge(detectResources({ detectors: [envDetector] })),
    // We decide on sampling before a span is started, so the SDK records all spans.
    sampler: new AlwaysOnSampler(),
    spanLimits: {
      linkCountLimit: MAX_LINKS,
      attributeValueLengthLimit: MAX_ATTRIBUTE_CHARACTERS,
    },
    spanProcessors: [collector.processor],
  });
  const sdk = provider.getTracer("belfry");
  const sampler = samplerOf(config);
  const isParentBased = config.OTEL_TRACES_SAMPLER.startsWith("parentbased_");
  const ids = new RandomIdGenerator();

  const isSampled = (traceId: string) => {
    const result = sampler.shouldSample(ROOT_CONTEXT, traceId, "", SpanKind.SERVER, {}, []);
    return result.decision === SamplingDecision.RECORD_AND_SAMPLED;
  };
  const startSpan = (name: string, parent: SpanContext | undefined, start: SpanStart): Span => {
    const { kind, links = [], attributes = {}, startedAt } = start;
    const options = {
      kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind],
      links: links.map((link) => ({ context: contextOf(link) })),
      attributes,
      ...(startedAt !== undefined && { startTime: startedAt }),
    };
    const context = parent && trace.setSpanContext(ROOT_CONTEXT, parent);
    return spanOf(sdk.startSpan(name, options, context ?? ROOT_CONTEXT));
  };

  return {
    startRequest(callersParent, trusts, name, start) {
      const caller = callersParent === undefined ? undefined : parseTraceParent(callersParent);
      let sampled: boolean;
      if (caller !== undefined && trusts) {
        sampled = isParentBased ? caller.sampled : isSampled(caller.traceId);
      } else {
        // We decide by a new id: otherwise a caller could choose trace ids that a ratio always samples.
        sampled = isSampled(ids.generateTraceId());
      }
      if (!sampled) return undefined;
      return startSpan(name, caller && remote(caller.traceId, caller.spanId), start);
    },
    start: (name, start) =>
      startSpan(name, start.parent ? contextOf(start.parent) : undefined, start),
    async close() {
      await within(provider.shutdown(), CLOSE_WITHIN_MS, undefined).catch(() => undefined);
      collector.close();
    },
  };
}

function samplerOf({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG }: TracingConfig): Sampler {
  if (OTEL_TRACES_SAMPLER.endsWith("always_on")) return new AlwaysOnSampler();
  if (OTEL_TRACES_SAMPLER.endsWith("always_off")) return new AlwaysOffSampler();
  return new TraceIdRatioBasedSampler(OTEL_TRACES_SAMPLER_ARG);
}

function spanOf(span: SdkSpan): Span {
  const { traceId, spanId } = span.spanContext();
  const end: Span["end"] = (attributes, fault) => {
    if (!span.isRecording()) return;
    if (attributes !== undefined) span.setAttributes(attributes);
    if (fault !== undefined) {
      span.setAttribute("error.type", fault).setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  };
  return {
    traceParent: `00-${traceId}-${spanId}-01`,
    end,
    [Symbol.dispose]: () => end(undefined, "_OTHER"),
  };
}

/** Reads a `traceparent` that we have written, so its form is not checked. */
function contextOf(traceParent: string): SpanContext {
  return remote(traceParent.slice(3, 35), traceParent.slice(36, 52));
}

function remote(traceId: string, spanId: string): SpanContext {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

/** Node's diagnostics channel for responses to its HTTP clients. */
const ANSWERS = "http.client.response.finish";

/**
 * Exports spans in batches from a bounded queue. Each export ends within the timeout, even if the collector is slow.
 * Counts the lost spans, and logs the first failure and the first success after it.
 */
function connectCollector(config: TracingConfig, log: Logger) {
  const timeoutMs = config.OTEL_EXPORTER_OTLP_TIMEOUT;
  const agents: (HttpAgent | HttpsAgent)[] = [];
  const exporter = new OTLPTraceExporter({
    url: `${config.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/$/, "")}/v1/traces`,
    timeoutMillis: timeoutMs,
    concurrencyLimit: EXPORTS_AT_A_TIME,
    httpAgentOptions(protocol) {
      const agent = new (protocol === "https:" ? HttpsAgent : HttpAgent)({ keepAlive: true });
      agents.push(agent);
      return agent;
    },
  });
  // The exporter accepts any answer with status 200, even an HTML page that a proxy sends, such as a sign-in.
  let isPage = false;
  const noteAnswer = (event: unknown) => {
    const { request, response } = event as {
      request: ClientRequest & { agent?: unknown };
      response: IncomingMessage;
    };
    if (!agents.some((agent) => agent === request.agent)) return;
    isPage = /^text\/html\b/i.test(response.headers["content-type"] ?? "");
  };
  subscribe(ANSWERS, noteAnswer);
  const closeConnections = () => {
    for (const agent of agents) agent.destroy();
  };
  let waiting = 0;
  let failing = false;
  let isFull = false;

  const counted: SpanExporter = {
    export(batch, done) {
      waiting -= batch.length;
      isFull = false;
      // The exporter's own timeout restarts with each byte of an answer.
      const timer = setTimeout(closeConnections, timeoutMs);
      exporter.export(batch, (result) => {
        clearTimeout(timer);
        const hasFailed = result.error !== undefined || isPage;
        spans.inc({ outcome: hasFailed ? "failed" : "exported" }, batch.length);
        if (hasFailed !== failing) {
          failing = hasFailed;
          // We log a status or a code, never the collector's text.
          const why = result.error === undefined ? "text/html" : faultOf(result.error);
          if (failing) log.warn({ why }, "spans cannot be exported: they are lost");
          else log.info("spans are exported again");
        }
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
  const batches = new BatchSpanProcessor(counted, {
    maxQueueSize: MAX_WAITING_SPANS,
    maxExportBatchSize: MAX_SPANS_OF_EXPORT,
    exportTimeoutMillis: 2 * timeoutMs,
  });
  const processor: SpanProcessor = {
    onStart: (span, context) => batches.onStart(span, context),
    onEnd(span) {
      if (waiting >= MAX_WAITING_SPANS) {
        spans.inc({ outcome: "queue_full" });
        if (!isFull)
          log.warn({ waiting }, "too many spans wait for their export: the others are lost");
        isFull = true;
        return;
      }
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
  return {
    processor,
    close() {
      unsubscribe(ANSWERS, noteAnswer);
      closeConnections();
    },
  };
}
