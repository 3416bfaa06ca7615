import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import protobuf from "protobufjs";
import type { Cleanup } from "./cleanup.ts";
import { listen } from "./listen.ts";

/** Messages of opentelemetry-proto 1.x, without the fields that we do not read. */
const MESSAGES = `
  syntax = "proto3";
  message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue {
    oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; }
  }
  message Span {
    bytes trace_id = 1;
    bytes span_id = 2;
    string trace_state = 3;
    bytes parent_span_id = 4;
    string name = 5;
    SpanKind kind = 6;
    fixed64 start_time_unix_nano = 7;
    fixed64 end_time_unix_nano = 8;
    repeated KeyValue attributes = 9;
    repeated Link links = 13;
    Status status = 15;
    message Link { bytes trace_id = 1; bytes span_id = 2; }
    enum SpanKind { UNSPECIFIED = 0; INTERNAL = 1; SERVER = 2; CLIENT = 3; PRODUCER = 4; CONSUMER = 5; }
  }
  message Status { enum Code { UNSET = 0; OK = 1; ERROR = 2; } Code code = 3; }
`;

type Attributes = Record<string, string | number | boolean>;

interface SpanId {
  traceId: string;
  spanId: string;
}

export interface CollectedSpan extends SpanId {
  service: string;
  name: string;
  kind: "INTERNAL" | "SERVER" | "CLIENT" | "PRODUCER" | "CONSUMER";
  /** Empty if the span begins its trace. */
  parentSpanId: string;
  traceState: string;
  links: SpanId[];
  attributes: Attributes;
  isError: boolean;
  /** Nanoseconds since 1970; `endedAt` too. */
  startedAt: bigint;
  endedAt: bigint;
}

export interface TraceCollector {
  /** The value for OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  spans: CollectedSpan[];
  /** The requests, one for each export. */
  requests: IncomingMessage[];
  /** Answers an export. The default answer is 200 without a body. */
  answer: (response: ServerResponse, request: IncomingMessage) => void;
}

/**
 * Starts a collector that receives OTLP over HTTP with protobuf, as backends do. Its decoder is a library, not ours.
 */
export async function startTraceCollector(t: Cleanup): Promise<TraceCollector> {
  const decode = decoder();
  const collector: TraceCollector = {
    url: "",
    spans: [],
    requests: [],
    answer: (response) => void response.end(),
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    collector.requests.push(request);
    if (request.method !== "POST" || request.url !== "/v1/traces") response.statusCode = 404;
    else collector.spans.push(...decode(Buffer.concat(chunks)));
    collector.answer(response, request);
  });
  collector.url = `http://127.0.0.1:${await listen(t, server)}`;
  return collector;
}

interface Decoded {
  resourceSpans: {
    resource: { attributes: KeyValue[] };
    scopeSpans: { spans: DecodedSpan[] }[];
  }[];
}
interface KeyValue {
  key: string;
  value: Record<string, string | number | boolean>;
}
interface DecodedSpan {
  traceId: Uint8Array;
  spanId: Uint8Array;
  parentSpanId?: Uint8Array;
  traceState?: string;
  name: string;
  kind: CollectedSpan["kind"];
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: KeyValue[];
  links?: { traceId: Uint8Array; spanId: Uint8Array }[];
  status?: { code?: string };
}

function decoder(): (body: Uint8Array) => CollectedSpan[] {
  const type = protobuf.parse(MESSAGES).root.lookupType("ExportTraceServiceRequest");
  return (body) => {
    const { resourceSpans } = type.toObject(type.decode(body), {
      longs: String,
      enums: String,
    }) as Decoded;
    return resourceSpans.flatMap(({ resource, scopeSpans }) => {
      const service = String(attributesOf(resource.attributes)["service.name"]);
      return scopeSpans.flatMap(({ spans }) => spans.map((span) => collected(service, span)));
    });
  };
}

function collected(service: string, span: DecodedSpan): CollectedSpan {
  const { name, kind, traceState = "", links = [], attributes = [], status } = span;
  return {
    service,
    name,
    kind,
    ...idOf(span),
    parentSpanId: hex(span.parentSpanId ?? new Uint8Array()),
    traceState,
    links: links.map(idOf),
    attributes: attributesOf(attributes),
    isError: status?.code === "ERROR",
    startedAt: BigInt(span.startTimeUnixNano),
    endedAt: BigInt(span.endTimeUnixNano),
  };
}

function idOf({ traceId, spanId }: { traceId: Uint8Array; spanId: Uint8Array }): SpanId {
  return { traceId: hex(traceId), spanId: hex(spanId) };
}

function attributesOf(pairs: readonly KeyValue[]): Attributes {
  return Object.fromEntries(
    pairs.map(({ key, value }) => {
      const [kind, text] = Object.entries(value)[0] ?? ["", ""];
      return [key, kind === "intValue" ? Number(text) : text];
    }),
  );
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
