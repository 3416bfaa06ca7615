import {
  MAX_WEBHOOK_ANSWER_BYTES,
  WEBHOOK_BODY_MS,
  WEBHOOK_TIMEOUT_MS,
} from "@belfry/contracts/webhook-payload";
import { ownVersion } from "@belfry/database/connection";
import type { Resolve } from "@belfry/providers/address-guard";
import { type Clock, SYSTEM_CLOCK } from "@belfry/providers/clock";
import { startPatience } from "@belfry/providers/patience";
import { guardedAgent, type HttpCall, postOnce } from "@belfry/providers/post-once";
import { createPublicResolver } from "./public-resolver.ts";
import { type WebhookAnswer, webhookAnswer } from "./webhook-answer.ts";

export interface EndedCall extends WebhookAnswer {
  /** No status came in time. */
  timedOut: boolean;
}

export interface EndpointCalls {
  /**
   * POSTs JSON once, within 15 s, of which the body of the answer has 1 s: an endpoint that keeps its answer open
   * has answered. Posts again on a connection of its own where a kept one had just been closed: the endpoint knows
   * a message by its id. Never rejects.
   */
  post(call: HttpCall): Promise<EndedCall>;
  close(): Promise<void>;
}

export interface EndpointCallsOptions {
  allowPrivateAddresses: boolean;
  resolve?: Resolve;
  clock?: Clock;
  now?: () => number;
}

/**
 * Calls of all endpoints. A connection carries one call at a time, and a host has as many as there are
 * calls of it, so that nobody waits for another's; whoever calls bounds the calls.
 */
export function createEndpointCalls(options: EndpointCallsOptions): EndpointCalls {
  const { allowPrivateAddresses, clock = SYSTEM_CLOCK, now = Date.now } = options;
  // Private names are known to the system alone.
  const resolve = options.resolve ?? (allowPrivateAddresses ? undefined : createPublicResolver());
  const connections = {
    connectTimeoutMs: WEBHOOK_TIMEOUT_MS,
    allowPrivateAddresses,
    ...(resolve && { resolve }),
  };
  const kept = guardedAgent(connections);
  const fresh = guardedAgent({ ...connections, keepAlive: false });
  const always = {
    "content-type": "application/json",
    "user-agent": `Belfry/${ownVersion()}`,
  };
  return {
    async post({ url, headers, body }) {
      const endsAt = clock.nowMs() + WEBHOOK_TIMEOUT_MS;
      const patience = startPatience(WEBHOOK_TIMEOUT_MS, clock);
      const call = { url, body, headers: { ...always, ...headers } };
      const bounds = {
        signal: patience.signal,
        maxAnswerBytes: MAX_WEBHOOK_ANSWER_BYTES,
        onStatus: () =>
          patience.renew(Math.max(0, Math.min(WEBHOOK_BODY_MS, endsAt - clock.nowMs()))),
      };
      let result = await postOnce(kept, call, bounds);
      if (!result.answered && result.wasIdle) result = await postOnce(fresh, call, bounds);
      patience.end();
      const timedOut = !result.answered && patience.signal.aborted;
      return { ...webhookAnswer(result, now()), timedOut };
    },
    async close() {
      await Promise.all([kept.close(), fresh.close()]);
    },
  };
}
