import { realtimeChannel } from "@belfry/contracts/identifiers";
import type { RealtimeMessage } from "@belfry/contracts/realtime-message";
import { DISCONNECTS, type Disconnect } from "../protocol/protocol-codes.ts";
import { UserBytes } from "../socket/held-bytes.ts";
import type { LiveFeed } from "./live-feed.ts";
import { Topic, type TopicDeps } from "./topic.ts";

/** A session as the hub sees it. */
export interface Member {
  push(message: string): void;
  end(disconnect: Disconnect): void;
}

/** What this gateway holds of one user of one tenant. */
export class User {
  readonly tenantId: string;
  readonly userId: string;
  readonly members = new Set<Member>();
  readonly bytes = new UserBytes();
  readonly #topics = new Map<string, Topic>();
  readonly #deps: TopicDeps;
  /** Settles when NATS knows of our interest; undefined once it does. */
  inForce: Promise<void> | undefined;
  closeFeed: () => void = () => undefined;

  constructor(tenantId: string, userId: string, deps: TopicDeps) {
    this.tenantId = tenantId;
    this.userId = userId;
    this.#deps = deps;
  }

  /** The topic of a channel name, made when there is none yet. */
  topic(name: string): Topic {
    let topic = this.#topics.get(name);
    if (topic === undefined) {
      const { tenantId, userId } = this;
      topic = new Topic({ tenantId, userId, name }, realtimeChannel(name, userId), this.#deps);
      this.#topics.set(name, topic);
    }
    return topic;
  }

  forget(topic: Topic): void {
    if (topic.isUnused) this.#topics.delete(topic.key.name);
  }

  topics(): Iterable<Topic> {
    return this.#topics.values();
  }

  receive(message: RealtimeMessage): void {
    // The subject is a hash of the user id: only the message says whose it is.
    if (message.userId !== this.userId) return;
    switch (message.kind) {
      case "publication":
        for (const publication of message.publications) {
          const { channel } = publication;
          const hash = channel.indexOf("#");
          const topic = this.#topics.get(channel.slice(0, Math.max(hash, 0)));
          if (topic?.channel === channel) topic.receive(publication);
        }
        break;
      case "marked": {
        const { notificationId: id, unread } = message;
        const data = { type: "marked", id, unread };
        const text = this.#deps.codec.push({ message: { data } });
        for (const member of [...this.members]) member.push(text);
        break;
      }
      case "preferences": {
        const text = this.#deps.codec.push({ message: { data: { type: "preferences" } } });
        for (const member of [...this.members]) member.push(text);
        break;
      }
      case "disconnect":
        this.end(DISCONNECTS.forced);
        break;
    }
  }

  end(disconnect: Disconnect): void {
    for (const member of [...this.members]) member.end(disconnect);
  }
}

/** Who is connected: tenant and user, never a name that a client gave. */
export class Hub {
  readonly #users = new Map<string, User>();
  readonly #feed: Pick<LiveFeed, "open">;
  readonly #deps: TopicDeps;

  constructor(feed: Pick<LiveFeed, "open">, deps: TopicDeps) {
    this.#feed = feed;
    this.#deps = deps;
  }

  /** Adds a session to its user; undefined when the user has as many as it may. */
  enter(member: Member, tenantId: string, userId: string, most: number): User | undefined {
    const key = keyOf(tenantId, userId);
    let user = this.#users.get(key);
    if (user !== undefined && user.members.size >= most) return undefined;
    if (user === undefined) {
      user = this.#open(tenantId, userId);
      this.#users.set(key, user);
    }
    user.members.add(member);
    return user;
  }

  leave(member: Member, user: User): void {
    user.members.delete(member);
    if (user.members.size > 0) return;
    const key = keyOf(user.tenantId, user.userId);
    if (this.#users.get(key) !== user) return;
    this.#users.delete(key);
    user.bytes.isClosed = true;
    user.closeFeed();
  }

  users(): Iterable<User> {
    return this.#users.values();
  }

  endTenant(tenantId: string, disconnect: Disconnect): void {
    for (const user of [...this.#users.values()]) {
      if (user.tenantId === tenantId) user.end(disconnect);
    }
  }

  find(tenantId: string, userId: string): User | undefined {
    return this.#users.get(keyOf(tenantId, userId));
  }

  #open(tenantId: string, userId: string): User {
    const user = new User(tenantId, userId, this.#deps);
    const feed = this.#feed.open(tenantId, userId, (message) => user.receive(message));
    user.closeFeed = feed.close;
    user.inForce = feed.inForce.then(() => {
      user.inForce = undefined;
    });
    return user;
  }
}

/** A tenant id holds no space. */
function keyOf(tenantId: string, userId: string): string {
  return `${tenantId} ${userId}`;
}
