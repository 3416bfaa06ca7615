import type { BrowserContext, Page } from "playwright-core";

/** What a journey costs a person. */
interface Effort {
  clicks: number;
  /** Fields that were typed into, each once a page. */
  fields: Set<string>;
}

/** Counts on all pages that the context opens from now on; a click on a list that opens is counted, its line is not. */
export async function countEffort(context: BrowserContext): Promise<Effort> {
  const effort: Effort = { clicks: 0, fields: new Set() };
  await context.exposeFunction("belfryClicked", () => {
    effort.clicks += 1;
  });
  await context.exposeFunction("belfryTyped", (field: string) => effort.fields.add(field));
  await context.addInitScript(`
    addEventListener("pointerdown", (event) => event.isTrusted && belfryClicked(), true);
    addEventListener("input", ({ target, isTrusted }) => {
      const isChosen = target.matches("select, [type=checkbox], [type=radio]");
      if (isTrusted && !isChosen) belfryTyped(location.pathname + " " + (target.name || target.id || target.className));
    }, true);`);
  return effort;
}

/** Every text that a reader of the page can see, and what is in its fields. */
export async function seenOn(page: Page): Promise<string> {
  const frames = page.frames().map((frame) =>
    frame.evaluate(`[document.body.innerText, ...[...document.querySelectorAll("input, textarea")]
      .filter((one) => one.checkVisibility()).map((one) => one.value)].join("\\n")`),
  );
  return (await Promise.all(frames)).join("\n");
}
