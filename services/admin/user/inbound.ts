import { ADDRESSES } from "@belfry/contracts/addresses";
import { UUID } from "@belfry/contracts/identifiers";
import { inboundOfTenant } from "@belfry/database/inbound";
import { page } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";

const PAGE = 50;

/** What people have answered to text messages, and no machine understood. */
export function inboundPages({ route, db }: PageDeps): void {
  route("GET /tenants/:tenantId/replies", async ({ tenant, query }) => {
    const number = (query.get("number") ?? "").trim();
    const { form, read } = ADDRESSES.recipientPhone;
    if (number !== "" && read(number) === undefined) {
      const data = { number, fault: `must be ${form}`, messages: [], isFirst: true };
      return page("replies", "Replies", data, 422);
    }
    const given = query.get("before") ?? "";
    const before = UUID.test(given) ? given : undefined;
    const sender = number === "" ? undefined : number;
    const found = await inboundOfTenant(db, tenant.id, { limit: PAGE + 1, sender, before });
    const messages = found.slice(0, PAGE);
    const next = new URLSearchParams(number === "" ? {} : { number });
    next.set("before", messages.at(-1)?.id ?? "");
    return page("replies", "Replies", {
      ...{ number, messages },
      nextPage: found.length > PAGE ? `?${next}` : undefined,
    });
  });
}
