import type { Command } from "./commands.ts";
import { TokenBucket } from "./token-bucket.ts";

const MAX_CONCURRENT_SUBSCRIBES = 16;
/** Estimated memory of a command in addition to its text, until the command is done. */
const COMMAND_BYTES = 512;
/** Most changes that are still made after the client has left. A page that navigates away marks only a few items. */
const MAX_LEFT_CHANGES = 4;

/** The part of a session that its queue uses. */
export interface CommandRunner {
  /** Runs a command. Returns undefined if the command was done at once. Must not reject. */
  run(command: Command): Promise<void> | undefined;
  /** Returns whether a command may begin now. It must wait while its client has too much to read. */
  mayRun(command: Command): boolean;
  /** Called when `heldBytes` has decreased. */
  workDone(): void;
}

/** `refused`: the client gets an error. `excess`: it went on after many errors, or its command has no reply. */
export type Admission = "queued" | "refused" | "excess";

/**
 * Runs the commands of one session one after the other, except that subscribes run concurrently. So a page that opens
 * with twenty channels waits for one read, not for twenty.
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

  /** Bytes of commands that wait or run. Above a bound, the connection reads no more commands. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** The command that runs after the running ones. */
  get next(): Command | undefined {
    return this.#waiting[0];
  }

  /** Queues a command if the rate limit allows it. */
  add(command: Command, nowMs: number): Admission {
    if (!this.#rate.take(nowMs)) {
      this.#refused += 1;
      // A command with id 0 has no reply, so it cannot get an error.
      return this.#refused > this.#burst || command.id === 0 ? "excess" : "refused";
    }
    this.#waiting.push(command);
    this.#heldBytes += COMMAND_BYTES + command.bytes;
    return "queued";
  }

  /** Resets the count of refused commands. */
  forgetRefusals(): void {
    this.#refused = 0;
  }

  /** Drops the waiting commands, except the first `MAX_LEFT_CHANGES` for which `isKept` is true. */
  clear(isKept: (command: Command) => boolean = () => false): void {
    const kept = this.#waiting.filter(isKept).slice(0, MAX_LEFT_CHANGES);
    for (const command of this.#waiting) {
      if (!kept.includes(command)) this.#heldBytes -= COMMAND_BYTES + command.bytes;
    }
    this.#waiting = kept;
  }

  /** Runs the waiting commands that may run now. Call it whenever `mayRun` may have changed. */
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
