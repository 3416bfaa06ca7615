import type { Database } from "@belfry/database/connection";
import type { UserOfTenant } from "../tenants/realtime.ts";
import { deleteOutbox, outboxOfUser } from "./user-traces.ts";

const ROWS_PER_BATCH = 1_000;

/**
 * Deletes the outbox messages whose event is gone: to be called once the user's events are. A dry run
 * counts those of the user's events. Returns how many.
 */
export async function eraseOutbox(
  db: Database,
  owner: UserOfTenant,
  { dryRun, onStep }: { dryRun: boolean; onStep(): Promise<void> },
): Promise<number> {
  let total = 0;
  let after: string | undefined;
  do {
    const page = await outboxOfUser(db, owner, after);
    if (dryRun) total += page.ids.length;
    else {
      for (let at = 0; at < page.orphans.length; at += ROWS_PER_BATCH) {
        total += await deleteOutbox(db, page.orphans.slice(at, at + ROWS_PER_BATCH));
      }
    }
    after = page.reached;
    await onStep();
  } while (after !== undefined);
  return total;
}
