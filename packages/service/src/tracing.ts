/** Attributes of a span. Never an address, a name, a text or a secret: ids, event types, kinds and numbers. */
export type SpanAttributes = Record<string, string | number | boolean | undefined>;

export interface SpanStart {
  kind?: "client" | "consumer" | "producer" | "server";
  /** W3C `traceparent` of the parent; absent: the span begins a trace of its own. */
  parent?: string;
  /** `traceparent` of other spans that belong to it, as those of a batch's events. */
  links?: readonly string[];
  attributes?: SpanAttributes;
  /** Milliseconds since 1970. Default: now. */
  startedAt?: number;
}

/** A span that is recorded: what is not sampled has none. One that is disposed before its end counts as failed. */
export interface Span extends Disposable {
  /** Its own W3C `traceparent`, for its children and for links to it. */
  readonly traceParent: string;
  /** Ends it. With a fault (a class or a code, never a message) it counts as failed. */
  end(attributes?: SpanAttributes, fault?: string): void;
}

export interface Tracer {
  /**
   * The span of a request, for its caller's `traceparent` if that is valid; undefined if it is not sampled. Whether it is,
   * says our own sampler, unless `trusts`: then the caller's sampled flag counts, as parent-based samplers read it.
   */
  startRequest(
    callersParent: string | undefined,
    trusts: boolean,
    name: string,
    start: SpanStart,
  ): Span | undefined;
  /** Starts a span of something that is sampled. */
  start(name: string, start: SpanStart): Span;
}

let current: Tracer | undefined;

/** Undefined while tracing is off: then nobody makes anything for a span. */
export function tracer(): Tracer | undefined {
  return current;
}

/** Set by `runService`, and by tests; undefined switches tracing off. */
export function setTracer(one: Tracer | undefined): void {
  current = one;
}

/** Ends the span as the work ends, and returns the work. */
export function endWith<Result>(span: Span | undefined, work: Promise<Result>): Promise<Result> {
  if (span === undefined) return work;
  work.then(
    () => span.end(),
    (error) => span.end(undefined, faultOf(error)),
  );
  return work;
}

/** The code of an error, else its class. */
export function faultOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === "string" || typeof code === "number") return String(code);
  return error instanceof Error ? error.name : "_OTHER";
}

/** The fields of a log line about a span, named as OpenTelemetry names them; `traceId` is Belfry's own id. */
export function spanFields(
  span: Span | undefined,
): { trace_id: string; span_id: string } | undefined {
  if (span === undefined) return undefined;
  const [, trace_id = "", span_id = ""] = span.traceParent.split("-");
  return { trace_id, span_id };
}

/**
 * The span of one call of a database function for a batch, with a link to each of its sampled items; undefined if none
 * is sampled. It begins a trace of its own, as it belongs to all of them.
 */
export function startStatement<Item>(
  procedure: string,
  items: readonly Item[],
  parentOf: (item: Item) => string | null | undefined,
  startedAt?: number,
): Span | undefined {
  if (current === undefined) return undefined;
  const links: string[] = [];
  for (const item of items) {
    const parent = parentOf(item);
    if (parent) links.push(parent);
  }
  if (links.length === 0) return undefined;
  return current.start(procedure, {
    kind: "client",
    links,
    attributes: {
      "db.system.name": "postgresql",
      "db.stored_procedure.name": procedure,
      // The convention knows no batch of one.
      "db.operation.batch.size": items.length > 1 ? items.length : undefined,
    },
    ...(startedAt !== undefined && { startedAt }),
  });
}
