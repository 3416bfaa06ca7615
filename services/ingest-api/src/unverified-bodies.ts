import type { Readable } from "node:stream";
import { Problem } from "@belfry/contracts/problems";

const MIB = 1024 * 1024;
/** Bytes that each request reserves at first, even if its body is smaller. */
const FIRST_BYTES = 16 * 1024;

export interface UnverifiedBounds {
  /** Most bytes of all bodies together. */
  bytes: number;
  /** Most bytes of the bodies of one address. */
  bytesOfAddress: number;
}

/** A container with 512 MiB has room for this. An address may send eight of the largest vendor bodies at a time. */
export const UNVERIFIED_BOUNDS: UnverifiedBounds = { bytes: 32 * MIB, bytesOfAddress: 8 * MIB };

/** A body. Disposing it (`using`) frees its reserved memory. */
export interface UnverifiedBody extends Disposable {
  bytes: Buffer;
}

/**
 * Reads bodies whose sender is verified only afterwards, such as receipts, whose signature covers the body. Limits the
 * memory of all bodies and of each address's bodies until they are disposed.
 */
export class UnverifiedBodies {
  readonly #bounds: UnverifiedBounds;
  readonly #byAddress = new Map<string, number>();
  #held = 0;

  constructor(bounds: UnverifiedBounds = UNVERIFIED_BOUNDS) {
    this.#bounds = bounds;
  }

  /** Reserved bytes of all current bodies. */
  get heldBytes(): number {
    return this.#held;
  }

  /**
   * Reads a body. Throws a Problem: 413 if it is larger than `maxBytes`, 429 if its address has too many bytes in
   * progress, 503 if all addresses together have, 400 if the body breaks off.
   */
  async read(source: Readable, address: string, maxBytes: number): Promise<UnverifiedBody> {
    let taken = 0;
    const take = (bytes: number) => {
      this.#take(address, bytes);
      taken += bytes;
    };
    const giveBack = () => {
      this.#give(address, taken);
      taken = 0;
    };
    try {
      take(FIRST_BYTES);
      // One growing buffer, because a body that is sent byte by byte would leave a million small ones.
      let buffer = Buffer.allocUnsafe(FIRST_BYTES);
      let length = 0;
      for await (const chunk of source.iterator({ destroyOnReturn: false })) {
        const needed = length + chunk.length;
        if (needed > maxBytes) throw new Problem("tooLarge");
        if (needed > buffer.length) {
          const size = Math.min(maxBytes, Math.max(needed, buffer.length * 2));
          take(size - buffer.length);
          const larger = Buffer.allocUnsafe(size);
          buffer.copy(larger, 0, 0, length);
          buffer = larger;
        }
        chunk.copy(buffer, length);
        length = needed;
      }
      return { bytes: buffer.subarray(0, length), [Symbol.dispose]: giveBack };
    } catch (error) {
      giveBack();
      // The answer uses the same connection, so the rest of the body must be read and dropped.
      source.resume();
      if (error instanceof Problem) throw error;
      throw new Problem("badRequest", { cause: error });
    }
  }

  #take(address: string, bytes: number): void {
    const ofAddress = (this.#byAddress.get(address) ?? 0) + bytes;
    if (ofAddress > this.#bounds.bytesOfAddress) {
      throw new Problem("tooManyRequests", { retryAfterSeconds: 1 });
    }
    if (this.#held + bytes > this.#bounds.bytes) {
      throw new Problem("unavailable", { headers: { "retry-after": "1" } });
    }
    this.#byAddress.set(address, ofAddress);
    this.#held += bytes;
  }

  #give(address: string, bytes: number): void {
    const left = (this.#byAddress.get(address) ?? 0) - bytes;
    if (left > 0) this.#byAddress.set(address, left);
    else this.#byAddress.delete(address);
    this.#held -= bytes;
  }
}
