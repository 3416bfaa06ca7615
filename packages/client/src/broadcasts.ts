import { randomUUID } from "node:crypto";
import type { Channel } from "./api.ts";
import { type CallOptions, queryOf, segment } from "./call.ts";

/** Set either `topics` or `userIds`. */
export interface BroadcastInput {
  /** Up to 20 topics whose members get the event. A member of several topics gets it once. */
  topics?: string[];
  /** Up to 10,000 users who get the event, in place of topics. */
  userIds?: string[];
  /** Users who do not get the event, at most 10,000. */
  exceptUserIds?: string[];
  /** The event type of a template. It must have no sensitive template. */
  eventType: string;
  /** Values for the templates, the same for all users. At most 64 KiB of JSON. */
  variables?: Record<string, unknown>;
  /** Restricts the broadcast to these channels. If absent or empty, all channels are used. */
  channels?: Channel[];
  /** When the broadcast begins, in ISO 8601 with an offset. A past time means now. */
  sendAt?: string;
  /** The language for all users, such as `de-AT`. Default: each user's own. */
  locale?: string;
  /**
   * Id or name of one of your providers. Messages on its channel are then sent through this provider only. Default: the
   * providers are chosen as for other events.
   */
  provider?: string;
}

export type BroadcastState =
  | "scheduled"
  | "running"
  | "paused"
  | "cancelling"
  | "cancelled"
  | "done";

/** The state and progress of a broadcast. Times are ISO 8601, UTC. */
export interface Broadcast {
  id: string;
  state: BroadcastState;
  /** Why the broadcast is paused. null if it is not paused, or if you have paused it. */
  reason: string | null;
  eventType: string;
  /** null if the broadcast is for a list of users. */
  topics: string[] | null;
  /** null if all channels are used. */
  channels: Channel[] | null;
  /** null if each user's own language is used. */
  locale: string | null;
  /** Id of the provider that you named; null if you named none. */
  provider: string | null;
  /** The number of recipients: an estimate until all of them have been processed. */
  total: number;
  /** For how many recipients an event exists. */
  expanded: number;
  /** Number of deliveries by status, over all channels; counted every few seconds. */
  byStatus: Record<string, number>;
  /** After a cancel: the number of events that reached nobody. */
  cancelled?: number;
  /**
   * The other events, which were delivered in part or in full, or had ended before. Final when the state is
   * `cancelled`.
   */
  tooLate?: number;
  sendAt: string | null;
  /** When a paused broadcast resumes by itself; null if it resumes only when you call `resume`. */
  resumesAt: string | null;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
}

export interface BroadcastOptions extends CallOptions {
  /**
   * A repeated key returns the broadcast that the first call created. If absent, the client generates one, so that a
   * retry never creates a second broadcast.
   */
  idempotencyKey?: string;
}

export interface BroadcastPage {
  broadcasts: Broadcast[];
  /** The value of `after` for the next page; undefined if this is the last one. */
  next: string | undefined;
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

const PATH = "/api/v1/broadcasts";

/** The client's functions for calls: `read` returns the whole answer, `changed` signs the request. */
interface Calls {
  read<Answer>(path: string, rest: CallOptions): Promise<Answer>;
  changed<Answer>(
    method: string,
    path: string,
    value: unknown,
    rest: CallOptions,
    headers?: Record<string, string>,
  ): Promise<Answer>;
}

export function broadcastCalls({ read, changed }: Calls): BroadcastCalls {
  type Answer = { data: Broadcast };
  const moved =
    (verb: string) =>
    async (id: string, rest: CallOptions = {}) =>
      (await changed<Answer>("POST", `${PATH}/${segment(id)}/${verb}`, undefined, rest)).data;
  return {
    async create(input, { idempotencyKey = randomUUID(), ...rest } = {}) {
      const key = { "x-idempotency-key": idempotencyKey };
      return (await changed<Answer>("POST", PATH, input, rest, key)).data;
    },
    async list({ limit, after, ...rest } = {}) {
      type Page = { data: Broadcast[]; next?: string };
      const { data, next } = await read<Page>(PATH + queryOf({ limit, after }), rest);
      return { broadcasts: data, next };
    },
    async show(id, rest = {}) {
      return (await read<Answer>(`${PATH}/${segment(id)}`, rest)).data;
    },
    pause: moved("pause"),
    resume: moved("resume"),
    cancel: moved("cancel"),
  };
}
