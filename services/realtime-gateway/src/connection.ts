import type { Writable } from "node:stream";
import type { WebSocket } from "ws";
import type { Codec } from "./codec.ts";
import { countDrop } from "./gateway-metrics.ts";
import type { Bound, HeldBytes, Holder, UserBytes } from "./held-bytes.ts";
import { DISCONNECTS, type Disconnect } from "./protocol.ts";
import { Session } from "./session.ts";
import type { SessionDeps, Transport } from "./session-deps.ts";
import type { WriteQueue } from "./write-queue.ts";

/** A socket with more unsent bytes gets nothing more. Publications then wait in our queue, whose text connections share. */
const SOCKET_FULL_BYTES = 64 * 1024;
/** About the most that is joined into one frame. */
const FRAME_CHARACTERS = 32 * 1024;

export interface ConnectionDeps extends SessionDeps {
  writes: WriteQueue;
  held: HeldBytes;
  maxQueueBytes: number;
  /** When commands of more bytes wait, no more frames are read. */
  maxCommandBytes: number;
}

/**
 * A WebSocket and its session. Joins what is sent within a tick into frames, of the kind that its codec has: the
 * other kind breaks the client. Counts and bounds what waits for a client that does not read, and the
 * commands that it sends.
 */
export class Connection implements Transport, Holder {
  readonly session: Session;
  readonly codec: Codec;
  readonly #socket: WebSocket;
  /** The TCP socket below. Our frames are written to it whole, as the library writes its own. */
  readonly #stream: Writable;
  readonly #deps: ConnectionDeps;
  #queue: string[] = [];
  #queuedBytes = 0;
  /**
   * The largest reply since the client had read everything. The client asked for it, so the queue may exceed its
   * bound by so much; the next large reply does not begin before this one is read.
   */
  #replyBytes = 0;
  #isHeldBack = false;
  #isGone = false;
  readonly #partial = new PartialFrame();
  heldBytes = 0;
  user: UserBytes;
  /** Whether it is in the write queue; only the queue writes it. */
  isDirty = false;

  constructor(socket: WebSocket, stream: Writable, codec: Codec, deps: ConnectionDeps) {
    this.codec = codec;
    this.#socket = socket;
    this.#stream = stream;
    this.#deps = deps;
    this.user = deps.held.strangers;
    this.session = new Session(this, deps);
  }

  /** Takes one frame of the client. */
  receive(data: Buffer, isBinary: boolean): void {
    this.#partial.ended(data.length);
    if (isBinary === this.codec.isBinary) this.session.receive(data);
    else this.session.end(DISCONNECTS.inappropriateProtocol);
    this.#look();
  }

  /** Counts bytes that arrived. Called after `receive` for the frames that end in them. */
  arrived(bytes: number): void {
    if (this.#partial.add(bytes)) this.#count();
  }

  reply(message: string): void {
    this.#replyBytes = Math.max(this.#replyBytes, this.#enqueue(message));
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
    // No frame may follow a close of the client.
    if (disconnect.code === DISCONNECTS.slow.code || !this.#isOpen()) this.#empty();
    else this.#writeAll(Number.POSITIVE_INFINITY);
    // So that the client's own close is read.
    if (this.#isHeldBack) this.#socket.resume();
    this.#socket.close(disconnect.code, disconnect.reason);
    this.#count();
  }

  release(bound: Bound): void {
    this.#drop(bound);
    // Otherwise the socket would keep its bytes until the client answers the close, which is too late.
    if (this.#stream.writableLength > 0) this.terminate();
    this.session.forget();
    this.#isGone = true;
    this.#count();
  }

  /** The socket is gone. */
  gone(): void {
    this.#empty();
    this.session.closed();
    this.#isGone = true;
    this.#count();
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** Called by the write queue. Returns whether something is left to be written later. */
  write(): boolean {
    if (!this.#isOpen()) {
      this.#empty();
      return false;
    }
    // Write first: what the kernel takes at once does not count as unread, even after a pause of ours.
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
    const bytes = this.codec.byteLength(message);
    this.#queue.push(message);
    this.#queuedBytes += bytes;
    this.#deps.writes.add(this);
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

  /** Reads no more frames while too many commands wait, so that the client's buffers fill, not ours. */
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
    this.#queue = start === this.#queue.length ? [] : this.#queue.slice(start);
  }

  #empty(): void {
    this.#queue = [];
    this.#queuedBytes = 0;
  }
}

/** Memory that a chunk takes beside its bytes until its frame is complete. */
const CHUNK_BYTES = 256;

/** Counts the bytes of a frame that has not arrived whole. The WebSocket library does not tell them. */
export class PartialFrame {
  #bytes = 0;
  #chunks = 0;
  /** Bytes of the frames that ended in the present chunk. */
  #endedBytes = 0;

  get heldBytes(): number {
    return this.#bytes + this.#chunks * CHUNK_BYTES;
  }

  /** A frame with this much data has arrived whole. */
  ended(dataBytes: number): void {
    const lengthBytes = dataBytes < 126 ? 0 : dataBytes < 65_536 ? 2 : 8;
    // Flags and length, and the mask of a client (RFC 6455, 5.2).
    this.#endedBytes += dataBytes + lengthBytes + 6;
  }

  /** A chunk has arrived, after `ended` was called for its frames. Returns whether `heldBytes` has changed. */
  add(chunkBytes: number): boolean {
    if (this.#endedBytes === 0) {
      this.#bytes += chunkBytes;
      this.#chunks += 1;
      return true;
    }
    const before = this.#bytes;
    // `ended` is not called for control frames, but the rest is never more than the chunk.
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
 * Writes one whole WebSocket frame of a server (RFC 6455, 5.2: no mask) to a TCP socket: text, or binary with a
 * character for each byte. Returns the bytes of the payload. Nearly all text is ASCII; that and what is binary is
 * written as one string in one system call, which costs half as much as header and payload apart and allocates
 * nothing outside the heap.
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
