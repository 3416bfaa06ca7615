import { randomUUID } from "node:crypto";
import type { Broadcast, BroadcastInput, BroadcastPage } from "./api.ts";
import type { CallOptions } from "./call.ts";
import type { TenantCaller } from "./tenant-caller.ts";

export interface BroadcastOptions extends CallOptions {
  /**
   * A repeated key returns the broadcast that the first call created. If absent, the client generates one, so that a
   * retry never creates a second broadcast.
   */
  idempotencyKey?: string;
}

/** Calls for broadcasts: one event to many users. */
export interface BroadcastCalls {
  /** Creates a broadcast. Resolves when Belfry has stored it; it is sent in the background. */
  create(input: BroadcastInput, options?: BroadcastOptions): Promise<Broadcast>;
  /** Returns broadcasts, the newest first, at most `limit` (50). `after` is the `next` of the page before. */
  list(page?: { limit?: number; after?: string } & CallOptions): Promise<BroadcastPage>;
  show(id: string, options?: CallOptions): Promise<Broadcast>;
  /** Pauses the broadcast: nothing more is sent until it resumes. Rejects with a 409 if it has ended. */
  pause(id: string, options?: CallOptions): Promise<Broadcast>;
  /** Resumes the broadcast where it stopped. */
  resume(id: string, options?: CallOptions): Promise<Broadcast>;
  /** Cancels the broadcast for ever. `cancelled` and `tooLate` are final when the state is `cancelled`. */
  cancel(id: string, options?: CallOptions): Promise<Broadcast>;
}

export function broadcastCalls({ call, answer }: TenantCaller): BroadcastCalls {
  return {
    async create(input, { idempotencyKey = randomUUID(), ...rest } = {}) {
      const key = { "x-idempotency-key": idempotencyKey };
      return (await call("createBroadcast", input, rest, key)).body.data;
    },
    async list({ limit, after, ...rest } = {}) {
      const { data, next } = await answer("listBroadcasts", { limit, after }, rest);
      return { broadcasts: data, next };
    },
    show: async (broadcastId, rest) => (await answer("showBroadcast", { broadcastId }, rest)).data,
    pause: async (broadcastId, rest) =>
      (await answer("pauseBroadcast", { broadcastId }, rest)).data,
    resume: async (broadcastId, rest) =>
      (await answer("resumeBroadcast", { broadcastId }, rest)).data,
    cancel: async (broadcastId, rest) =>
      (await answer("cancelBroadcast", { broadcastId }, rest)).data,
  };
}
