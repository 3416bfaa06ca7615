const TIMEOUT_MS = 60_000;

/** Reads a page or a list. */
export type Read = (signal: AbortSignal) => Promise<Response>;

interface FailedRead {
  /** null if there was no answer. */
  status: number | null;
  /** The URL, or the error. */
  what: string;
}

/** Makes each read so many times a second, whatever the answers. `failures` says what was not answered 200. */
export function startReads(reads: readonly Read[], perSecond: number) {
  const seen = { count: 0, failures: [] as FailedRead[] };
  const running = new Set<Promise<void>>();
  const readOnce = async (read: Read) => {
    seen.count += 1;
    try {
      const answer = await read(AbortSignal.timeout(TIMEOUT_MS));
      await answer.arrayBuffer();
      if (answer.status !== 200) seen.failures.push({ status: answer.status, what: answer.url });
    } catch (error) {
      seen.failures.push({ status: null, what: `${(error as Error).cause ?? error}` });
    }
  };
  const timer = setInterval(() => {
    for (const read of reads) {
      const work = readOnce(read).finally(() => running.delete(work));
      running.add(work);
    }
  }, 1000 / perSecond);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
      return seen;
    },
  };
}
