/** Attributes of a span: ids, event types, kinds and numbers. Never an address, a name, a text or a secret. */
export type SpanAttributes = Record<string, string | number | boolean | undefined>;

export interface SpanStart {
  kind?: "client" | "consumer" | "producer" | "server";
  /** W3C `traceparent` of the parent. If absent, the span begins its own trace. */
  parent?: string;
  /** `traceparent`s of related spans, such as those of a batch's events. */
  links?: readonly string[];
  attributes?: SpanAttributes;
  /** The start time in ms since 1970. Default: now. */
  startedAt?: number;
}

/** A recorded span. Work that is not sampled has none. A span that is disposed before `end` counts as failed. */
export interface Span extends Disposable {
  /** The span's W3C `traceparent`, for its children and for links to it. */
  readonly traceParent: string;
  /** Ends the span. With a fault (a class or a code, never a message) it counts as failed. */
  end(attributes?: SpanAttributes, fault?: string): void;
}

export interface Tracer {
  /**
   * Starts the span of a request as a child of the caller's `traceparent`, if that is valid. Returns undefined if it is
   * not sampled. Our sampler decides this without regard to the caller, unless `trusts` is set: then parent-based
   * samplers follow the caller's sampled flag.
   */
  startRequest(
    callersParent: string | undefined,
    trusts: boolean,
    name: string,
    start: SpanStart,
  ): Span | undefined;
  /** Starts a span for work that is sampled. */
  start(name: string, start: SpanStart): Span;
}

let current: Tracer | undefined;

/** Returns the tracer, or undefined while tracing is off, so that callers prepare nothing for a span. */
export function tracer(): Tracer | undefined {
  return current;
}

/** Sets the tracer; undefined turns tracing off. `runService` and tests call it. */
export function setTracer(one: Tracer | undefined): void {
  current = one;
}

/** Ends the span when the work ends, and returns the work. */
export function endWith<Result>(span: Span | undefined, work: Promise<Result>): Promise<Result> {
  if (span === undefined) return work;
  work.then(
    () => span.end(),
    (error) => span.end(undefined, faultOf(error)),
  );
  return work;
}

/** Returns the code of an error, else its class. */
export function faultOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === "string" || typeof code === "number") return String(code);
  return error instanceof Error ? error.name : "_OTHER";
}

/** Returns a span's log fields with OpenTelemetry's names. The field `traceId` of other lines is Belfry's own id. */
export function spanFields(
  span: Span | undefined,
): { trace_id: string; span_id: string } | undefined {
  if (span === undefined) return undefined;
  const [, trace_id = "", span_id = ""] = span.traceParent.split("-");
  return { trace_id, span_id };
}

/**
 * Starts the span of one call of a database function for a batch. It begins its own trace, with a link to each sampled
 * item of the batch. Returns undefined if no item is sampled.
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
      // In OpenTelemetry's convention, one item is not a batch.
      "db.operation.batch.size": items.length > 1 ? items.length : undefined,
    },
    ...(startedAt !== undefined && { startedAt }),
  });
}
