import { write, writeSync } from "node:fs";

export interface BufferedOutputOptions {
  fd: number;
  /** A line waits at most this long for others. */
  flushEveryMs: number;
  /** So much is written without waiting. */
  bufferCharacters: number;
}

export interface BufferedOutput {
  write(line: string): void;
  /** Writes what waits; never throws. What a busy reader does not take within a second is dropped. */
  flushSync(): void;
}

/** A reader that does not read must not fill our memory: the newest lines go. */
const MOST_WAITING_CHARACTERS = 16 * 1024 * 1024;
const BUSY_MS = 50;
const EXIT_WITHIN_MS = 1000;

/**
 * Lines to a file descriptor, many in one write. A reader that is gone costs lines and never the
 * process: the usual library tries a broken pipe again for ever at the exit.
 */
export function createBufferedOutput(options: BufferedOutputOptions): BufferedOutput {
  const { fd, flushEveryMs, bufferCharacters } = options;
  let waiting = "";
  let rest: Buffer | undefined;
  let writing = false;
  let broken = false;
  let timer: NodeJS.Timeout | undefined;

  const later = (milliseconds: number) => {
    timer ??= setTimeout(flush, milliseconds).unref();
  };
  const take = (): Buffer => {
    const taken = rest ?? Buffer.from(waiting);
    if (rest === undefined) waiting = "";
    rest = undefined;
    return taken;
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (writing || broken || (rest === undefined && waiting === "")) return;
    const chunk = take();
    writing = true;
    write(fd, chunk, 0, chunk.length, null, (error, written) => {
      writing = false;
      if (error !== null && !isBusy(error)) {
        broken = true;
        waiting = "";
        return;
      }
      const done = error === null ? written : 0;
      if (done < chunk.length) rest = chunk.subarray(done);
      if (error !== null) later(BUSY_MS);
      else if (rest !== undefined || waiting.length >= bufferCharacters) flush();
      else if (waiting !== "") later(flushEveryMs);
    });
  };

  return {
    write(line) {
      if (broken || waiting.length > MOST_WAITING_CHARACTERS) return;
      waiting += line;
      if (waiting.length >= bufferCharacters && !writing && rest === undefined) flush();
      else if (!writing) later(flushEveryMs);
    },
    flushSync() {
      const deadline = performance.now() + EXIT_WITHIN_MS;
      while (!broken && (rest !== undefined || waiting !== "")) {
        const chunk = take();
        let done = 0;
        try {
          done = writeSync(fd, chunk);
        } catch (error) {
          if (!isBusy(error) || performance.now() > deadline) {
            broken = true;
            return;
          }
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);
        }
        if (done < chunk.length) rest = chunk.subarray(done);
      }
    },
  };
}

function isBusy(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EAGAIN" || code === "EBUSY";
}
