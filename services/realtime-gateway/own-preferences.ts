import { ANY } from "@belfry/contracts/preferences";
import { changePreferencesOfUser } from "@belfry/database/change-preferences";
import { channelsInUse } from "@belfry/database/channels-in-use";
import type { Database } from "@belfry/database/connection";
import { categoryTextBytes, shownPreferences } from "@belfry/database/shown-preferences";
import { PREFERENCE_CELLS_BYTES } from "./protocol/limits.ts";
import type { OwnPreferences, OwnShownPreferences } from "./session/preference-rpc.ts";
import type { InboxOwner } from "./session/rpc.ts";

/** The preferences of connected users, read and written as every other door does. */
export function ownPreferences(deps: {
  db: Database;
  /** Counts an answer of at most so many bytes among those that may be held at once. */
  read(
    owner: InboxOwner,
    maxBytes: number,
    answer: () => Promise<OwnShownPreferences>,
  ): Promise<OwnShownPreferences>;
  /** Tells all of the user's connections, on every gateway. */
  announceChanged(owner: InboxOwner): void;
}): OwnPreferences {
  const { db } = deps;
  const inTurn = createTurns();
  return {
    async show(owner) {
      const maxBytes = PREFERENCE_CELLS_BYTES + (await categoryTextBytes(db, owner.tenantId));
      return await deps.read(owner, maxBytes, async () => {
        const { preferences, categories } = await shownPreferences(db, owner);
        const channels = await channelsInUse(db, owner.tenantId);
        const known = new Set([ANY, ...categories.map(({ key }) => key)]);
        // What was said of categories that are gone has no bound, and no switch.
        const cells = preferences.filter(({ category }) => known.has(category));
        return { preferences: cells, categories, channels };
      });
    },
    async change(owner, changes) {
      const { faults, changed } = await inTurn(`${owner.tenantId}/${owner.userId}`, () =>
        changePreferencesOfUser(db, owner, "inbox", changes),
      );
      const [fault] = faults;
      if (fault !== undefined) {
        return { fault: `preferences[${fault.at}].${fault.field} ${fault.message}` };
      }
      if (changed > 0) deps.announceChanged(owner);
      return {};
    },
  };
}

/** The changes of one user one after the other: who waits for them holds no connection to Postgres. */
function createTurns() {
  const last = new Map<string, Promise<void>>();
  return async <T>(user: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(user);
    const { promise, resolve } = Promise.withResolvers<void>();
    last.set(user, promise);
    try {
      await before;
      return await work();
    } finally {
      if (last.get(user) === promise) last.delete(user);
      resolve();
    }
  };
}
