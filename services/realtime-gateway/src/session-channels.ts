import { parseRealtimeChannel } from "@belfry/contracts/identifiers";
import { SharedPush } from "./codec.ts";
import type { ChannelRequest, HistoryRequest, SubscribeRequest } from "./commands.ts";
import { countRecovery } from "./gateway-metrics.ts";
import type { User } from "./hub.ts";
import {
  DISCONNECTS,
  type Disconnect,
  ERRORS,
  type ProtocolError,
  type Reply,
  type SubscribeResult,
  UNSUBSCRIBES,
} from "./protocol.ts";
import { type ChannelState, ITEM_BYTES, MAX_RECOVERED } from "./realtime-history.ts";
import type { SessionDeps } from "./session-deps.ts";
import { type Subscriber, Subscription, type SubscriptionOwner } from "./topic.ts";

const MAX_HISTORY_PAGE = 300;

/** The part of a session that its channels use. */
interface Owner extends Subscriber {
  user: User | undefined;
  reply(reply: Reply): void;
  fail(id: number, error: ProtocolError): void;
  end(disconnect: Disconnect): void;
  /** Runs `answer` when the client has read all earlier messages. */
  answerLarge(answer: () => Promise<void>): Promise<void>;
}

/** The only compression of publications that the client knows. */
const KNOWN_DELTA = "fossil";
/** A bit in the `flag` of a subscribe. */
const REJECT_UNRECOVERABLE = 2;

/** The subscriptions of one session. */
export class SessionChannels implements SubscriptionOwner {
  readonly #deps: SessionDeps;
  readonly #owner: Owner;
  readonly #held = new Map<string, Subscription>();

  constructor(deps: SessionDeps, owner: Owner) {
    this.#deps = deps;
    this.#owner = owner;
  }

  dropped(subscription: Subscription): void {
    const { channel } = subscription.topic;
    this.#leave(channel);
    const unsubscribe = UNSUBSCRIBES.insufficientState;
    this.#owner.push(new SharedPush({ channel, unsubscribe }));
  }

