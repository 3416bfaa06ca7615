import { UUID } from "@belfry/contracts/identifiers";
import type { OutboxMessage } from "@belfry/contracts/sending";
import type { Database } from "@belfry/database/connection";
import { outboxMessageById, outboxOfTenant } from "@belfry/database/outbox";
import { invalid, NotFound } from "../input-error.ts";
import { requireTenant } from "../tenants/require-tenant.ts";

const PAGE_MESSAGES = 200;

export interface OutboxQuery {
  tenantId: string;
  /** Belfry's id of an event: its messages only. */
  eventId?: string | undefined;
  /** All of them, unless said. */
  limit?: number | undefined;
}

/**
 * What the sandbox provider was given for a tenant, newest first, a page at a time: a mail is large
 * and a test may send many. Throws `NotFound` for an unknown tenant, `InvalidInput`.
 */
export async function* outboxPages(
  db: Database,
  query: OutboxQuery,
): AsyncGenerator<OutboxMessage[]> {
  const { tenantId, eventId, limit = Number.POSITIVE_INFINITY } = query;
  if (eventId !== undefined && !UUID.test(eventId)) {
    throw invalid("eventId", "must be an id that Belfry gave");
  }
  await requireTenant(db, tenantId);
  let left = limit;
  let before: string | undefined;
  while (left > 0) {
    const size = Math.min(left, PAGE_MESSAGES);
    const page = await outboxOfTenant(db, tenantId, { limit: size, eventId, before });
    if (page.length > 0) yield page;
    if (page.length < size) return;
    left -= page.length;
    before = page.at(-1)?.id;
  }
}

/** One message; within one tenant if it is named. Throws `NotFound`. */
export async function showOutboxMessage(db: Database, id: string, tenantId?: string) {
  const message = UUID.test(id) ? await outboxMessageById(db, id, tenantId) : undefined;
  if (message === undefined) {
    throw new NotFound("id", `no message in the outbox has the id ${JSON.stringify(id)}`);
  }
  return message;
}
