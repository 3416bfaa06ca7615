import type { Writable } from "node:stream";
import type { WebSocket } from "ws";
import type { Codec } from "./codec.ts";
import { countDrop } from "./gateway-metrics.ts";
import type { Bound, HeldBytes, Holder, UserBytes } from "./held-bytes.ts";
import { DISCONNECTS, type Disconnect } from "./protocol.ts";
import { Session } from "./session.ts";
import type { SessionDeps, Transport } from "./session-deps.ts";
import type { WriteQueue } from "./write-queue.ts";

/**
 * Above this many unsent bytes, a socket gets no more data. Publications then wait in our queue, in which connections
 * share their text.
 */
const SOCKET_FULL_BYTES = 64 * 1024;
/** Approximate upper bound of messages that are joined into one frame. */
const FRAME_CHARACTERS = 32 * 1024;

export interface ConnectionDeps extends SessionDeps {
  writes: WriteQueue;
  held: HeldBytes;
  maxQueueBytes: number;
  /** While more bytes of commands wait, no frames are read. */
  maxCommandBytes: number;
}

/**
 * A WebSocket and its session. Joins the messages of one tick into frames, text or binary by the codec, because the
 * other kind breaks the client. Counts and limits the bytes that a client has not read and the commands that it sends.
 */
export class Connection implements Transport, Holder {
  readonly session: Session;
  readonly codec: Codec;
  readonly #socket: WebSocket;
  /** The TCP socket. Each of our frames is written to it in one piece, like the library's own frames. */
  readonly #stream: Writable;
  readonly #deps: ConnectionDeps;
  #queue: string[] = [];
  #queuedBytes = 0;
  /**
   * Bytes of the largest reply since the client had last read everything. The client requested this reply, so the queue
   * may exceed its bound by this much. The next large reply does not begin before this one is read.
   */
  #replyBytes = 0;
  #isHeldBack = false;
  #isGone = false;
  readonly #partial = new PartialFrame();
  heldBytes = 0;
  user: UserBytes;
  /** Whether this connection is in the write queue. Only the queue sets it. */
  isDirty = false;

  constructor(socket: WebSocket, stream: Writable, codec: Codec, deps: ConnectionDeps) {
    this.codec = codec;
    this.#socket = socket;
    this.#stream = stream;
    this.#deps = deps;
    this.user = deps.held.unauthenticated;
    this.session = new Session(this, deps);
  }

  /** Handles one frame of the client. */
  receive(data: Buffer, isBinary: boolean): void {
    this.#partial.ended(data.length);
    if (isBinary === this.codec.isBinary) this.session.receive(data);
    else this.session.end(DISCONNECTS.inappropriateProtocol);
    this.#look();
  }

  /** Counts bytes that arrived. Called after `receive` was called for the frames that end in these bytes. */
  arrived(bytes: number): void {
    if (this.#partial.add(bytes)) this.#count();
  }

  reply(message: string): void {
    this.#replyBytes = Math.max(this.#replyBytes, this.#enqueue(message));
  }

  replyWithNext(message: string): void {
    this.#append(message);
    this.#deps.writes.addLater(this);
  }

  push(message: string): void {
    this.#enqueue(message);
  }

  backlogBytes(): number {
    return this.#stream.writableLength + this.#queuedBytes;
  }

  workDone(): void {
    this.#look();
  }

  isHeldBack(): boolean {
    return this.#isHeldBack;
  }

  close(disconnect: Disconnect): void {
    // Drops the queue of a slow client, and of one that has sent a close, after which no frame may follow.
    if (disconnect.code === DISCONNECTS.slow.code || !this.#isOpen()) this.#empty();
    else this.#writeAll(Number.POSITIVE_INFINITY);
    // Reads frames again, to receive the client's own close.
    if (this.#isHeldBack) this.#socket.resume();
    this.#socket.close(disconnect.code, disconnect.reason);
    this.#count();
  }

  release(bound: Bound): void {
    this.#drop(bound);
    // Otherwise the socket would keep its bytes until the client answers the close. The memory is needed now.
    if (this.#stream.writableLength > 0) this.terminate();
    this.session.forget();
    this.#isGone = true;
    this.#count();
  }

  /** Called when the socket is closed. */
  gone(): void {
    this.#empty();
    this.session.closed();
    this.#isGone = true;
    this.#count();
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** Called by the write queue. Returns whether the client still has unread bytes, so that it must be called again. */
  write(): boolean {
    if (!this.#isOpen()) {
      this.#empty();
      return false;
    }
    // Writes first, so that bytes that the kernel accepts at once do not count as unread, even after a pause of ours.
    this.#writeAll(SOCKET_FULL_BYTES);
    const backlogBytes = this.backlogBytes();
    if (backlogBytes > this.#deps.maxQueueBytes + this.#replyBytes) {
      this.#drop("connection");
      return false;
    }
    if (backlogBytes === 0) this.#replyBytes = 0;
    this.#count();
    if (this.#queue.length === 0) this.session.resume();
    return backlogBytes > 0;
  }

  #enqueue(message: string): number {
    this.#deps.writes.add(this);
    return this.#append(message);
  }

  #append(message: string): number {
    const bytes = this.codec.byteLength(message);
    this.#queue.push(message);
    this.#queuedBytes += bytes;
    return bytes;
  }

  #drop(bound: Bound): void {
    const { tenantId } = this.session.user ?? {};
    const { reason } = DISCONNECTS.slow;
    const backlogBytes = this.backlogBytes();
    countDrop(bound);
    this.#deps.log.info(
      { tenantId, client: this.session.id, backlogBytes, bound, reason },
      "dropped",
    );
    this.session.end(DISCONNECTS.slow);
  }

  /** Stops reading frames while too many commands wait, so that the client's buffers fill instead of ours. */
  #look(): void {
    const isHeldBack = this.session.heldBytes > this.#deps.maxCommandBytes;
    if (isHeldBack !== this.#isHeldBack && this.#isOpen()) {
      this.#isHeldBack = isHeldBack;
      if (isHeldBack) this.#socket.pause();
      else this.#socket.resume();
    }
    this.#count();
  }

  #count(): void {
    const unread = this.#isGone ? 0 : this.backlogBytes() + this.#partial.heldBytes;
    const bytes = unread + this.session.heldBytes;
    this.#deps.held.count(this, this.session.user?.bytes ?? this.user, bytes);
  }

