import { createSemaphore, type Semaphore } from "@belfry/service/semaphore";

/** The memory that one user takes on this gateway, over all the user's connections. */
export class UserBytes {
  /** The sum of the bytes that the user's connections hold. */
  heldBytes = 0;
  /** The sum of the largest possible sizes of the user's large answers that wait to be read or are being read. */
  readingBytes = 0;
  /** Whether the user's last connection has left, so that nobody waits for answers any more. */
  isClosed = false;
}

/** A connection whose bytes are counted. */
export interface Holder {
  /** The bytes of the last count. Only `HeldBytes` sets this field and `user`. */
  heldBytes: number;
  user: UserBytes;
  /**
   * Ends the connection. Must call `count` again before it returns, because `HeldBytes` then decides whether to end
   * more.
   */
  release(bound: Bound): void;
}

export type Bound = "connection" | "user" | "process";

export interface HeldLimits {
  maxUserBytes: number;
  maxProcessBytes: number;
}

/**
 * Counts the bytes of all waiting messages, incoming and outgoing, in wire format. If a user exceeds the limit per
 * user, ends that user's connections, largest first. If the process exceeds its limit, ends connections of the largest
 * users first. A client that reads what it is sent holds nothing and is never ended.
 */
export class HeldBytes {
  /** The bytes of connections that are not authenticated yet. */
  readonly unauthenticated = new UserBytes();
  readonly #limits: HeldLimits;
  readonly #holders = new Set<Holder>();
  #bytes = 0;

  constructor(limits: HeldLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Sets the bytes that a holder holds now, and the user for whom they count. Ends connections above a bound. */
  count(holder: Holder, user: UserBytes, bytes: number): void {
    const added = bytes - holder.heldBytes;
    if (added === 0 && user === holder.user) return;
    holder.user.heldBytes -= holder.heldBytes;
    user.heldBytes += bytes;
    this.#bytes += added;
    holder.user = user;
    holder.heldBytes = bytes;
    if (bytes === 0) this.#holders.delete(holder);
    else this.#holders.add(holder);
    if (added > 0) this.#enforce(user);
  }

  #enforce(user: UserBytes): void {
    const { maxUserBytes, maxProcessBytes } = this.#limits;
    if (user.heldBytes > maxUserBytes) {
      const holders = [...this.#holders].filter((holder) => holder.user === user);
      for (const holder of fullestFirst(holders)) {
        if (user.heldBytes <= maxUserBytes) break;
        holder.release("user");
      }
    }
    if (this.#bytes > maxProcessBytes) {
      for (const holder of fullestFirst([...this.#holders])) {
        if (this.#bytes <= maxProcessBytes) break;
        holder.release("process");
      }
    }
  }
}

function fullestFirst(holders: Holder[]): Holder[] {
  return holders.sort((a, b) => b.user.heldBytes - a.user.heldBytes || b.heldBytes - a.heldBytes);
}

/** The user has too many large answers in progress. This is a temporary error, so the client tries again. */
export class Crowded extends Error {}

export interface LargeReadLimits {
  /** Most bytes that are read at a time for all users. A larger answer is read alone. */
  maxBytes: number;
  /** Most bytes of one user that are unread or being read. */
  maxUserBytes: number;
}

/** Limits concurrent reads of large answers by the largest possible size of each. Reads begin in the order of calls. */
export class LargeReads {
  readonly #maxUserBytes: number;
  readonly #reading: Semaphore;

  constructor({ maxBytes, maxUserBytes }: LargeReadLimits) {
    this.#maxUserBytes = maxUserBytes;
    this.#reading = createSemaphore((bytes, used) => used === 0 || used + bytes <= maxBytes);
  }

  /** Runs a read. Rejects with `Crowded` if the user has no room or has left meanwhile. */
  async run<T>(user: UserBytes, maxBytes: number, read: () => Promise<T>): Promise<T> {
    const inHandBytes = user.heldBytes + user.readingBytes;
    if (inHandBytes > 0 && inHandBytes + maxBytes > this.#maxUserBytes) throw new Crowded();
    user.readingBytes += maxBytes;
    try {
      return await this.#reading.run(async () => {
        if (user.isClosed) throw new Crowded();
        return await read();
      }, maxBytes);
    } finally {
      user.readingBytes -= maxBytes;
    }
  }
}
