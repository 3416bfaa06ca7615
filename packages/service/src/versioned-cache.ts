import { configurationSubject } from "@belfry/contracts/streams";
import type { NatsConnection, Subscription } from "@nats-io/transport-node";
import { LRUCache } from "lru-cache";
import { untilNext } from "./every.ts";
import type { Logger } from "./logger.ts";
import { pause } from "./pause.ts";

/** A cache of values by key, until the version of the configuration changes. */
export interface VersionedCache<Value> {
  /** Returns the cached entry of a key without a read, or undefined if there is none. */
  peek(key: string): { value: Value | undefined } | undefined;
  /** Returns a value, or undefined if it does not exist, which is cached too. Rejects if the read fails. */
  get(key: string): Promise<Value | undefined>;
  /** Returns the values that exist. Those that are not cached are read together. */
  getAll(keys: Iterable<string>): Promise<Map<string, Value>>;
  /** Clears the cache when the version has changed. Later calls return nothing that was read before. */
  clear(): void;
}

export interface VersionedCacheOptions<Value> {
  /** The maximum number of keys. Beyond it, the least recently used one is removed. */
  max: number;
  /** The limit for the bytes of all cached values together. A value that is larger by itself is not cached. */
  weight?: { maxBytes: number; bytesOf(value: Value): number };
  /** Reads all keys at once. Keys that are missing in the result do not exist. */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, Value>>;
}

/** Creates a cache. Concurrent callers of the same key share one read. */
export function createVersionedCache<Value>(
  options: VersionedCacheOptions<Value>,
): VersionedCache<Value> {
  const { read } = options;
  let table = createTable(options);

  const getAll = async (keys: Iterable<string>) => {
    const { known, reading } = table;
    const found = new Map<string, Value>();
    const waits = new Map<string, Promise<ReadonlyMap<string, Value>>>();
    const missing: string[] = [];
    for (const key of keys) {
      const hit = known.get(key);
      const underWay = reading.get(key);
      if (hit !== undefined) {
        if (hit.value !== undefined) found.set(key, hit.value);
      } else if (underWay !== undefined) waits.set(key, underWay);
      else missing.push(key);
    }
    if (missing.length > 0) {
      const begun = read(missing)
        .then((values) => {
          for (const key of missing) known.set(key, { value: values.get(key) });
          return values;
        })
        .finally(() => {
          for (const key of missing) reading.delete(key);
        });
      for (const key of missing) {
        reading.set(key, begun);
        waits.set(key, begun);
      }
    }
    // All reads are awaited together, so that the rejection of one is not unhandled while another is awaited.
    await Promise.all(waits.values());
    for (const [key, underWay] of waits) {
      const value = (await underWay).get(key);
      if (value !== undefined) found.set(key, value);
    }
    return found;
  };

  return {
    peek: (key) => table.known.get(key),
    async get(key) {
      const hit = table.known.get(key);
      return hit === undefined ? (await getAll([key])).get(key) : hit.value;
    },
    getAll,
    clear() {
      // Reads that are still running fill the old table.
      table = createTable(options);
    },
  };
}

const NO_VALUE_BYTES = 100;

function createTable<Value>({ max, weight }: VersionedCacheOptions<Value>) {
  type Known = { value: Value | undefined };
  const sizes = weight && {
    maxSize: weight.maxBytes,
    sizeCalculation: ({ value }: Known) =>
      NO_VALUE_BYTES + (value === undefined ? 0 : weight.bytesOf(value)),
  };
  return {
    known: new LRUCache<string, Known>({ max, ...sizes }),
    reading: new Map<string, Promise<ReadonlyMap<string, Value>>>(),
  };
}

/** Reads the values with one concurrent call per key, as a result for `read`. */
export async function readEach<Value>(
  keys: readonly string[],
  read: (key: string) => Promise<Value | undefined>,
): Promise<Map<string, Value>> {
  const values = await Promise.all(keys.map(read));
  const found = new Map<string, Value>();
  for (const [index, key] of keys.entries()) {
    const value = values[index];
    if (value !== undefined) found.set(key, value);
  }
  return found;
}

export interface WatchVersionOptions {
  /** Reads the version of the configuration with one cheap query. */
  read: () => Promise<bigint | string>;
  /** The interval in ms. Default 2,000, because a change must be in force within 5 s. */
  everyMs?: number;
  /** The connection on which changes are announced, so that the next poll is at once. Polling works without it. */
  nc?: NatsConnection | Promise<NatsConnection>;
  prefix: string;
  /** Called with the first version and with each new one. If it throws, the next poll calls it again. */
  onChange: (version: string) => void | Promise<void>;
  log: Logger;
  signal: AbortSignal;
}

/** Polls the version of the configuration until the signal. Continues after errors of the database. */
export async function watchVersion(options: WatchVersionOptions): Promise<void> {
  const { everyMs = 2000, nc, log, signal } = options;
  let known: string | undefined;
  let failing = false;
  let nudge = new AbortController();
  let subscription: Subscription | undefined;
  const listen = (connection: NatsConnection | undefined) => {
    if (signal.aborted) return;
    subscription = connection?.subscribe(configurationSubject(options.prefix), {
      callback: () => nudge.abort(),
    });
  };
  // `connectNats` logs why NATS is away.
  Promise.resolve(nc).then(listen, () => undefined);
  while (!signal.aborted) {
    // Created before the read, so that a change that is announced during the read is read at once.
    nudge = new AbortController();
    try {
      const version = String(await options.read());
      if (version !== known) {
        await options.onChange(version);
        known = version;
      }
      if (failing) log.info("configuration can be read again");
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err }, "configuration cannot be read: trying again");
      failing = true;
    }
    await pause(untilNext(everyMs), AbortSignal.any([signal, nudge.signal]));
  }
  if (subscription?.isClosed() === false) subscription.unsubscribe();
}
