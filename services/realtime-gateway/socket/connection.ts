import type { Writable } from "node:stream";
import type { WebSocket } from "ws";
import { countDrop } from "../gateway-metrics.ts";
import type { Codec } from "../protocol/codec.ts";
import { DISCONNECTS, type Disconnect } from "../protocol/protocol-codes.ts";
import { Session } from "../session/session.ts";
import type { SessionDeps, Transport } from "../session/session-deps.ts";
import type { Bound, HeldBytes, Holder, UserBytes } from "./held-bytes.ts";
import { PartialFrame } from "./partial-frame.ts";
import { writeTextFrame } from "./text-frame.ts";
import type { WriteQueue } from "./write-queue.ts";

/** Above this a socket is given no more until it has sent some; what waits is shared text. */
const SOCKET_FULL_BYTES = 64 * 1024;
/** Messages of one frame are joined up to about this. */
const FRAME_CHARACTERS = 32 * 1024;

export interface ConnectionDeps extends SessionDeps {
  codec: Codec;
  writes: WriteQueue;
  held: HeldBytes;
  maxQueueBytes: number;
  /** Of commands that wait, before no more are read. */
  maxCommandBytes: number;
}

/**
 * A WebSocket and its session. Gathers what is sent within a tick into frames, always of text: a
 * binary frame breaks the client. Bounds and counts what waits for a client that does not read, and of
 * what it asks for.
 */
export class Connection implements Transport, Holder {
  readonly session: Session;
  readonly #socket: WebSocket;
  /** Below the WebSocket. Frames are written here whole: the library writes its own whole too. */
  readonly #stream: Writable;
  readonly #deps: ConnectionDeps;
  #queue: string[] = [];
  #queuedBytes = 0;
  /**
   * The largest reply since nothing was unread. It was asked for, so by so much the bound may be
   * exceeded; the next large one does not begin before it is read.
   */
  #replyBytes = 0;
  #isHeldBack = false;
  #isGone = false;
  readonly #partial = new PartialFrame();
  heldBytes = 0;
  user: UserBytes;
  /** In the write queue; the queue's own note. */
  isDirty = false;

  constructor(socket: WebSocket, stream: Writable, deps: ConnectionDeps) {
    this.#socket = socket;
    this.#stream = stream;
    this.#deps = deps;
    this.user = deps.held.strangers;
    this.session = new Session(this, deps);
  }

  /** One text frame of the client. */
  receive(data: Buffer): void {
    this.#partial.ended(data.length);
    this.session.receive(data.toString());
    this.#look();
  }

  /** So many bytes have come; the frames that end in them were received before this is called. */
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
    // After a close of the client no frame may follow.
    if (disconnect.code === DISCONNECTS.slow.code || !this.#isOpen()) this.#empty();
    else this.#writeAll(Number.POSITIVE_INFINITY);
    // The client's own close has to be read.
    if (this.#isHeldBack) this.#socket.resume();
    this.#socket.close(disconnect.code, disconnect.reason);
    this.#count();
  }

  release(bound: Bound): void {
    this.#drop(bound);
    // What the socket holds would stay until the close is answered, which it cannot be in time.
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

  /** Called by the write queue; returns true when something is left to be written later. */
  write(): boolean {
    if (!this.#isOpen()) {
      this.#empty();
      return false;
    }
    // Offered first: what the kernel takes at once is not unread, even after a pause of ours.
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
    const bytes = Buffer.byteLength(message);
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

  /** Reads no more frames while too many commands wait: the client's own buffers fill, not ours. */
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
      const bytes = writeTextFrame(this.#stream, this.#deps.codec.join(messages));
      this.#queuedBytes -= bytes - (messages.length - 1);
      start = end;
    }
    this.#queue = start === this.#queue.length ? [] : this.#queue.slice(start);
  }

  #empty(): void {
    this.#queue = [];
    this.#queuedBytes = 0;
  }
}
