import type { Topic } from "./topic.ts";

/** What a topic needs of the session behind a subscription. */
export interface Subscriber {
  push(message: string): void;
  /** The topic has let go of it: the client is told to subscribe again. */
  dropped(subscription: Subscription): void;
}

/** More held than this is forgotten, and read from Postgres once the subscription is live. */
const MAX_HELD = 300;

/** One session on one topic. Hands on each offset once, in order, from the position it was given. */
export class Subscription {
  readonly topic: Topic;
  readonly #subscriber: Subscriber;
  #position: number | undefined;
  /** What was published while it joins, ascending. */
  #held: { offset: number; message: string }[] | undefined = [];

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
      if (this.#held !== undefined && this.#held.length < MAX_HELD) {
        this.#held.push({ offset, message });
      }
    } else if (offset === this.#position + 1) {
      this.#position = offset;
      this.#subscriber.push(message);
    }
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
