import { randomFillSync } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { TRACE_ID } from "@belfry/contracts/identifiers";
import { HEADERS } from "@belfry/contracts/trigger";

/**
 * The trace id of a request: its valid `X-Trace-Id`, else the trace id of its valid `traceparent`, else
 * a new one. Never throws. Of a header that came more than once Node makes one text with commas, which
 * neither is valid as.
 */
export function traceIdOf(headers: IncomingHttpHeaders): string {
  const given = headers[HEADERS.traceId];
  if (typeof given === "string" && TRACE_ID.test(given)) return given;
  const parent = headers[HEADERS.traceparent];
  return (typeof parent === "string" ? traceOfParent(parent) : undefined) ?? newTraceId();
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const NO_TRACE = "0".repeat(32);
const NO_SPAN = "0".repeat(16);

/**
 * The trace id in a W3C `traceparent`, 32 lower-case hex digits; undefined where it is not valid. A later
 * version than 00 may say more behind what this one knows; `ff` is none.
 */
export function traceOfParent(header: string): string | undefined {
  const [, version, traceId, spanId, more] = TRACEPARENT.exec(header) ?? [];
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined;
  return traceId === NO_TRACE || spanId === NO_SPAN ? undefined : traceId;
}

const ID_BYTES = 16;
/** Random bytes are fetched for many ids at a time: one by one they cost twenty times as much. */
const random = Buffer.alloc(256 * ID_BYTES);
let used = random.length;

/** 32 hex digits, so that it can go on as the trace id of a `traceparent`. */
export function newTraceId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += ID_BYTES;
  return random.toString("hex", used - ID_BYTES, used);
}
