import { join } from "node:path";
import { Eta } from "eta";
import * as words from "./words.ts";

/** Our pages. Everything that a page shows is escaped unless the view says otherwise (`<%~`). */
export function createViews(cache: boolean) {
  const eta = new Eta({ views: join(import.meta.dirname, "../views"), cache, autoEscape: true });
  return {
    render: (view: string, data: Record<string, unknown>): string =>
      eta.render(`./${view}`, { ...data, words }),
  };
}
export type Views = ReturnType<typeof createViews>;