  leaveAll(): void {
    for (const channel of [...this.#held.keys()]) this.#leave(channel);
  }

  /** Subscribes to a channel. Returns undefined if the request was refused at once. */
  subscribe(id: number, request: SubscribeRequest): Promise<void> | undefined {
    const { user } = this.#owner;
    if (user === undefined) return undefined;
    const { channel } = request;
    // Only a faulty client asks for an unknown compression. We do not support the known one either, and refuse it by
    // leaving `delta` out of the reply.
    if (channel === "" || (request.delta !== "" && request.delta !== KNOWN_DELTA)) {
      return void this.#owner.end(DISCONNECTS.badRequest);
    }
    const refusal = this.#refusal(user, request);
    if (refusal !== undefined) return void this.#owner.fail(id, refusal);
    const topic = user.topic(channel.slice(0, channel.indexOf("#")));
    const subscription = new Subscription(topic, this.#owner, this);
    topic.add(subscription);
    this.#held.set(channel, subscription);
    return this.#join(id, request, subscription);
  }

  async unsubscribe(id: number, request: ChannelRequest): Promise<void> {
    if (request.channel === "") return this.#owner.end(DISCONNECTS.badRequest);
    this.#leave(request.channel);
    this.#owner.reply({ id, unsubscribe: {} });
  }

  async history(id: number, request: HistoryRequest): Promise<void> {
    const { user } = this.#owner;
    if (user === undefined) return;
    const { channel, since, reverse } = request;
    if (channel === "") return this.#owner.end(DISCONNECTS.badRequest);
    const name = this.#ownName(user, channel);
    if (name === undefined) return this.#owner.fail(id, ERRORS.permissionDenied);
    if (reverse && since?.offset === 0) return this.#owner.fail(id, ERRORS.badRequest);
    const unlimited = request.limit < 0;
    const limit = unlimited ? MAX_HISTORY_PAGE : Math.min(request.limit, MAX_HISTORY_PAGE);
    const { tenantId, userId } = user;
    const page = { tenantId, userId, name, limit, reverse, since: since?.offset };
    const read = () => this.#deps.readPage(page);
    const state = await this.#deps.largeReads.run(user.bytes, limit * ITEM_BYTES, read);
    if (since !== undefined && since.epoch !== "" && since.epoch !== state.epoch) {
      return this.#owner.fail(id, ERRORS.unrecoverablePosition);
    }
    const { publications, top, epoch } = state;
    this.#owner.reply({ id, history: { publications, offset: top, epoch } });
  }

  #refusal(user: User, request: SubscribeRequest): ProtocolError | undefined {
    const { limits } = this.#deps;
    const { channel } = request;
    if (request.type !== 0) return ERRORS.notAvailable;
    if (Buffer.byteLength(channel) > limits.maxChannelBytes) return ERRORS.badRequest;
    if (this.#held.has(channel)) return ERRORS.alreadySubscribed;
    if (this.#held.size >= limits.maxChannels) return ERRORS.limitExceeded;
    if (this.#ownName(user, channel) === undefined) return ERRORS.permissionDenied;
    if (request.filtered) return ERRORS.badRequest;
    return undefined;
  }

  /** Returns the part of the channel before the first `#` if the part after it is the id of the session's own user. */
  #ownName(user: User, channel: string): string | undefined {
    const parsed = parseRealtimeChannel(channel);
    return parsed?.userId === user.userId ? parsed.name : undefined;
  }

  async #join(id: number, request: SubscribeRequest, subscription: Subscription): Promise<void> {
    const { user } = this.#owner;
    const { key } = subscription.topic;
    const { offset: after, recover } = request;
    try {
      const state = await this.#deps.history.read({ ...key, after, limit: 0, partial: false });
      const missed = recover && isOfEpoch(request, state) ? state.top - after : 0;
      if (user === undefined || missed <= 0 || missed > MAX_RECOVERED) {
        return this.#joined(id, request, subscription, state);
      }
      const read = () =>
        this.#deps.history.read({ ...key, after, limit: MAX_RECOVERED, partial: false });
      await this.#owner.answerLarge(async () => {
        if (!this.#holds(subscription)) return;
        const bytes = missed * ITEM_BYTES;
        const full = await this.#deps.largeReads.run(user.bytes, bytes, read);
        this.#joined(id, request, subscription, full);
      });
    } catch (err) {
      if (this.#holds(subscription)) this.#leave(subscription.topic.channel);
      throw err;
    }
  }

  #holds(subscription: Subscription): boolean {
    return this.#held.get(subscription.topic.channel) === subscription;
  }

  #joined(
    id: number,
    request: SubscribeRequest,
    subscription: Subscription,
    state: ChannelState,
  ): void {
    if (!this.#holds(subscription)) return;
    const { topic } = subscription;
    const { recover } = request;
    const isRecovered = recover && recovers(request, state);
    if (recover) countRecovery(isRecovered);
    if (recover && !isRecovered && (request.flag & REJECT_UNRECOVERABLE) !== 0) {
      this.#leave(topic.channel);
      this.#owner.fail(id, ERRORS.unrecoverablePosition);
      return;
    }
    const { epoch, top, publications } = state;
    const result: SubscribeResult = { recoverable: true, positioned: true, epoch, offset: top };
    if (recover) result.was_recovering = true;
    if (isRecovered) {
      result.recovered = true;
      // The client counts on from its own offset while it delivers the recovered publications.
      result.offset = request.offset;
      if (publications.length > 0) result.publications = publications;
    }
    this.#owner.reply({ id, subscribe: result });
    subscription.goLive(top);
    topic.joined(subscription, epoch);
  }

  #leave(channel: string): void {
    const subscription = this.#held.get(channel);
    if (subscription === undefined) return;
    this.#held.delete(channel);
    subscription.topic.remove(subscription);
    this.#owner.user?.forget(subscription.topic);
  }
}

function isOfEpoch({ epoch }: SubscribeRequest, state: ChannelState): boolean {
  return epoch === "" || epoch === state.epoch;
}

/** Returns whether the publications that were read are exactly those that the client missed. */
function recovers(request: SubscribeRequest, state: ChannelState): boolean {
  if (!isOfEpoch(request, state)) return false;
  const { publications, top } = state;
  if (publications.length === 0) return request.offset === top;
  const first = publications[0]!.offset;
  const last = publications.at(-1)!.offset;
  return (
    first === request.offset + 1 && last === top && publications.length === last - request.offset
  );
}
