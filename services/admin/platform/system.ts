import { page } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { SystemFacts } from "./system-facts.ts";

/** The platform's state, live. */
export function systemPages({
  route,
  systemFacts,
}: PageDeps & { systemFacts(): Promise<SystemFacts> }): void {
  route("GET /system", async () => {
    const facts = await systemFacts();
    const ages = facts.oldestDue.map(({ dueAt }) => (Date.now() - dueAt.getTime()) / 1000);
    const oldestDueSeconds = ages.length === 0 ? undefined : Math.max(...ages);
    return page("system", "System", { facts, oldestDueSeconds });
  });
}
