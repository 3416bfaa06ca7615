import type { Database } from "@belfry/database/connection";
import type { Logger } from "@belfry/service/logger";
import { pause } from "@belfry/service/pause";

/**
 * Continues CSV imports and the deletion of large topics. Returns the number of written chunks. All replicas may run it.
 */
export async function continueImports(
  { db, log }: { db: Database; log: Logger },
  signal: AbortSignal,
): Promise<number> {
  // Imported at the first use only, because most installations have no imports.
  const { workImports } = await import("@belfry/administration/users/work-imports");
  const chunks = await workImports(
    {
      db,
      rest: pause,
      onPostponed: (err) => log.warn({ err }, "an import cannot go on now: later again"),
    },
    signal,
  );
  if (chunks > 0) log.info({ chunks }, "chunks of imports written");
  return chunks;
}
