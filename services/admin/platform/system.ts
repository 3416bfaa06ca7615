import { page } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";

/** The platform's state, live. */
export function systemPages({ route, systemFacts }: PageDeps): void {
  route("GET /system", async () => page("system", "System", { facts: await systemFacts() }));
}
