import { createSemaphore, type Semaphore } from "@belfry/service/semaphore";

/** The memory that one user holds on this gateway, over all its connections. */
export class UserBytes {
  /** The sum of its connections. */
  heldBytes = 0;
  /** The most that its large answers, which are being read, may take. */
  readingBytes = 0;
  /** Its last connection has left, so nobody waits for answers any more. */
  isClosed = false;
}

/** A connection whose bytes are counted. */
export interface Holder {
  /** The bytes counted last. Only `HeldBytes` writes this field and `user`. */
  heldBytes: number;
  user: UserBytes;
  /** Ends the connection, which then counts its bytes again. */
  release(bound: Bound): void;
}

export type Bound = "connection" | "user" | "process";

export interface HeldLimits {
  maxUserBytes: number;
  maxProcessBytes: number;
}

/**
 * Counts everything that waits, in and out, in bytes as they are on the wire. Above a bound the fullest
 * connections are ended: of a user its own, of the process first those of the fullest user. A client that
 * reads what it is sent holds nothing and is never ended.
 */
export class HeldBytes {
  /** Holds the bytes of connections that are not authenticated yet. */
  readonly strangers = new UserBytes();
  readonly #limits: HeldLimits;
  readonly #holders = new Set<Holder>();
  #bytes = 0;

  constructor(limits: HeldLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Notes that the holder now holds so much, for this user. */
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

/** The user has too many large answers in hand: a temporary error, which the client tries again. */
export class Crowded extends Error {}

export interface LargeReadLimits {
  /** Bytes that are read at a time, for all users. A larger answer is read alone. */
  maxBytes: number;
  /** Unread bytes and bytes being read, of one user. */
  maxUserBytes: number;
}

/** Bounds reads of large answers by the bytes that each may have; they begin in the order of asking. */
export class LargeReads {
  readonly #maxUserBytes: number;
  readonly #reading: Semaphore;

  constructor({ maxBytes, maxUserBytes }: LargeReadLimits) {
    this.#maxUserBytes = maxUserBytes;
    this.#reading = createSemaphore((bytes, used) => used === 0 || used + bytes <= maxBytes);
  }

  /** Rejects with `Crowded` when the user has no room, or has left meanwhile. */
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
