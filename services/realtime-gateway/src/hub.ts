import { realtimeChannel } from "@belfry/contracts/identifiers";
import type { RealtimeMessage } from "@belfry/contracts/realtime-message";
import { chunks } from "@belfry/database/connection";
import type { ChannelKey } from "@belfry/database/functions/realtime-channels";
import { SharedPush } from "./codec.ts";
import { UserBytes } from "./held-bytes.ts";
import type { LiveFeed } from "./live-feed.ts";
import { DISCONNECTS, type Disconnect } from "./protocol.ts";
import type { ChannelTop } from "./realtime-history.ts";
import { Topic, type TopicDeps } from "./topic.ts";

/** The part of a session that the hub uses. */
export interface Member {
  push(push: SharedPush): void;
  end(disconnect: Disconnect): void;
}

/** The sessions and topics of one user of one tenant on this gateway. */
export class User {
  readonly tenantId: string;
  readonly userId: string;
  readonly members = new Set<Member>();
  readonly bytes = new UserBytes();
  readonly #topics = new Map<string, Topic>();
  readonly #deps: TopicDeps;
  /** Settles when the user's subscription on NATS is in force; undefined after that. */
  inForce: Promise<void> | undefined;
  closeFeed: () => void = () => undefined;

  constructor(tenantId: string, userId: string, deps: TopicDeps) {
    this.tenantId = tenantId;
    this.userId = userId;
    this.#deps = deps;
  }

  /** Returns the topic of a channel name; creates it if there is none yet. */
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
    // The subject has only a hash of the user id, so another user's message may arrive here.
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
      case "marked":
      case "changed": {
        const { kind: type, notificationId: id, unread } = message;
        this.#pushMessage({ type, id, unread });
        break;
      }
      case "preferences":
        this.#pushMessage({ type: "preferences" });
        break;
      case "disconnect":
        this.end(DISCONNECTS.forced);
        break;
    }
  }

  #pushMessage(data: object): void {
    const push = new SharedPush({ message: { data } });
    for (const member of [...this.members]) member.push(push);
  }

  end(disconnect: Disconnect): void {
    for (const member of [...this.members]) member.end(disconnect);
  }
}

/** The connected users, by the tenant and user id of their tokens. */
export class Hub {
  readonly #users = new Map<string, User>();
  readonly #feed: Pick<LiveFeed, "open">;
  readonly #deps: TopicDeps;

  constructor(feed: Pick<LiveFeed, "open">, deps: TopicDeps) {
    this.#feed = feed;
    this.#deps = deps;
  }

  /** Adds a session to its user and returns the user; undefined if the user already has `most` sessions. */
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

/** Returns a key that is unique, because a tenant id has no space. */
function keyOf(tenantId: string, userId: string): string {
  return `${tenantId} ${userId}`;
}

const CHANNELS_OF_STATEMENT = 20_000;

/**
 * Returns a function that compares the position of every channel with Postgres. It finds a lost publication that no
 * later publication reveals, and a database that was restored to an earlier state. A call during a check makes it run
 * again.
 */
export function createPositionCheck(
  hub: Hub,
  readTops: (channels: readonly ChannelKey[]) => Promise<ChannelTop[]>,
  log: { warn(details: object, message: string): void },
): () => Promise<void> {
  let running: Promise<void> | undefined;
  let again = false;

  const check = async () => {
    const topics: Topic[] = [];
    for (const user of hub.users()) {
      for (const topic of user.topics()) if (topic.position !== undefined) topics.push(topic);
    }
    for (const chunk of chunks(topics, CHANNELS_OF_STATEMENT)) {
      const positions = chunk.map((topic) => topic.position ?? 0);
      const tops = await readTops(chunk.map((topic) => topic.key));
      for (const [index, { epoch, top }] of tops.entries()) {
        chunk[index]?.compare(epoch, top, positions[index] ?? 0);
      }
    }
  };

  const run = async () => {
    do {
      again = false;
      await check().catch((err) => log.warn({ err }, "realtime positions cannot be checked"));
    } while (again);
    running = undefined;
  };

  return () => {
    again = running !== undefined;
    running ??= run();
    return running;
  };
}
