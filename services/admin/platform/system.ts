import { page } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";

/** The platform's state, live. */
export function systemPages({ route, systemFacts }: PageDeps): void {
  route("GET /system", async () => {
    const facts = await systemFacts();
    const ages = facts.oldestDue.map(({ dueAt }) => (Date.now() - dueAt.getTime()) / 1000);
    const oldestDueSeconds = ages.length === 0 ? undefined : Math.max(...ages);
    return page("system", "System", { facts, oldestDueSeconds });
  });
}
