import { COMMAND_BYTES, MAX_CONCURRENT_SUBSCRIBES, MAX_LEFT_CHANGES } from "../protocol/limits.ts";
import type { Command } from "./commands.ts";
import { TokenBucket } from "./token-bucket.ts";

/** What the queue needs of its session. */
export interface CommandRunner {
  /** Undefined when it was done at once. Must not reject. */
  run(command: Command): Promise<void> | undefined;
  /** Whether this command may begin: the session is open and its client reads. */
  mayRun(command: Command): boolean;
  /** What is held has become less. */
  workDone(): void;
}

/** `refused`: the client is told so; `excess`: it does not stop asking. */
export type Admission = "queued" | "refused" | "excess";

/**
 * The commands of one session, one after the other, but subscribes beside one another: a page that
 * opens with twenty channels waits for one read, not for twenty.
 */
export class CommandQueue {
  readonly #runner: CommandRunner;
  readonly #burst: number;
  readonly #rate: TokenBucket;
  #refused = 0;
  #waiting: Command[] = [];
  #heldBytes = 0;
  #running = 0;
  #runningSubscribes = 0;

  constructor(
    runner: CommandRunner,
    limits: { commandsPerSecond: number; commandBurst: number },
    nowMs: number,
  ) {
    this.#runner = runner;
    this.#burst = limits.commandBurst;
    this.#rate = new TokenBucket(limits.commandsPerSecond, limits.commandBurst, nowMs);
  }

  /** Of commands that wait or run. Above a bound the session's owner reads no more of them. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  add(command: Command, nowMs: number): Admission {
    if (!this.#rate.take(nowMs)) {
      this.#refused += 1;
      // Who wants no reply cannot be told.
      return this.#refused > this.#burst || command.id === 0 ? "excess" : "refused";
    }
    this.#waiting.push(command);
    this.#heldBytes += COMMAND_BYTES + command.bytes;
    return "queued";
  }

  /** What was refused so far is forgiven. */
  forgive(): void {
    this.#refused = 0;
  }

  /** Forgets what waits, but for the first few that are to be kept. */
  clear(isKept: (command: Command) => boolean = () => false): void {
    const kept = this.#waiting.filter(isKept).slice(0, MAX_LEFT_CHANGES);
    for (const command of this.#waiting) {
      if (!kept.includes(command)) this.#heldBytes -= COMMAND_BYTES + command.bytes;
    }
    this.#waiting = kept;
  }

  /** Runs what may run now; called again whenever more may. */
  resume(): void {
    for (;;) {
      const next = this.#waiting[0];
      if (next === undefined) return;
      const isBeside =
        next.method === "subscribe" &&
        this.#running === this.#runningSubscribes &&
        this.#running < MAX_CONCURRENT_SUBSCRIBES;
      if (this.#running > 0 && !isBeside) return;
      if (!this.#runner.mayRun(next)) return;
      this.#waiting.shift();
      this.#start(next);
    }
  }

  #start(command: Command): void {
    const work = this.#runner.run(command);
    if (work === undefined) {
      this.#done(command);
      return;
    }
    const isSubscribe = command.method === "subscribe" ? 1 : 0;
    this.#running += 1;
    this.#runningSubscribes += isSubscribe;
    void work.finally(() => {
      this.#running -= 1;
      this.#runningSubscribes -= isSubscribe;
      this.#done(command);
      this.resume();
    });
  }

  #done({ bytes }: Command): void {
    this.#heldBytes -= COMMAND_BYTES + bytes;
    this.#runner.workDone();
  }
}
