import type { UserBytes } from "../socket/held-bytes.ts";

/** The user has too much in hand already: a temporary error, tried again by the client. */
export class Crowded extends Error {}

export interface LargeReadLimits {
  /** Read at a time, for all; what alone is larger is read alone. */
  maxBytes: number;
  /** Unread and being read, of one user. */
  maxUserBytes: number;
}

/** Reads of answers that may be large, by the size that they may have, in the order of asking. */
export class LargeReads {
  readonly #limits: LargeReadLimits;
  readonly #waiting: { bytes: number; begin(): void }[] = [];
  #readingBytes = 0;

  constructor(limits: LargeReadLimits) {
    this.#limits = limits;
  }

  /** Rejects with `Crowded` when the user has no room, or has left meanwhile. */
  async run<T>(user: UserBytes, maxBytes: number, read: () => Promise<T>): Promise<T> {
    const inHandBytes = user.heldBytes + user.readingBytes;
    if (inHandBytes > 0 && inHandBytes + maxBytes > this.#limits.maxUserBytes) throw new Crowded();
    user.readingBytes += maxBytes;
    try {
      await this.#turn(maxBytes);
      try {
        if (user.isClosed) throw new Crowded();
        return await read();
      } finally {
        this.#readingBytes -= maxBytes;
        this.#beginMore();
      }
    } finally {
      user.readingBytes -= maxBytes;
    }
  }

  #turn(bytes: number): Promise<void> {
    return new Promise((begin) => {
      this.#waiting.push({ bytes, begin });
      this.#beginMore();
    });
  }

  #beginMore(): void {
    for (;;) {
      const next = this.#waiting[0];
      if (next === undefined) return;
      const isRoom = this.#readingBytes + next.bytes <= this.#limits.maxBytes;
      if (!isRoom && this.#readingBytes > 0) return;
      this.#waiting.shift();
      this.#readingBytes += next.bytes;
      next.begin();
    }
  }
}
