import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import type { Logger } from "pino";

const WRITE_EVERY_MS = 30_000;

/** Remembers when keys were last used and writes it in one statement now and then. */
export interface KeyUses extends AsyncDisposable {
  note(keyId: string): void;
}

export function createKeyUses(db: Database, now: () => Date, log: Logger): KeyUses {
  let uses = new Map<string, Date>();
  const write = async () => {
    const written = uses;
    uses = new Map();
    await touchKeys(db, written).catch((err) => log.warn({ err }, "last use of keys not written"));
  };
  const timer = setInterval(write, WRITE_EVERY_MS).unref();
  return {
    // The first use since the last write is near enough: a Date a request is not worth more.
    note(keyId) {
      if (!uses.has(keyId)) uses.set(keyId, now());
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await write();
    },
  };
}

/** Notes when keys were last used: one statement for all that were, every now and then. */
export async function touchKeys(db: Database, uses: ReadonlyMap<string, Date>): Promise<void> {
  if (uses.size === 0) return;
  const ids = [...uses.keys()];
  const times = [...uses.values()];
  await sql`
    with locked as materialized (
      select id from api_keys where id = any (${ids}::uuid[]) order by id for update
    )
    update api_keys k set last_used_at = greatest(k.last_used_at, u.used_at)
    from unnest(${ids}::uuid[], ${times}::timestamptz[]) as u (id, used_at)
    where k.id = any (array(select id from locked)) and k.id = u.id`.execute(db);
}
