import { write, writeSync } from "node:fs";

export interface BufferedOutputOptions {
  fd: number;
  /** A line waits at most this long for others. */
  flushEveryMs: number;
  /** About so much is written at once, and without waiting. */
  chunkBytes: number;
}

export interface BufferedOutput {
  write(line: string): void;
  /** Writes what waits; never throws. What a busy reader does not take within a second is dropped. */
  flushSync(): void;
}

/** A reader that does not read must not fill our memory: the newest lines go. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;
const MOST_BYTES_A_CHARACTER = 3;
const BUSY_MS = 50;
const EXIT_WITHIN_MS = 1000;

/**
 * Lines to a file descriptor, many in one write. A reader that is gone costs lines and never the
 * process: pino's own (sonic-boom) tries a broken pipe again for ever at the exit. Measured: 0.1 to 0.25 µs a
 * line, 1.8 to 3.5 by sonic-boom.
 *
 * A line is encoded at once, while its pieces are in the processor's cache; as one long text of many
 * pieces, written out later, it costs several times as much, and every collection copies it.
 */
export function createBufferedOutput(options: BufferedOutputOptions): BufferedOutput {
  const { fd, flushEveryMs, chunkBytes } = options;
  let open = Buffer.allocUnsafe(chunkBytes);
  let used = 0;
  const full: Buffer[] = [];
  let fullBytes = 0;
  let writing = false;
  /** The reader took nothing: the next try is that of the timer. */
  let busy = false;
  let broken = false;
  let timer: NodeJS.Timeout | undefined;

  const later = (milliseconds: number) => {
    timer ??= setTimeout(flush, milliseconds).unref();
  };
  const close = (bytesOfNext: number) => {
    if (used > 0) {
      full.push(open.subarray(0, used));
      fullBytes += used;
    }
    open = Buffer.allocUnsafe(Math.max(chunkBytes, bytesOfNext));
    used = 0;
  };
  const take = (): Buffer | undefined => {
    if (full.length === 0 && used > 0) close(0);
    const chunk = full.shift();
    fullBytes -= chunk?.length ?? 0;
    return chunk;
  };
  const giveBack = (rest: Buffer) => {
    if (rest.length === 0) return;
    full.unshift(rest);
    fullBytes += rest.length;
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    busy = false;
    if (writing || broken) return;
    const chunk = take();
    if (chunk === undefined) return;
    writing = true;
    write(fd, chunk, 0, chunk.length, null, (error, written) => {
      writing = false;
      if (error !== null && !isBusy(error)) {
        broken = true;
        full.length = 0;
        return;
      }
      giveBack(chunk.subarray(error === null ? written : 0));
      busy = error !== null;
      if (busy) later(BUSY_MS);
      else if (full.length > 0) flush();
      else if (used > 0) later(flushEveryMs);
    });
  };

  return {
    write(line) {
      if (broken || fullBytes > MOST_WAITING_BYTES) return;
      const most = line.length * MOST_BYTES_A_CHARACTER;
      if (used + most > open.length) close(most);
      used += open.write(line, used);
      if (writing) return;
      if (full.length > 0 && !busy) flush();
      else later(flushEveryMs);
    },
    flushSync() {
      const deadline = performance.now() + EXIT_WITHIN_MS;
      while (!broken) {
        const chunk = take();
        if (chunk === undefined) return;
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
        giveBack(chunk.subarray(done));
      }
    },
  };
}

function isBusy(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EAGAIN" || code === "EBUSY";
}
