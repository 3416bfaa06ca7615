/** The part of a connection that the queue uses. */
interface Writer {
  /** Whether the connection is in the queue. */
  isDirty: boolean;
  /** Writes queued messages. Returns whether it must be called again later. */
  write(): boolean;
}

const RETRY_MS = 50;

/**
 * Makes connections write once per tick of the event loop, so that all messages of a tick for one client are sent in
 * one frame. Connections whose sockets are full write again a little later.
 */
export class WriteQueue implements Disposable {
  #dirty: Writer[] = [];
  /** Connections that write again when the timer fires. */
  #later = new Set<Writer>();
  #isScheduled = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #onFault: (error: unknown) => void;

  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault;
  }

  add(writer: Writer): void {
    if (writer.isDirty) return;
    writer.isDirty = true;
    this.#dirty.push(writer);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#flush);
  }

  /** Makes a connection write with its next message, or within `RETRY_MS` if there is none. */
  addLater(writer: Writer): void {
    this.#later.add(writer);
    this.#timer ??= setTimeout(this.#retry, RETRY_MS);
  }

  readonly #flush = (): void => {
    this.#isScheduled = false;
    const dirty = this.#dirty;
    this.#dirty = [];
    for (const writer of dirty) {
      writer.isDirty = false;
      this.#write(writer);
    }
  };

  #write(writer: Writer): void {
    try {
      if (writer.write()) this.addLater(writer);
      else this.#later.delete(writer);
    } catch (error) {
      this.#later.delete(writer);
      this.#onFault(error);
    }
  }

  readonly #retry = (): void => {
    this.#timer = undefined;
    for (const writer of [...this.#later]) this.#write(writer);
  };

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
