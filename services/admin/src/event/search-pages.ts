import { InvalidInput } from "@belfry/administration/input-error";
import { type Found, findAnything } from "@belfry/administration/search/find-anything";
import { tenantNames } from "@belfry/administration/tenants/tenant-rows";
import { type Answer, page, redirect } from "../page/answer.ts";
import { faultWords } from "../page/fault-words.ts";
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";

const BY_ID = ["event id", "own event id"];

/** Registers the search for addresses, ids and users: in one tenant for its members, in all tenants for operators. */
export function searchPages({ route, db, keys }: PageDeps): void {
  const answer = async (text: string, tenantId: string | undefined): Promise<Answer> => {
    const shown = (found: Partial<Found>, more: object = {}, status = 200) =>
      page(
        "search",
        say`Search`,
        { text, tenantId, events: [], users: [], ...found, ...more },
        status,
      );
    if (text.trim() === "") return shown({}, { isEmpty: true });
    try {
      const found = await findAnything(db, keys, { text, tenantId });
      const [event, ...others] = found.events;
      const isOne = event !== undefined && others.length === 0;
      if (isOne && event.by.some((by) => BY_ID.includes(by))) {
        return redirect(`/tenants/${event.tenantId}/activity/${event.id}`);
      }
      const ids = [...found.events, ...found.users].map((one) => one.tenantId);
      const names = tenantId === undefined ? await tenantNames(db, ids) : undefined;
      return shown(found, { names });
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return shown({}, { fault: faultWords(error.faults[0]?.message ?? "") }, 422);
    }
  };

  route("GET /tenants/:tenantId/search", ({ tenant, query }) =>
    answer(query.get("q") ?? "", tenant.id),
  );
  route("GET /search", ({ query }) => answer(query.get("q") ?? "", undefined));
}
