import type { Topic } from "../feed/topic.ts";
import { MAX_HELD_BACK_BYTES } from "../protocol/limits.ts";

/** What a topic needs of the session behind a subscription. */
export interface Subscriber {
  push(message: string): void;
  /** The topic has let go of it: the client is told to subscribe again. */
  dropped(subscription: Subscription): void;
}

/** One session on one topic. Hands on each offset once, in order, from the position it was given. */
export class Subscription {
  readonly topic: Topic;
  readonly #subscriber: Subscriber;
  #position: number | undefined;
  /** What was published while it joins, ascending, up to a bound in bytes. */
  #held: { offset: number; message: string }[] | undefined = [];
  #roomBytes = MAX_HELD_BACK_BYTES;

  constructor(topic: Topic, subscriber: Subscriber) {
    this.topic = topic;
    this.#subscriber = subscriber;
  }

  /** Up to here the client has everything; undefined while it joins. */
  get position(): number | undefined {
    return this.#position;
  }

  offer(offset: number, message: string): void {
    if (this.#position === undefined) {
      this.#hold(offset, message);
    } else if (offset === this.#position + 1) {
      this.#position = offset;
      this.#subscriber.push(message);
    }
  }

  /** What does not fit, and all after it, is read from Postgres once the subscription is live. */
  #hold(offset: number, message: string): void {
    this.#roomBytes -= Buffer.byteLength(message);
    if (this.#roomBytes >= 0) this.#held?.push({ offset, message });
  }

  /** The client was told its position: what was held above it follows, up to the first hole. */
  goLive(position: number): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#position = position;
    for (const { offset, message } of held) this.offer(offset, message);
  }

  drop(): void {
    this.#subscriber.dropped(this);
  }
}
