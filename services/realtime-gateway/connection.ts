import type { Writable } from "node:stream";
import type { WebSocket } from "ws";
import type { Codec } from "./codec.ts";
import { DISCONNECTS, type Disconnect } from "./protocol-codes.ts";
import { Session } from "./session.ts";
import type { SessionDeps, Transport } from "./session-deps.ts";
import { writeTextFrame } from "./text-frame.ts";
import type { WriteQueue } from "./write-queue.ts";

/** Above this a socket is given no more until it has sent some; what waits is shared text. */
const SOCKET_FULL_BYTES = 64 * 1024;
/** Messages of one frame are joined up to about this. */
const FRAME_CHARACTERS = 32 * 1024;

export interface ConnectionDeps extends SessionDeps {
  codec: Codec;
  writes: WriteQueue;
  maxQueueBytes: number;
}

/**
 * A WebSocket and its session. Gathers what is sent within a tick into frames, always of text: a
 * binary frame breaks the client. Bounds what waits for a client that does not read.
 */
export class Connection implements Transport {
  readonly session: Session;
  readonly #socket: WebSocket;
  /** Below the WebSocket. Frames are written here whole: the library writes its own whole too. */
  readonly #stream: Writable;
  readonly #deps: ConnectionDeps;
  #queue: string[] = [];
  #queuedCharacters = 0;
  /** Replies that the client asked for may exceed the bound, until it has read them. */
  #replyCharacters = 0;
  /** In the write queue; the queue's own note. */
  isDirty = false;

  constructor(socket: WebSocket, stream: Writable, deps: ConnectionDeps) {
    this.#socket = socket;
    this.#stream = stream;
    this.#deps = deps;
    this.session = new Session(this, deps);
  }

  reply(message: string): void {
    this.#replyCharacters += message.length;
    this.push(message);
  }

  push(message: string): void {
    this.#queue.push(message);
    this.#queuedCharacters += message.length;
    this.#deps.writes.add(this);
  }

  backlogBytes(): number {
    return this.#stream.writableLength + this.#queuedCharacters;
  }

  close(disconnect: Disconnect): void {
    // After a close of the client no frame may follow.
    if (disconnect.code === DISCONNECTS.slow.code || !this.#isOpen()) this.#empty();
    else this.#writeAll(Number.POSITIVE_INFINITY);
    this.#socket.close(disconnect.code, disconnect.reason);
  }

  /** The socket is gone. */
  gone(): void {
    this.#empty();
    this.session.closed();
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
    const backlogBytes = this.backlogBytes();
    if (backlogBytes > this.#deps.maxQueueBytes + this.#replyCharacters) {
      const { tenantId } = this.session.user ?? {};
      const { reason } = DISCONNECTS.slow;
      this.#deps.log.info({ tenantId, client: this.session.id, backlogBytes, reason }, "dropped");
      this.session.end(DISCONNECTS.slow);
      return false;
    }
    this.#writeAll(SOCKET_FULL_BYTES);
    if (this.#queue.length > 0) return true;
    if (this.#stream.writableLength === 0) this.#replyCharacters = 0;
    this.session.resume();
    // A reply that is not read yet still counts: looked at again until it is.
    return this.#replyCharacters > SOCKET_FULL_BYTES;
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
      writeTextFrame(this.#stream, this.#deps.codec.join(messages));
      for (let index = start; index < end; index += 1) {
        this.#queuedCharacters -= this.#queue[index]!.length;
      }
      start = end;
    }
    this.#queue = start === this.#queue.length ? [] : this.#queue.slice(start);
  }

  #empty(): void {
    this.#queue = [];
    this.#queuedCharacters = 0;
  }
}
