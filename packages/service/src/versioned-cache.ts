import { LRUCache } from "lru-cache";

/** What the database says of keys, remembered until the configuration has another version. */
export interface VersionedCache<Value> {
  /** What is remembered, without asking; undefined where it is not. */
  peek(key: string): { value: Value | undefined } | undefined;
  /** Undefined: there is no such thing, which is remembered too. Rejects where the read does; that is not remembered. */
  get(key: string): Promise<Value | undefined>;
  /** Those that there are: what is not remembered is read together. */
  getAll(keys: Iterable<string>): Promise<Map<string, Value>>;
  /** The version has changed: nothing that was read before is handed to who asks from now on. */
  clear(): void;
}

export interface VersionedCacheOptions<Value> {
  /** Keys remembered; beyond it the one asked for longest ago goes. */
  max: number;
  /** Where a value may be large: what all remembered ones may take together; one that takes more is not remembered. */
  weight?: { maxBytes: number; bytesOf(value: Value): number };
  /** Reads keys, all of them in one go; those that it leaves out do not exist. */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, Value>>;
}

/** A key is read once at a time: whoever needs it meanwhile waits for the same read. */
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
    // Together: one that fails while another is waited for would be nobody's.
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
      // A new one: a read under way fills the old one, which nobody asks any more.
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

/** For what is read key by key: all at the same time. */
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
