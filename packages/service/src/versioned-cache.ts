import { configurationSubject } from "@belfry/contracts/streams";
import type { NatsConnection, Subscription } from "@nats-io/transport-node";
import { LRUCache } from "lru-cache";
import type { Logger } from "./logger.ts";
import { pause } from "./pause.ts";

/** Remembers values by key until the configuration changes its version. */
export interface VersionedCache<Value> {
  /** Returns what is remembered of a key, without a read; undefined if nothing is. */
  peek(key: string): { value: Value | undefined } | undefined;
  /** Resolves to undefined if the value does not exist, and remembers that. Rejects if the read does. */
  get(key: string): Promise<Value | undefined>;
  /** Resolves to the values that exist; those that are not remembered are read together. */
  getAll(keys: Iterable<string>): Promise<Map<string, Value>>;
  /** Called when the version has changed: later calls get nothing that was read before. */
  clear(): void;
}

export interface VersionedCacheOptions<Value> {
  /** The most keys; the least recently used one is forgotten. */
  max: number;
  /** Bounds the bytes of all remembered values together; a value that takes more is not remembered. */
  weight?: { maxBytes: number; bytesOf(value: Value): number };
  /** Reads all keys at once; keys missing in its answer do not exist. */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, Value>>;
}

/** Callers that need a key which is being read wait for the same read. */
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
    // All together, so that a read that fails while another is awaited is not unhandled.
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
      // A new table, so that reads under way fill the old one.
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

/** Reads values one by one, all at the same time, as an answer of `read`. */
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
  /** Reads the version row, with one cheap query. */
  read: () => Promise<bigint | string>;
  /** Default 2,000: a change has to be in force within 5 s. */
  everyMs?: number;
  /** Announces changes, which makes the next poll come at once. Polling works without it. */
  nc?: NatsConnection | Promise<NatsConnection>;
  prefix: string;
  /** Called with the first version, and when it has changed. After a throw it is called again. */
  onChange: (version: string) => void | Promise<void>;
  log: Logger;
  signal: AbortSignal;
}

/** Polls the version of the configuration until the signal, and goes on after errors of the database. */
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
    // Renewed before the read, so that a change announced during it is read at once.
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
    await pause(everyMs, AbortSignal.any([signal, nudge.signal]));
  }
  if (subscription?.isClosed() === false) subscription.unsubscribe();
}
