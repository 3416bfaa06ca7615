import { randomBytes } from "node:crypto";
import { UUID } from "@belfry/contracts/identifiers";
import type { Database, Pool } from "@belfry/database/connection";
import { type AcceptResult, acceptEvents } from "@belfry/database/functions/accept-events";
import { uuidv7 } from "uuidv7";
import type { AuditNote } from "../audited.ts";
import { invalid, NotFound } from "../input-error.ts";
import { eventContent, usedSensitiveTemplate } from "./sent-content-rows.ts";
import { eventById } from "./timeline-rows.ts";

export interface ResendDeps {
  db: Database;
  pool: Pool;
  /** Hands the id of an accepted event to the dispatcher. */
  publish(id: string, traceId: string): Promise<void>;
}

const REFUSALS: Partial<Record<AcceptResult["outcome"], string>> = {
  minute: "must wait: the tenant's limit a minute is reached",
  day: "must wait: the tenant's daily cap is reached",
  inactive: "cannot be sent again: the tenant is not active",
};

/**
 * Sends an event again, as a new one with the same content, in force of today's templates: it counts
 * towards the tenant's limits. Returns its id. Throws `NotFound`, and `InvalidInput` when its
 * variables are erased or a limit is reached.
 */
export async function resendEvent(deps: ResendDeps, tenantId: string, eventId: string) {
  const event = UUID.test(eventId) ? await eventById(deps.db, eventId, tenantId) : undefined;
  if (event === undefined) throw new NotFound("id", "no such event");
  if (await usedSensitiveTemplate(deps.db, tenantId, event)) {
    const message = "cannot be sent again: its template is sensitive, and its variables are erased";
    throw invalid("event", message);
  }
  const { eventType, userId, reference, recipientEmail, recipientPhone, channels, locale } = event;
  const id = uuidv7();
  const traceId = id;
  const [result] = await acceptEvents(deps.pool, [
    {
      tenantId,
      // Of its own: a person who asks twice means it.
      dedupKey: randomBytes(32).toString("hex"),
      id,
      eventType,
      userId,
      reference,
      recipientEmail,
      recipientPhone,
      variables: (await eventContent(deps.db, tenantId, eventId))?.variables ?? null,
      traceId,
      options: channels === null && locale === null ? null : { channels, locale },
    },
  ]);
  const refusal = REFUSALS[result?.outcome ?? "inactive"];
  if (refusal !== undefined) throw invalid("event", refusal);
  // Where this fails the sweeper hands it over: the event is accepted.
  await deps.publish(id, traceId).catch(() => undefined);
  return id;
}

export function resentNote(tenantId: string, eventId: string, newEvent: string): AuditNote {
  return { tenantId, action: "event.resend", target: eventId, after: { newEvent } };
}
