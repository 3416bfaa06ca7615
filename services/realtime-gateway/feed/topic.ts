import { type PublicationText, publicationText } from "@belfry/contracts/realtime-message";
import type { ChannelKey } from "@belfry/database/functions/realtime-channels";
import { observeDelivery } from "../gateway-metrics.ts";
import type { Codec } from "../protocol/codec.ts";
import {
  GAP_RETRY_MS,
  GAP_WAIT_MS,
  MAX_HELD_BACK_BYTES,
  MAX_RECOVERED,
} from "../protocol/limits.ts";
import type { Subscription } from "../session/subscription.ts";
import type { Timed, TimerWheel } from "../timer-wheel.ts";
import type { HistoryReader } from "./history-reader.ts";
import type { ChannelState } from "./realtime-history.ts";

export interface TopicDeps {
  codec: Codec;
  history: HistoryReader;
  wheel: TimerWheel;
  nowMs(): number;
  log: Record<"info" | "warn", (details: object, message: string) => void>;
}

/** A hole is mostly small; what more it lacks is known when these have been read. */
const FIRST_FILL = 16;

/**
 * One realtime channel of one tenant as this gateway sees it. Its position is the least of its live
 * subscriptions'; from there it delivers every offset in order, once. NATS delivers at most once and
 * says nothing of what it lost: a hole is waited for briefly, then filled from Postgres.
 */
export class Topic implements Timed {
  readonly key: ChannelKey;
  readonly channel: string;
  wheelSlot = 0;
  readonly #deps: TopicDeps;
  readonly #subscriptions: Subscription[] = [];
  #position: number | undefined;
  #epoch = "";
  #pending: Map<number, PublicationText> | undefined;
  #pendingBytes = 0;
  #filling = false;

  constructor(key: ChannelKey, channel: string, deps: TopicDeps) {
    this.key = key;
    this.channel = channel;
    this.#deps = deps;
  }

  /** Undefined until a first subscription is live. */
  get position(): number | undefined {
    return this.#position;
  }

  /** Of publications that wait for an earlier one. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get isUnused(): boolean {
    return this.#subscriptions.length === 0;
  }

  /** From now on the subscription is offered what is published. */
  add(subscription: Subscription): void {
    this.#subscriptions.push(subscription);
  }

  remove(subscription: Subscription): void {
    const index = this.#subscriptions.indexOf(subscription);
    if (index >= 0) this.#subscriptions.splice(index, 1);
    if (this.isUnused) this.#forget();
  }

