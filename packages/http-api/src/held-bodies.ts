import { Problem } from "@belfry/contracts/problems";
import { TRIGGER_PATH } from "@belfry/contracts/trigger";
import { gauge } from "@belfry/service/metrics";
import { createFairSemaphore } from "@belfry/service/semaphore";
import type { FastifyReply, FastifyRequest } from "fastify";

/** How long a body waits for room before it is read. */
const WAIT_MS = 2_000;
/** Most waiting bodies of all tenants together. One tenant has at most half of them. */
const MAX_WAITING = 128;
/** A refused body counts as one call for each part of this size. */
const COUNTED_BYTES = 1024 * 1024;
/** Statuses that are the client's fault, found once the body was read or measured. */
const REFUSED = [400, 413, 415, 422];

/** How senders of refused bodies are limited. */
interface RefusedBodies {
  /** Throws a 429 Problem if the sender has sent too many. */
  check(request: FastifyRequest): void;
  count(request: FastifyRequest, times: number): Promise<void>;
}

/**
 * Bounds the bytes of all bodies in memory, of all tenants together and of each tenant: one tenant uses at most half.
 * The bytes of a body are reserved before it is read, until its answer is sent and its work has ended. A refused body
 * counts against its sender.
 */
export function createHeldBodies(maxBytes: number, refused: RefusedBodies) {
  const room = createFairSemaphore(maxBytes, MAX_WAITING);
  const held = new WeakMap<FastifyRequest, { line: string; bytes: number; holders: number }>();

  const drop = (request: FastifyRequest) => {
    const body = held.get(request);
    if (body === undefined) return;
    body.holders -= 1;
    if (body.holders > 0) return;
    held.delete(request);
    room.release(body.line, body.bytes);
    heldBytes.set(room.used);
  };
  return {
    /** Reserves the bytes of a body before it is read. Fails with a 429 Problem after 2 s without room. */
    async holdBody(request: FastifyRequest, { raw }: FastifyReply, bytes: number): Promise<void> {
      refused.check(request);
      const { bodyLimit = 0, url } = request.routeOptions;
      const onClose = () => {
        drop(request);
        const times = Math.ceil(Math.min(bytes, bodyLimit) / COUNTED_BYTES);
        if (REFUSED.includes(raw.statusCode)) void refused.count(request, times);
      };
      // A longer body is refused without being read, so it needs no room.
      if (bytes <= bodyLimit) {
        // A platform key belongs to no tenant.
        const line = `${url === TRIGGER_PATH ? "trigger" : "call"} ${request.tenant?.id ?? "platform"}`;
        if ((await room.acquire(line, bytes, WAIT_MS, bytes)) === 0) throw tooManyAtATime(request);
        held.set(request, { line, bytes, holders: 1 });
        heldBytes.set(room.used);
      }
      if (raw.closed) onClose();
      else raw.once("close", onClose);
    },
    /** Runs a call's work. Its body's bytes stay reserved until the work has ended, even if the client hangs up. */
    async withBody<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
      const body = held.get(request);
      if (body !== undefined) body.holders += 1;
      try {
        return await work();
      } finally {
        drop(request);
      }
    },
  };
}

export function tooManyAtATime(request: FastifyRequest): Problem {
  request.logFields = { ...request.logFields, refused: "too many calls at a time" };
  const message = "Too many calls at a time; send the next one when one has been answered";
  return new Problem("tooManyRequests", { message, retryAfterSeconds: 1 });
}

export const heldBytes = gauge(
  "belfry_held_body_bytes",
  "Bytes in memory of request bodies larger than 16 KiB",
);
