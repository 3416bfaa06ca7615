import { cancelEvent } from "@belfry/administration/events/cancel-events";
import { digestPage } from "@belfry/administration/events/digests";
import { type EventReport, readEvent } from "@belfry/administration/events/event-report";
import { listScheduled, moveEvent } from "@belfry/administration/events/scheduled-events";
import { glanceAtWaiting, WAIT_REASONS } from "@belfry/administration/events/waiting-deliveries";
import { NotFound, TooLate } from "@belfry/administration/input-error";
import { textFault, UUID } from "@belfry/contracts/identifiers";
import { type Answer, orFaults, page, redirect } from "../page/answer.ts";
import { fieldMoment, readMoment } from "../page/form-fields.ts";
import { type Phrase, say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import { WAIT_NAMES } from "./waits-of-event.ts";

const PAGE = 50;

/** Registers the page of all that waits in a tenant: scheduled events, messages in digests, and held messages. */
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
    return page("waiting", say`Waiting`, {
      scheduled,
      gathered,
      held,
      why,
      names: WAIT_NAMES,
      isFirst: after === undefined,
      isFirstGathered: user === undefined,
      /** Only one list moves to its next page; the other lists stay where they are. */
      later: addressOf(query, { after: scheduled.next }),
      moreGathered: addressOf(query, { user: gathered.next?.userId, digest: gathered.next?.id }),
    });
  });
}

/** Returns the last user and digest of the previous page; undefined for the first page or an invalid value. */
function userPlace(query: URLSearchParams): { userId: string; id: string } | undefined {
  const [userId, id] = [query.get("user") ?? "", query.get("digest") ?? ""];
  return textFault(userId) === undefined && UUID.test(id) ? { userId, id } : undefined;
}

/** Returns the address of the next page of one list; undefined if there is none. */
function addressOf(query: URLSearchParams, place: Readonly<Record<string, string | undefined>>) {
  const next = new URLSearchParams(query);
  next.delete("done");
  for (const [name, value] of Object.entries(place)) {
    if (value === undefined) return undefined;
    next.set(name, value);
  }
  return `?${next}`;
}

/** A time that is past for the database's clock, even if ours is wrong. An event that moves there is sent at once. */
const NOW = new Date(0).toISOString();

/** Registers the pages that move, send now or cancel one waiting event. */
export function scheduledEventPages({ route, db }: PageDeps): void {
  const eventOf = async ({ tenant, params }: InTenant): Promise<EventReport> => {
    const id = params.eventId ?? "";
    if (!UUID.test(id)) throw new NotFound("path", "no such event");
    return await readEvent(db, id, tenant.id);
  };

  route("GET /tenants/:tenantId/waiting/:eventId/move", async (context) => {
    const event = await eventOf(context);
    if (event.status !== "scheduled") return tooLate(say`It is no longer scheduled.`);
    const at = event.sendAt === null ? undefined : fieldMoment(event.sendAt);
    return page("waiting-move", say`Move`, { event, values: { at } });
  });

  route("POST /tenants/:tenantId/waiting/:eventId/move", async (context) => {
    const event = await eventOf(context);
    const at = (context.form.get("at") ?? "").trim();
    const moment = readMoment(at);
    const sendAt = moment?.toISOString() ?? at;
    return await orFaults(
      () =>
        orTooLate(async () => {
          await context.run(moveEvent, { eventId: event.id, sendAt });
          return redirect(placeAfter(context, event.id), "event-moved");
        }),
      (faults) => {
        const fault = moment === undefined ? "must be a date and time" : (faults.sendAt ?? "");
        const shown = moment === undefined ? at : fieldMoment(moment);
        return page("waiting-move", say`Move`, {
          event,
          values: { at: shown },
          faults: { at: fault },
        });
      },
    );
  });

  route("POST /tenants/:tenantId/waiting/:eventId/release", async (context) => {
    const { id } = await eventOf(context);
    return await orTooLate(async () => {
      await context.run(moveEvent, { eventId: id, sendAt: NOW });
      return redirect(placeAfter(context, id), "released");
    });
  });

  route("POST /tenants/:tenantId/waiting/:eventId/cancel", async (context) => {
    const { run, base } = context;
    const { id } = await eventOf(context);
    const { cancelled, partly, pending } = await run(cancelEvent, { id });
    if (cancelled.length > 0) return redirect(placeAfter(context, id), "event-cancelled");
    if (pending.length > 0) return redirect(`${base}/activity/${id}`, "event-cancel-pending");
    if (partly.length > 0) return redirect(`${base}/activity/${id}`, "event-stopped");
    return tooLate(say`There is nothing left to cancel: everything was sent, or has ended.`);
  });
}

/** Returns the page that contains the button. */
function placeAfter({ form, base }: InTenant, eventId: string): string {
  return form.get("from") === "event" ? `${base}/activity/${eventId}` : `${base}/waiting`;
}

async function orTooLate(change: () => Promise<Answer>): Promise<Answer> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof TooLate)) throw error;
    return tooLate(say`It is no longer scheduled: it was sent, is on its way, or was cancelled.`);
  }
}

function tooLate(text: Phrase): Answer {
  return page("message", say`Too late`, { text }, 409);
}