  /** The subscription is live, at a position that was read from Postgres. */
  joined(subscription: Subscription, epoch: string): void {
    const { position } = subscription;
    if (position === undefined) return;
    if (this.#position !== undefined && this.#epoch !== epoch) this.#dropLive(subscription);
    this.#epoch = epoch;
    if (this.#position === undefined) {
      this.#position = position;
      this.#deliverPending();
      if (this.#pending !== undefined) this.expectMore();
    } else if (position < this.#position) {
      // It was read before what the others have, and not all of that passed by it since.
      this.#position = position;
      this.#fill();
    } else if (position > this.#position) {
      this.expectMore();
    }
  }

  /** A publication from NATS: the next one, a repetition, or one ahead of a hole. */
  receive(publication: PublicationText): void {
    if (this.isUnused) return;
    const { offset } = publication;
    if (this.#position !== undefined && offset <= this.#position) return;
    if (offset === (this.#position ?? Number.NaN) + 1) {
      this.#deliver(publication);
      this.#deliverPending();
      return;
    }
    this.#hold(publication);
    if (this.#position !== undefined) this.expectMore();
  }

  #hold(publication: PublicationText): void {
    this.#pending ??= new Map();
    if (this.#pending.has(publication.offset)) return;
    const bytes = Buffer.byteLength(publication.text);
    if (this.#pendingBytes + bytes > MAX_HELD_BACK_BYTES) return;
    this.#pendingBytes += bytes;
    this.#pending.set(publication.offset, publication);
  }

  /** There is something above the position: if it does not come by itself soon, it is read. */
  expectMore(): void {
    if (this.wheelSlot !== 0 || this.#filling) return;
    this.#deps.wheel.schedule(this, this.#deps.nowMs() + GAP_WAIT_MS);
  }

  /** Postgres says that `top` is the newest; `position` was ours when it was asked. */
  compare(epoch: string, top: number, position: number): void {
    if (this.#position === undefined) return;
    if (epoch !== this.#epoch || top < position) this.reset();
    else if (top > this.#position) this.expectMore();
  }

  /** Nothing that subscribers know holds any more: each subscribes again with its own position. */
  reset(): void {
    this.#dropLive(undefined);
  }

  onTimer(): void {
    this.#fill();
  }

  #fill(limit = FIRST_FILL): void {
    if (this.#filling) return;
    const position = this.#position;
    if (position === undefined) return;
    this.#filling = true;
    const read = { ...this.key, after: position, limit, partial: true };
    this.#deps.history.read(read).then(
      (state) => {
        this.#filling = false;
        if (!this.isUnused) this.#filled(position, state);
      },
      (err) => {
        this.#filling = false;
        if (this.isUnused) return;
        this.#deps.log.warn({ err }, "a hole in a realtime channel cannot be filled yet");
        this.#deps.wheel.schedule(this, this.#deps.nowMs() + GAP_RETRY_MS);
      },
    );
  }

  #filled(after: number, state: ChannelState): void {
    if (state.epoch !== this.#epoch) this.reset();
    if (this.#position === undefined) return;
    // A new subscription has put the position back meanwhile.
    if (this.#position < after) {
      this.#fill();
      return;
    }
    for (const stored of state.publications) {
      if (stored.offset !== this.#position + 1) continue;
      this.#deliver(publicationText({ channel: this.channel, ...stored }));
    }
    const progressed = this.#position > after;
    this.#deliverPending();
    if (this.#position >= state.top) {
      if (this.#pending !== undefined) this.expectMore();
    } else if (progressed) {
      this.#fill(Math.min(state.top - this.#position, MAX_RECOVERED));
    } else {
      // Retention has deleted it: what the subscribers miss cannot be had any more.
      this.reset();
    }
  }

  #deliver(publication: PublicationText): void {
    const { offset, id, text } = publication;
    this.#position = offset;
    observeDelivery(id);
    const message = this.#deps.codec.publication(this.channel, text);
    // Backwards: a slow subscriber may leave while it is offered something.
    for (let index = this.#subscriptions.length - 1; index >= 0; index -= 1) {
      this.#subscriptions[index]?.offer(offset, message);
    }
    this.#logDelivered(publication);
  }

  /** A line for all its connections together; what was read back from Postgres has no trace id. */
  #logDelivered({ offset, id: eventId, traceId }: PublicationText): void {
    if (traceId === undefined) return;
    const connections = this.#subscriptions.length;
    const { tenantId } = this.key;
    this.#deps.log.info({ tenantId, eventId, traceId, offset, connections }, "pushed");
  }

  #deliverPending(): void {
    const pending = this.#pending;
    if (pending === undefined || this.#position === undefined) return;
    for (;;) {
      const next = pending.get(this.#position + 1);
      if (next === undefined) break;
      this.#deliver(next);
    }
    for (const [offset, { text }] of pending) {
      if (offset > this.#position) continue;
      pending.delete(offset);
      this.#pendingBytes -= Buffer.byteLength(text);
    }
    if (pending.size > 0) return;
    this.#pending = undefined;
    // What was waited for has come.
    this.#deps.wheel.cancel(this);
  }

  #dropLive(spared: Subscription | undefined): void {
    for (const subscription of this.#subscriptions.slice()) {
      if (subscription === spared || subscription.position === undefined) continue;
      subscription.drop();
    }
    this.#forget();
  }

  #forget(): void {
    this.#position = undefined;
    this.#pending = undefined;
    this.#pendingBytes = 0;
    this.#deps.wheel.cancel(this);
  }
}
