import type { Command } from "./commands.ts";
import { TokenBucket } from "./token-bucket.ts";

const MAX_CONCURRENT_SUBSCRIBES = 16;
/** Memory that a command takes beside its text until it is done. */
const COMMAND_BYTES = 512;
/** Changes that are still made for a client that has left. A page that navigates away marks one item or a few. */
const MAX_LEFT_CHANGES = 4;

/** The session of a queue. */
export interface CommandRunner {
  /** Returns undefined if the command was done at once. Must not reject. */
  run(command: Command): Promise<void> | undefined;
  /** Whether this command may begin, as the session is open and its client reads. */
  mayRun(command: Command): boolean;
  /** Called when `heldBytes` has become less. */
  workDone(): void;
}

/** `refused`: the client gets an error. `excess`: it did not stop after many errors, or wants no reply. */
export type Admission = "queued" | "refused" | "excess";

/**
 * Runs the commands of one session one after the other, but subscribes concurrently: a page that
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

  /** Bytes of commands that wait or run. Above a bound the connection reads no more of them. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  add(command: Command, nowMs: number): Admission {
    if (!this.#rate.take(nowMs)) {
      this.#refused += 1;
      // A command with id 0 wants no reply, so it cannot get an error.
      return this.#refused > this.#burst || command.id === 0 ? "excess" : "refused";
    }
    this.#waiting.push(command);
    this.#heldBytes += COMMAND_BYTES + command.bytes;
    return "queued";
  }

  /** Forgets how many commands were refused so far. */
  forgetRefusals(): void {
    this.#refused = 0;
  }

  /** Drops the commands that wait, except the first few that `isKept` names. */
  clear(isKept: (command: Command) => boolean = () => false): void {
    const kept = this.#waiting.filter(isKept).slice(0, MAX_LEFT_CHANGES);
    for (const command of this.#waiting) {
      if (!kept.includes(command)) this.#heldBytes -= COMMAND_BYTES + command.bytes;
    }
    this.#waiting = kept;
  }

  /** Runs what may run now. Call it whenever more may run. */
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
