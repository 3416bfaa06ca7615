import type { Database } from "@belfry/database/connection";
import type { Logger } from "pino";
import { touchKeys } from "./find-tenant.ts";

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
