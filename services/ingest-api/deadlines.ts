export interface Deadlines<T> {
  add(item: T): void;
  delete(item: T): void;
}

/**
 * One timer for all that wait equally long: one each costs a request more than its checks. `onLate` is told
 * of an item that was not deleted within the time.
 */
export function createDeadlines<T>(
  withinMs: number,
  onLate: (item: T) => void,
  nowMs: () => number,
): Deadlines<T> {
  /** When each is late; the oldest first. */
  const waiting = new Map<T, number>();
  let timer: NodeJS.Timeout | undefined;

  const arm = (delayMs: number) => {
    // After a pause of ours what ends the waiting may have come and not been read: first that.
    timer = setTimeout(() => setImmediate(expire), delayMs);
  };
  const disarm = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const expire = () => {
    disarm();
    const now = nowMs();
    for (const [item, lateAt] of waiting) {
      if (lateAt > now) return arm(lateAt - now);
      waiting.delete(item);
      onLate(item);
    }
  };

  return {
    add(item) {
      waiting.set(item, nowMs() + withinMs);
      if (timer === undefined) arm(withinMs);
    },
    delete(item) {
      waiting.delete(item);
      if (waiting.size === 0) disarm();
    },
  };
}
