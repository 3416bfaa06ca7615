import { eventually } from "@belfry/testing/eventually";
import { messagesLeft } from "./streams.ts";
import type { World } from "./world.ts";

/** Waits until nothing of any event is left to be done; `nudge` is called before each look. */
export async function atRest(world: World, timeoutMs: number, nudge?: () => Promise<unknown>) {
  await eventually(
    async () => {
      await nudge?.();
      const { rows } = await world.pool.query<{ left: Record<string, number> }>(
        `select json_build_object(
           'scheduled', (select count(*) from scheduled_events),
           'undispatched', (select count(*) from undispatched_events),
           'deliveries', (select count(*) from deliveries where status in ('queued', 'sending', 'waiting'))) as left`,
      );
      const left = Object.entries(rows[0]!.left).filter(([, count]) => count > 0);
      if (left.length > 0) throw new Error(`not at rest: ${left.join("; ")}`);
      const messages = await messagesLeft(world);
      if (messages > 0) throw new Error(`${messages} messages are left`);
    },
    { timeoutMs, everyMs: 200 },
  );
}
