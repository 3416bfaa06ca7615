import { digestPage } from "@belfry/administration/events/digests";
import { listScheduled } from "@belfry/administration/events/scheduled-events";
import { glanceAtWaiting, WAIT_REASONS } from "@belfry/administration/events/waiting-deliveries";
import { textFault, UUID } from "@belfry/contracts/identifiers";
import { page } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import { WAIT_NAMES } from "./wait-words.ts";

const PAGE = 50;

/** What of a tenant waits, until when and why: events, messages that gather, and messages that are held. */
export function waitingPages({ route, db }: PageDeps): void {
  route("GET /tenants/:tenantId/waiting", async ({ tenant, query, run }) => {
    const why = WAIT_REASONS.find((one) => one === query.get("why"));
    const after = query.get("after") ?? undefined;
    const user = userPlace(query);
    const [scheduled, gathered, held] = await Promise.all([
      run(listScheduled, { after, limit: PAGE }),
      digestPage(db, tenant.id, { after: user, limit: PAGE }),
      glanceAtWaiting(db, { tenantId: tenant.id, why }, { limit: PAGE }),
    ]);
    return page("waiting", "Waiting", {
      ...{ scheduled, gathered, held, why, names: WAIT_NAMES },
      isFirst: after === undefined,
      isFirstGathered: user === undefined,
      /** Of a list on its next page the others stay where they are. */
      later: addressOf(query, { after: scheduled.next }),
      moreGathered: addressOf(query, { user: gathered.next?.userId, digest: gathered.next?.id }),
    });
  });
}

/** Where the page before ended; undefined: it is the first, or no page of ours named it. */
function userPlace(query: URLSearchParams): { userId: string; id: string } | undefined {
  const [userId, id] = [query.get("user") ?? "", query.get("digest") ?? ""];
  return textFault(userId) === undefined && UUID.test(id) ? { userId, id } : undefined;
}

/** Another page of one list; undefined: there is none. */
function addressOf(query: URLSearchParams, place: Readonly<Record<string, string | undefined>>) {
  const next = new URLSearchParams(query);
  next.delete("done");
  for (const [name, value] of Object.entries(place)) {
    if (value === undefined) return undefined;
    next.set(name, value);
  }
  return `?${next}`;
}
