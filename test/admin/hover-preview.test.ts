import assert from "node:assert/strict";
import { putTemplate } from "@belfry/administration/test/templates";
import type { Page } from "playwright-core";
import { test, watchPage } from "../browser/open-page.ts";
import { signedIn, startOperator } from "./signed-in.ts";

async function world(t: Parameters<typeof startOperator>[0]) {
  const started = await startOperator(t);
  const { admin, id: tenantId, page } = started;
  const of = { tenantId, eventType: "order.confirmed", sampleVariables: '{"name":"Ada"}' };
  const mail = {
    format: "markdown" as const,
    subject: "Your order, {{ name }}",
    content: "Thank you, **{{ name }}**.",
  };
  await putTemplate(admin.db, { ...of, channel: "EMAIL", ...mail });
  await putTemplate(admin.db, { ...of, channel: "SMS", content: "Ordered: {{ number }}" });
  await putTemplate(admin.db, { ...of, channel: "PUSH", title: "Ordered", content: "On its way" });
  const asked: string[] = [];
  let [inFlight, mostInFlight] = [0, 0];
  const isPreview = (url: URL) => url.pathname.endsWith("/preview");
  page.on("request", (request) => {
    if (!isPreview(new URL(request.url()))) return;
    asked.push(request.url());
    inFlight += 1;
    mostInFlight = Math.max(mostInFlight, inFlight);
  });
  for (const end of ["requestfinished", "requestfailed"] as const) {
    page.on(end as "requestfinished", (request) => {
      if (isPreview(new URL(request.url()))) inFlight -= 1;
    });
  }
  const list = `${started.base}/templates`;
  return { ...started, list, asked, isPreview, mostInFlight: () => mostInFlight };
}

const linkOf = (page: Page, channel: string) =>
  page.getByRole("link", { name: `order.confirmed, ${channel}:` });
const popup = (page: Page) => page.locator("#hover-preview");

test("the list shows what a message looks like under the pointer and the keyboard's focus, and hides it by Escape", async (t) => {
  const { page, list, asked } = await world(t);
  const { faults } = await watchPage(page);
  await page.goto(list);
  assert.deepEqual(asked, [], "nothing is asked for before");
  assert.equal(await popup(page).isVisible(), false);

  await linkOf(page, "Email").hover();
  const mail = popup(page).frameLocator("iframe").frameLocator("iframe");
  await mail.getByText("Thank you,").waitFor();
  assert.equal(await mail.locator("strong").textContent(), "Ada");
  assert.equal(await popup(page).locator(".subject-line").textContent(), "Your order, Ada");
  // The pointer may go into it.
  await popup(page).hover();
  await page.keyboard.press("Escape");
  await popup(page).waitFor({ state: "hidden" });
  // If the pointer stayed, the row below it could show its preview after that of the focus.
  await page.mouse.move(0, 0);

  await linkOf(page, "Email").focus();
  await page.keyboard.press("Tab");
  await popup(page).getByText("Ordered: ").waitFor();
  assert.equal(await popup(page).locator("mark.unfilled").textContent(), "number");
  await page.keyboard.press("Tab");
  await popup(page).getByText("On its way").waitFor();
  assert.equal(await popup(page).locator("iframe").isVisible(), false);
  await page.keyboard.press("Escape");
  await popup(page).waitFor({ state: "hidden" });
  assert.equal(asked.length, 3);
  assert.deepEqual(faults, [], "neither script nor policy complains");
});

test("one preview is asked for at a time, and only that of the last place is shown", async (t) => {
  const { page, list, asked, isPreview, mostInFlight } = await world(t);
  const held = Promise.withResolvers<void>();
  await page.route(isPreview, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(list);
  const begun = page.waitForRequest((request) => isPreview(new URL(request.url())));
  await linkOf(page, "Email").hover();
  await begun;
  // Longer than the pause before a preview is asked for: the second waits for the first all the same.
  await page.clock.install();
  for (const channel of ["SMS", "Push"]) {
    await linkOf(page, channel).hover();
    await page.clock.runFor(1_000);
  }
  assert.equal(asked.length, 1);
  held.resolve();
  await popup(page).getByText("On its way").waitFor();
  assert.equal(await popup(page).getByText("Ordered: ").isVisible(), false);
  assert.deepEqual(
    [asked.length, mostInFlight()],
    [2, 1],
    "what was passed meanwhile is not asked for",
  );
});

test("a touch screen asks for no preview: a tap opens the template", async (t) => {
  const { admin, list, id: tenantId } = await world(t);
  const viewer = await admin.person({
    ...{ email: "viewer@example.com", name: "Vio" },
    of: { tenantId, role: "viewer" },
  });
  const touch = { hasTouch: true, isMobile: true, viewport: { width: 375, height: 800 } };
  const page = await (await signedIn(t, admin.url, viewer, touch)).newPage();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(list);
  await page.clock.install();
  // As a finger that rests on the link, and a keyboard beside the screen.
  await linkOf(page, "Email").dispatchEvent("pointerenter", { pointerType: "touch" });
  await linkOf(page, "Email").focus();
  await page.clock.runFor(1_000);
  await linkOf(page, "Email").tap();
  await page.waitForURL(/\/templates\/[\w-]+$/);
  const previews = /^\/tenants\/\w+\/templates\/[\w-]+\/preview$/;
  assert.deepEqual(
    asked.filter((path) => previews.test(path)),
    [],
  );
});
