import { randomFillSync } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { TRACE_ID } from "@belfry/contracts/identifiers";
import { HEADERS } from "@belfry/contracts/trigger";

/**
 * Returns the trace id of a request: from a valid `X-Trace-Id`, else from a valid `traceparent`, else a new one. Never
 * throws. Node joins repeated headers with commas, which makes them invalid.
 */
export function traceIdOf(headers: IncomingHttpHeaders): string {
  const given = headers[HEADERS.traceId];
  if (typeof given === "string" && TRACE_ID.test(given)) return given;
  const parent = headers[HEADERS.traceparent];
  return (
    (typeof parent === "string" ? parseTraceParent(parent)?.traceId : undefined) ?? newTraceId()
  );
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = "0".repeat(32);
const NO_SPAN = "0".repeat(16);
/** Version 00 has 55 characters. Later versions may append more, which we do not read. */
const MAX_PARENT_CHARACTERS = 256;
const SAMPLED = 1;

/** The ids in a W3C `traceparent`: 32 and 16 lower-case hex digits. */
export interface ParentContext {
  traceId: string;
  spanId: string;
  sampled: boolean;
}

/**
 * Reads a W3C `traceparent`; undefined if it is not valid. Versions after 00 may append more fields; version `ff` is
 * invalid.
 */
export function parseTraceParent(header: string): ParentContext | undefined {
  if (header.length > MAX_PARENT_CHARACTERS) return undefined;
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

const ID_BYTES = 16;
/** Random bytes for many ids. Fetching them for each id would cost twenty times as much. */
const random = Buffer.alloc(256 * ID_BYTES);
let used = random.length;

/** Returns 32 hex digits, which are also valid in a `traceparent`. */
export function newTraceId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += ID_BYTES;
  return random.toString("hex", used - ID_BYTES, used);
}
