import { ADDRESSES } from "@belfry/contracts/addresses";
import type { InboundMessage } from "@belfry/contracts/inbound";
import type { Database } from "@belfry/database/connection";
import { inboundOfTenant } from "@belfry/database/inbound";
import { invalid } from "../input-error.ts";
import { requireTenant } from "../tenants/require-tenant.ts";

const PAGE_MESSAGES = 200;

export interface InboundQuery {
  tenantId: string;
  /** A phone number, as +12025550123: its messages only. */
  number?: string | undefined;
  /** All of them, unless said. */
  limit?: number | undefined;
}

/**
 * What people have answered to a tenant's text messages and is no keyword, newest first, a page at a time.
 * Throws `NotFound` for an unknown tenant, `InvalidInput`.
 */
export async function* inboundPages(
  db: Database,
  query: InboundQuery,
): AsyncGenerator<InboundMessage[]> {
  const { tenantId, number, limit = Number.POSITIVE_INFINITY } = query;
  const { form, read } = ADDRESSES.recipientPhone;
  if (number !== undefined && read(number) === undefined) {
    throw invalid("number", `must be ${form}`);
  }
  await requireTenant(db, tenantId);
  let left = limit;
  let before: string | undefined;
  while (left > 0) {
    const size = Math.min(left, PAGE_MESSAGES);
    const page = await inboundOfTenant(db, tenantId, { limit: size, sender: number, before });
    if (page.length > 0) yield page;
    if (page.length < size) return;
    left -= page.length;
    before = page.at(-1)?.id;
  }
}
