/** What one user holds here, over all its connections. */
export class UserBytes {
  /** Counted of its connections. */
  heldBytes = 0;
  /** At most so much of its large answers is being read. */
  readingBytes = 0;
  /** Its last connection has left: nobody wants what is still to be read. */
  isClosed = false;
}

/** A connection, as its bytes are counted. */
export interface Holder {
  /** As counted last; written by `HeldBytes` alone, like the user. */
  heldBytes: number;
  user: UserBytes;
  /** Ends it, and has it counted anew. */
  release(bound: Bound): void;
}

export type Bound = "connection" | "user" | "process";

export interface HeldLimits {
  maxUserBytes: number;
  maxProcessBytes: number;
}

/**
 * Counts all that waits, in and out, in bytes as they are on the wire. Above a bound those who hold most
 * are let go: of a user its fullest connection, of the process first those of the fullest user. Who
 * reads what it is sent holds nothing and is never among them.
 */
export class HeldBytes {
  /** Of connections that have not said yet whose they are. */
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

  /** The holder now holds so much, on this user. */
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
