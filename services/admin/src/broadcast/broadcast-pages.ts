import {
  cancelBroadcast,
  listBroadcasts,
  pauseBroadcast,
  resumeBroadcast,
  showBroadcast,
} from "@belfry/administration/broadcasts/broadcasts";
import { TooLate } from "@belfry/administration/input-error";
import type { Broadcast } from "@belfry/contracts/broadcasts";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { page, redirect } from "../page/answer.ts";
import { idOf } from "../page/form-fields.ts";
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import { audienceOf, STATES, toldStatuses } from "./broadcast-words.ts";

const PAGE = 50;
/** The most events of a broadcast's newest chunk that the page shows. */
const MOST_EVENTS = 10;

/** Registers the pages that list a tenant's broadcasts, show the progress of one, and pause, continue or cancel it. */
export function broadcastPages({ route, db }: PageDeps): void {
  route("GET /tenants/:tenantId/broadcasts", async ({ query, run }) => {
    const after = idOf(query, "after");
    const { items, next } = await run(listBroadcasts, { limit: PAGE, after });
    return page("broadcasts", say`Broadcasts`, {
      rows: items.map(inWords),
      isFirst: after === undefined,
      nextPage: next && `?${new URLSearchParams({ after: next })}`,
    });
  });

  route("GET /tenants/:tenantId/broadcasts/:broadcastId", async (context) => {
    const { tenant, run } = context;
    const broadcast = await run(showBroadcast, { broadcastId: idIn(context) });
    return page("broadcast", broadcast.eventType, {
      ...inWords(broadcast),
      statuses: toldStatuses(broadcast.byStatus),
      events: await newestEvents(db, tenant.id, broadcast.id),
    });
  });

  const moves = [
    ["pause", pauseBroadcast, "broadcast-paused"],
    ["resume", resumeBroadcast, "broadcast-resumed"],
    ["cancel", cancelBroadcast, "broadcast-cancelled"],
  ] as const;
  for (const [verb, act, notice] of moves) {
    route(`POST /tenants/:tenantId/broadcasts/:broadcastId/${verb}`, async (context) => {
      const broadcastId = idIn(context);
      try {
        await context.run(act, { broadcastId });
      } catch (error) {
        if (!(error instanceof TooLate)) throw error;
        const { state } = await context.run(showBroadcast, { broadcastId });
        const text = say`The broadcast is ${STATES[state].text}.`;
        return page("message", say`Too late`, { text }, 409);
      }
      return redirect(`${context.base}/broadcasts/${broadcastId}`, notice);
    });
  }
}

function idIn({ params }: InTenant): string {
  return params.broadcastId ?? "";
}

function inWords(broadcast: Broadcast) {
  const isByHand = broadcast.state === "paused" && broadcast.reason === null;
  const state = { ...STATES[broadcast.state], ...(isByHand && { tone: "busy" }) };
  return { broadcast, state, audience: audienceOf(broadcast) };
}

interface EventOfBroadcast {
  id: string;
  userId: string;
  acceptedAt: Date;
}

/** Returns up to `MOST_EVENTS` events of the newest chunk. Events that are older than their retention are missing. */
async function newestEvents(db: Database, tenantId: string, broadcastId: string) {
  const { rows } = await sql<EventOfBroadcast>`
    select e.id, e.user_id as "userId", e.accepted_at as "acceptedAt"
    from (
      select k.event_ids[1:${MOST_EVENTS}] as ids from broadcast_chunks k
      where k.broadcast_id = ${broadcastId}::uuid order by k.number desc limit 1
    ) k
    cross join lateral unnest(k.ids) u (id)
    cross join lateral (
      select e.id, e.user_id, e.accepted_at from events e
      where e.id = u.id and e.tenant_id = ${tenantId} limit 1
    ) e`.execute(db);
  return rows;
}
