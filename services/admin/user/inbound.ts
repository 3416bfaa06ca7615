import { listInbound } from "@belfry/administration/events/inbound";
import { UUID } from "@belfry/contracts/identifiers";
import { orFaults, page } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";

const PAGE = 50;

/** What people have answered to text messages, and no machine understood. */
export function inboundPages({ route }: PageDeps): void {
  route("GET /tenants/:tenantId/replies", async ({ run, query }) => {
    const number = (query.get("number") ?? "").trim();
    const given = query.get("before") ?? "";
    const after = UUID.test(given) ? given : undefined;
    const ofNumber = number === "" ? {} : { number };
    return await orFaults(
      async () => {
        const { items: messages, next } = await run(listInbound, {
          ...ofNumber,
          limit: PAGE,
          after,
        });
        const more = new URLSearchParams({ ...ofNumber, before: next ?? "" });
        const nextPage = next === undefined ? undefined : `?${more}`;
        return page("replies", "Replies", { number, messages, nextPage });
      },
      ({ number: fault }) => page("replies", "Replies", { number, fault, messages: [] }),
    );
  });
}
