import { cancelEvent } from "@belfry/administration/events/cancel-events";
import { type EventReport, readEvent } from "@belfry/administration/events/event-report";
import { moveEvent } from "@belfry/administration/events/scheduled-events";
import { NotFound, TooLate } from "@belfry/administration/input-error";
import { UUID } from "@belfry/contracts/identifiers";
import { type Answer, orFaults, page, redirect } from "../page/answer.ts";
import { fieldMoment, readMoment } from "../page/form-fields.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";

/** Moving lets go at once what is past by the database's clock, whatever ours says. */
const NOW = new Date(0).toISOString();

/** What is done to one event that waits: to move it, to send it now, to cancel it. */
export function scheduledEventPages({ route, db }: PageDeps): void {
  const eventOf = async ({ tenant, params }: InTenant): Promise<EventReport> => {
    const id = params.eventId ?? "";
    if (!UUID.test(id)) throw new NotFound("path", "no such event");
    return await readEvent(db, id, tenant.id);
  };

  route("GET /tenants/:tenantId/waiting/:eventId/move", async (context) => {
    const event = await eventOf(context);
    if (event.status !== "scheduled") return tooLate("It is no longer scheduled.");
    const at = event.sendAt === null ? undefined : fieldMoment(event.sendAt);
    return page("waiting-move", "Move", { event, at, faults: {} });
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
        return page("waiting-move", "Move", { event, at: shown, faults: { at: fault } });
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
    return tooLate("There is nothing left to cancel: everything was sent, or has ended.");
  });
}

/** Back to where the button was. */
function placeAfter({ form, base }: InTenant, eventId: string): string {
  return form.get("from") === "event" ? `${base}/activity/${eventId}` : `${base}/waiting`;
}

async function orTooLate(change: () => Promise<Answer>): Promise<Answer> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof TooLate)) throw error;
    return tooLate("It is no longer scheduled: it was sent, is on its way, or was cancelled.");
  }
}

function tooLate(text: string): Answer {
  return page("message", "Too late", { text }, 409);
}
