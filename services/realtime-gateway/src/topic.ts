import { type PublicationText, publicationText } from "@belfry/contracts/realtime-message";
import type { ChannelKey } from "@belfry/database/functions/realtime-channels";
import { spanFields, tracer } from "@belfry/service/tracing";
import { type Codec, SharedPush } from "./codec.ts";
import { observeDelivery } from "./gateway-metrics.ts";
import { type ChannelState, type HistoryReader, MAX_RECOVERED } from "./realtime-history.ts";
import type { Timed, TimerWheel } from "./timer-wheel.ts";

export interface TopicDeps {
  history: HistoryReader;
  wheel: TimerWheel;
  nowMs(): number;
  log: Record<"info" | "warn", (details: object, message: string) => void>;
}

/** How long a topic waits for missing publications before it reads them from Postgres. */
export const GAP_WAIT_MS = 200;
/** The wait after a failed read from Postgres. */
export const GAP_RETRY_MS = 1_000;
/** Most bytes of publications that wait to be delivered in order. Further ones are read from Postgres later. */
const MAX_HELD_BACK_BYTES = 64 * 1024;
/** Publications in the first read of a gap. Most gaps are small, and this read shows how many more are missing. */
const FIRST_FILL = 16;

function startPush(parent: string, tenantId: string, eventId: string, connections: number) {
  return tracer()?.start("push", {
    kind: "consumer",
    parent,
    attributes: {
      "belfry.tenant.id": tenantId,
      "belfry.event.id": eventId,
      "belfry.connections": connections,
    },
  });
}

/**
 * A realtime channel of a user on this gateway. The topic's position is the smallest position of its live
 * subscriptions. From there on, the topic delivers every offset once and in order. NATS delivers at most once and does
 * not report losses, so the topic waits briefly for missing publications and then reads them from Postgres.
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

  /** The last delivered offset; undefined until a first subscription is live. */
  get position(): number | undefined {
    return this.#position;
  }

  /** Bytes of publications that wait for an earlier publication. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get isUnused(): boolean {
    return this.#subscriptions.length === 0;
  }

  /** Adds a subscription, which is offered all publications from now on. */
  add(subscription: Subscription): void {
    this.#subscriptions.push(subscription);
  }

  remove(subscription: Subscription): void {
    const index = this.#subscriptions.indexOf(subscription);
    if (index >= 0) this.#subscriptions.splice(index, 1);
    if (this.isUnused) this.#forget();
  }

  /** Called when a subscription has become live at a position that was read from Postgres. */
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
      // The topic is ahead of the new subscription, which may have missed publications in between, so they are read
      // again.
      this.#position = position;
      this.#fill();
    } else if (position > this.#position) {
      this.expectMore();
    }
  }

  /** Handles a publication from NATS. It is the next one, a repetition, or one after a gap. */
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

  /** Called when a publication after the position exists. Reads it from Postgres unless it arrives from NATS soon. */
  expectMore(): void {
    if (this.wheelSlot !== 0 || this.#filling) return;
    this.#deps.wheel.schedule(this, this.#deps.nowMs() + GAP_WAIT_MS);
  }

  /**
   * Compares the topic with Postgres: `top` is the newest offset there, `position` was the topic's before the query.
   */
  compare(epoch: string, top: number, position: number): void {
    if (this.#position === undefined) return;
    if (epoch !== this.#epoch || top < position) this.reset();
    else if (top > this.#position) this.expectMore();
  }

  /** Drops all live subscriptions, as the topic's state is no longer valid. Each client subscribes again. */
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
        this.#deps.log.warn({ err }, "a gap in a realtime channel cannot be filled yet");
        this.#deps.wheel.schedule(this, this.#deps.nowMs() + GAP_RETRY_MS);
      },
    );
  }

  #filled(after: number, state: ChannelState): void {
    if (state.epoch !== this.#epoch) this.reset();
    if (this.#position === undefined) return;
    // A new subscription with a smaller position has joined during the read.
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
      // The publications that the subscribers are missing were deleted.
      this.reset();
    }
  }

  #deliver(publication: PublicationText): void {
    const { offset, id } = publication;
    this.#position = offset;
    observeDelivery(id);
    const push = new SharedPush(publication);
    // Backwards, because a slow subscriber may be removed from the list during `offer`.
    for (let index = this.#subscriptions.length - 1; index >= 0; index -= 1) {
      this.#subscriptions[index]?.offer(offset, push);
    }
    this.#logDelivered(publication);
  }

  /** Logs one line for all connections. Publications from Postgres have no trace id and are not logged. */
  #logDelivered({ offset, id: eventId, traceId, traceParent }: PublicationText): void {
    if (traceId === undefined) return;
    const connections = this.#subscriptions.length;
    const { tenantId } = this.key;
    const fields = { tenantId, eventId, traceId, offset, connections };
    const span =
      traceParent === undefined
        ? undefined
        : startPush(traceParent, tenantId, eventId, connections);
    this.#deps.log.info(span === undefined ? fields : { ...fields, ...spanFields(span) }, "pushed");
    span?.end();
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
    // No publication is missing any more, so the read from Postgres is cancelled.
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

/** The part of a session that its subscriptions use. */
export interface Subscriber {
  readonly codec: Codec;
  push(push: SharedPush): void;
}

/** The part of `SessionChannels` that subscriptions use. */
export interface SubscriptionOwner {
  /** Called when the topic has dropped the subscription. Makes the client subscribe again. */
  dropped(subscription: Subscription): void;
}

/** The subscription of one session to one topic. Pushes each offset after its position once and in order. */
export class Subscription {
  readonly topic: Topic;
  readonly #subscriber: Subscriber;
  readonly #owner: SubscriptionOwner;
  #position: number | undefined;
  /** Publications that arrived before the subscription was live, in ascending order, up to a bound in bytes. */
  #held: { offset: number; push: SharedPush }[] | undefined = [];
  #roomBytes = MAX_HELD_BACK_BYTES;

  constructor(topic: Topic, subscriber: Subscriber, owner: SubscriptionOwner) {
    this.topic = topic;
    this.#subscriber = subscriber;
    this.#owner = owner;
  }

  /** The offset up to which the client has all publications; undefined before the subscription is live. */
  get position(): number | undefined {
    return this.#position;
  }

  offer(offset: number, push: SharedPush): void {
    if (this.#position === undefined) {
      this.#hold(offset, push);
    } else if (offset === this.#position + 1) {
      this.#position = offset;
      this.#subscriber.push(push);
    }
  }

  /** Keeps a publication for `goLive`. If it does not fit, the topic later reads it and all after it from Postgres. */
  #hold(offset: number, push: SharedPush): void {
    const { codec } = this.#subscriber;
    this.#roomBytes -= codec.byteLength(push.encoded(codec));
    if (this.#roomBytes >= 0) this.#held?.push({ offset, push });
  }

  /**
   * Called when the client knows its position. Pushes the publications after it that were kept, up to the first gap.
   */
  goLive(position: number): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#position = position;
    for (const { offset, push } of held) this.offer(offset, push);
  }

  drop(): void {
    this.#owner.dropped(this);
  }
}