  #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  #writeAll(untilBytes: number): void {
    const { isBinary, separator } = this.codec;
    let start = 0;
    while (start < this.#queue.length && this.#stream.writableLength <= untilBytes) {
      let end = start;
      let characters = 0;
      do {
        characters += this.#queue[end]!.length + 1;
        end += 1;
      } while (
        end < this.#queue.length &&
        characters + this.#queue[end]!.length < FRAME_CHARACTERS
      );
      const whole = start === 0 && end === this.#queue.length;
      const messages = whole ? this.#queue : this.#queue.slice(start, end);
      const joined = messages.length === 1 ? messages[0]! : messages.join(separator);
      const bytes = writeFrame(this.#stream, joined, isBinary);
      this.#queuedBytes -= bytes - (messages.length - 1) * separator.length;
      start = end;
    }
    // The array is emptied, not replaced: V8 keeps the messages of an old array until its next full collection.
    if (start === this.#queue.length) this.#queue.length = 0;
    else this.#queue = this.#queue.slice(start);
  }

  #empty(): void {
    this.#queue = [];
    this.#queuedBytes = 0;
  }
}

/** Estimated memory of a chunk in addition to its bytes, until its frame is complete. */
const CHUNK_BYTES = 256;

/** Counts the bytes of an incomplete frame, which the WebSocket library does not report. */
export class PartialFrame {
  #bytes = 0;
  #chunks = 0;
  /** Bytes of the frames that ended in the current chunk. */
  #endedBytes = 0;

  get heldBytes(): number {
    return this.#bytes + this.#chunks * CHUNK_BYTES;
  }

  /** Notes that a frame with this much data is complete. */
  ended(dataBytes: number): void {
    const lengthBytes = dataBytes < 126 ? 0 : dataBytes < 65_536 ? 2 : 8;
    // Two bytes of flags and length, and the four bytes of a client's mask (RFC 6455, 5.2).
    this.#endedBytes += dataBytes + lengthBytes + 6;
  }

  /** Counts a chunk. Call `ended` for its frames before. Returns whether `heldBytes` has changed. */
  add(chunkBytes: number): boolean {
    if (this.#endedBytes === 0) {
      this.#bytes += chunkBytes;
      this.#chunks += 1;
      return true;
    }
    const before = this.#bytes;
    // `ended` is not called for control frames, so the count may be too high. It is never more than the chunk.
    this.#bytes = Math.min(Math.max(before + chunkBytes - this.#endedBytes, 0), chunkBytes);
    this.#chunks = this.#bytes > 0 ? 1 : 0;
    this.#endedBytes = 0;
    return this.#bytes !== before;
  }
}

const TEXT = 0x81;
const BINARY = 0x82;
const MAX_SHORT = 125;
const MAX_MEDIUM = 0xffff;

/**
 * Writes one whole WebSocket frame of a server (RFC 6455, 5.2: no mask) to a TCP socket. A binary payload has one
 * character per byte. Returns the number of payload bytes. Binary payloads and ASCII text, which is nearly all text,
 * are written together with the header as one string in one system call. This costs half as much as two writes and
 * allocates nothing outside the heap.
 */
export function writeFrame(socket: Writable, payload: string, isBinary: boolean): number {
  const opcode = isBinary ? BINARY : TEXT;
  const length = isBinary ? payload.length : Buffer.byteLength(payload);
  if (length === payload.length && length <= MAX_MEDIUM) {
    socket.write(shortHeader(opcode, length) + payload, "latin1");
    return length;
  }
  const header = headerBytes(opcode, length);
  const frame = Buffer.allocUnsafe(header.length + length);
  frame.set(header);
  frame.write(payload, header.length, isBinary ? "latin1" : "utf8");
  socket.write(frame);
  return length;
}

function shortHeader(opcode: number, length: number): string {
  if (length <= MAX_SHORT) return String.fromCharCode(opcode, length);
  return String.fromCharCode(opcode, 126, length >> 8, length & 0xff);
}

function headerBytes(opcode: number, length: number): Buffer {
  if (length <= MAX_SHORT) return Buffer.of(opcode, length);
  if (length <= MAX_MEDIUM) return Buffer.of(opcode, 126, length >> 8, length & 0xff);
  const header = Buffer.of(opcode, 127, 0, 0, 0, 0, 0, 0, 0, 0);
  header.writeUIntBE(length, 4, 6);
  return header;
}
