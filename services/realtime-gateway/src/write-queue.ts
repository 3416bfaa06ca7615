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
  #full = new Set<Writer>();
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
      if (writer.write()) this.#full.add(writer);
      else this.#full.delete(writer);
    } catch (error) {
      this.#full.delete(writer);
      this.#onFault(error);
    }
    if (this.#full.size > 0) this.#timer ??= setTimeout(this.#retry, RETRY_MS);
  }

  readonly #retry = (): void => {
    this.#timer = undefined;
    for (const writer of [...this.#full]) this.#write(writer);
  };

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
