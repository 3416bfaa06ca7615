import { randomUUID } from "node:crypto";
import type { Channel } from "./api.ts";
import { type CallOptions, queryOf, segment } from "./call.ts";

/** Either `topics` or `userIds`. */
export interface BroadcastInput {
  /** For the members of up to 20 topics; who is in several gets it once. */
  topics?: string[];
  /** For up to 10,000 users, in place of topics. */
  userIds?: string[];
  /** Not for these users, at most 10,000. */
  exceptUserIds?: string[];
  /** The event type of a template. It must have no sensitive template. */
  eventType: string;
  /** The same for everybody, at most 64 KiB of JSON. */
  variables?: Record<string, unknown>;
  /** Only these channels; none or an empty list: all. */
  channels?: Channel[];
  /** When it begins, in ISO 8601 with an offset; past: at once. */
  sendAt?: string;
  /** The language for everybody, as `de-AT`; default: each user's own. */
  locale?: string;
  /** Id or name of one of your providers. Messages on its channel then go through it alone. Default: as other events. */
  provider?: string;
}

export type BroadcastState =
  | "scheduled"
  | "running"
  | "paused"
  | "cancelling"
  | "cancelled"
  | "done";

/** How far a broadcast is. Times are ISO 8601, UTC. */
export interface Broadcast {
  id: string;
  state: BroadcastState;
  /** Why it is paused; null: it is not, or you have paused it. */
  reason: string | null;
  eventType: string;
  /** null: it is for a list of users. */
  topics: string[] | null;
  /** null: all. */
  channels: Channel[] | null;
  /** null: each user's own. */
  locale: string | null;
  /** Id of the provider that you named; null: none. */
  provider: string | null;
  /** How many people it is for; an estimate until the last of them was processed. */
  total: number;
  /** For how many of them an event was made. */
  expanded: number;
  /** Number of deliveries by status, over all channels; counted every few seconds. */
  byStatus: Record<string, number>;
  /** After a cancel: the number of events that reached nobody. */
  cancelled?: number;
  /** Its other events: reached in part or whole, or ended before. Final once the state is cancelled. */
  tooLate?: number;
  sendAt: string | null;
  /** When a paused one goes on by itself; null: when you resume it. */
  resumesAt: string | null;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
}

export interface BroadcastOptions extends CallOptions {
  /**
   * The same key again answers with the broadcast that it made. One is generated when you give none, so that a retry
   * never makes two.
   */
  idempotencyKey?: string;
}

export interface BroadcastPage {
  broadcasts: Broadcast[];
  /** For `after`; undefined: there is no more. */
  next: string | undefined;
}

/** One event to many people. */
export interface BroadcastCalls {
  /** Resolves when Belfry has stored it; it is sent in the background. */
  create(input: BroadcastInput, options?: BroadcastOptions): Promise<Broadcast>;
  /** The newest first; at most `limit` (50), those after a page's `next`. */
  list(page?: { limit?: number; after?: string } & CallOptions): Promise<BroadcastPage>;
  show(id: string, options?: CallOptions): Promise<Broadcast>;
  /** Nothing more of it leaves until it is resumed; 409 where it has ended. */
  pause(id: string, options?: CallOptions): Promise<Broadcast>;
  /** Goes on where it stopped. */
  resume(id: string, options?: CallOptions): Promise<Broadcast>;
  /** For good: `cancelled` and `tooLate` are final once the state is cancelled. */
  cancel(id: string, options?: CallOptions): Promise<Broadcast>;
}

const PATH = "/api/v1/broadcasts";

/** How the client calls: `read` gets an answer whole, `changed` signs what it sends. */
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
