/** Large answers of one session, one after the other: each begins when nothing before it is unread. */
export class ReadingTurns {
  readonly #isAllRead: () => boolean;
  #waiting: (() => void)[] = [];
  #isTaken = false;

  constructor(isAllRead: () => boolean) {
    this.#isAllRead = isAllRead;
  }

  async run(answer: () => Promise<void>): Promise<void> {
    await new Promise<void>((begin) => {
      this.#waiting.push(begin);
      this.resume();
    });
    try {
      await answer();
    } finally {
      this.#isTaken = false;
      this.resume();
    }
  }

  /** Begins the next, if it may; called again whenever the client has read. */
  resume(): void {
    if (this.#isTaken || this.#waiting.length === 0 || !this.#isAllRead()) return;
    this.#isTaken = true;
    this.#waiting.shift()!();
  }

  /** The session is over: all that waits goes on, and finds that out. */
  end(): void {
    for (const begin of this.#waiting.splice(0)) begin();
  }
}
