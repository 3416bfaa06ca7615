/** What a chunk that came costs beside its bytes, as long as its frame is not whole. */
const CHUNK_BYTES = 256;

/** Counts what has come of a frame that is not whole yet, from outside of the WebSocket. */
export class PartialFrame {
  #bytes = 0;
  #chunks = 0;
  /** Of frames that ended in the chunk at hand. */
  #endedBytes = 0;

  get heldBytes(): number {
    return this.#bytes + this.#chunks * CHUNK_BYTES;
  }

  /** A frame with so many bytes of data is whole. */
  ended(dataBytes: number): void {
    const lengthBytes = dataBytes < 126 ? 0 : dataBytes < 65_536 ? 2 : 8;
    // Flags and length, and the mask of a client (RFC 6455, 5.2).
    this.#endedBytes += dataBytes + lengthBytes + 6;
  }

  /** A chunk has come, and its frames were told before; returns whether anything has changed. */
  add(chunkBytes: number): boolean {
    if (this.#endedBytes === 0) {
      this.#bytes += chunkBytes;
      this.#chunks += 1;
      return true;
    }
    const before = this.#bytes;
    // Frames that carry no data are not told: what is left is never more than the chunk.
    this.#bytes = Math.min(Math.max(before + chunkBytes - this.#endedBytes, 0), chunkBytes);
    this.#chunks = this.#bytes > 0 ? 1 : 0;
    this.#endedBytes = 0;
    return this.#bytes !== before;
  }
}
