import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { startAdminStack } from "../admin/admin-stack.ts";
import { join } from "../admin/signed-in.ts";
import { freshKey, trigger } from "../end-to-end/stack.ts";
import type { RunningStack } from "../stack/start-stack.ts";
import { openBrowser, test, watchPage } from "./open-page.ts";

const run = promisify(execFile);
test("the demo page, as a newcomer sees it", async (t) => {
  const stack = await startAdminStack(t);
  const browser = await openBrowser(t);
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const { received, faults } = await watchPage(page);
  await page.goto(stack.local.demoUrl);
  await page.locator("#connection", { hasText: "live" }).waitFor();

  await t.test("a push is there after the pasted curl line", async () => {
    const line = /^curl .*$/m.exec(stack.output())?.[0] ?? "";
    const first = page.locator("#inbox article").first();
    const { stdout } = await run("bash", ["-c", line]);
    assert.equal(JSON.parse(stdout).success, true);
    await first.waitFor();
    assert.equal(await first.locator("strong").textContent(), "Order A-1001 confirmed");
    assert.match((await first.locator("p").textContent()) ?? "", /^Thank you, Ada\./);
    assert.equal(await first.locator("code").textContent(), "order.confirmed");
    const time = await first.locator("time").getAttribute("datetime");
    assert.ok(Math.abs(Date.now() - Date.parse(time ?? "")) < 60_000, `${time}`);
    await waitForUnread(page, "1");
    await page.getByRole("button", { name: "Notifications, 1 unread" }).waitFor();
  });

  await t.test("the outbox shows the mail as it looks, and the SMS with its segments", async () => {
    await page.locator("#messages .email", { hasText: "Your order A-1001 is confirmed" }).waitFor();
    const mail = page.frameLocator("#mail-frame");
    await mail.getByText("Thank you, Ada!").waitFor();
    assert.equal(await page.locator("#mail-frame").getAttribute("sandbox"), "");
    await page.locator("#tab-SMS").click();
    const sms = page.locator("#messages .sms");
    await sms.waitFor();
    assert.equal(await sms.locator("strong").textContent(), "+12025550123");
    assert.match((await sms.locator("p").textContent()) ?? "", /Order A-1001/);
    assert.equal(await sms.locator("small").textContent(), "1 segment");
  });

  await t.test("an event sent again is shown as a replay and arrives once", async () => {
    await page.locator("#send").click();
    await page.locator("#answer.good").waitFor();
    assert.equal(await page.locator("#answer mark").count(), 0);
    await page.locator("#send-again").click();
    await page.locator("#answer mark", { hasText: "replayed" }).waitFor();
    // A third one passes through after the replay: had that been sent, it would be there before.
    await page.locator("#send").click();
    await waitForUnread(page, "3");
    assert.equal(await page.locator("#inbox article").count(), 3);
  });

  await t.test("what becomes of a delivery is told to the server, which verifies it", async () => {
    const told = page.locator("#webhooks li");
    // Each of three events has two accepted messages, one that was skipped without a device, and a notification.
    await told.nth(11).waitFor();
    const count = async (type: string) => await told.filter({ hasText: type }).count();
    assert.equal(await count("delivery.accepted"), 6);
    assert.equal(await count("delivery.skipped"), 3);
    assert.equal(await count("notification.created"), 3);
    assert.equal(await page.locator("#webhooks-count").textContent(), "12 verified");
    assert.match((await told.first().locator("p").textContent()) ?? "", / · order\.confirmed$/);
    await told.first().locator("summary").click();
    const body = JSON.parse((await told.first().locator("pre").textContent()) ?? "");
    assert.equal(body.data.eventType, "order.confirmed");
  });

  await t.test("what a tenant calls its events is text, whatever it looks like", async () => {
    const hostile = '<img src=x onerror="document.title=1">';
    await sendOrder(stack, { eventId: hostile });
    const row = page.locator("#webhooks pre", { hasText: "onerror" });
    await row.first().waitFor({ state: "attached" });
    assert.ok((await row.first().textContent())?.includes(JSON.stringify(hostile).slice(1, -1)));
    assert.equal(await page.locator("#webhooks img").count(), 0);
    await waitForUnread(page, "4");
  });

  await t.test("what is marked read stays read when the page is loaded anew", async () => {
    const oldest = page.locator("#inbox article").last();
    await oldest.getByRole("button", { name: "Mark read" }).click();
    await waitForUnread(page, "3");
    await page.reload();
    await page.locator("#connection", { hasText: "live" }).waitFor();
    await waitForUnread(page, "3");
    assert.equal(await page.locator("#inbox [part~=item-read]").count(), 1);
    assert.equal(await oldest.getAttribute("data-state"), "read");
    await page.locator("#inbox").getByRole("button", { name: "Mark all read" }).click();
    await page.locator("#inbox .head .badge").waitFor({ state: "hidden" });
    await page.reload();
    await page.locator("#inbox [part~=item-read]").nth(3).waitFor();
    assert.equal(await page.locator("#inbox .head .badge").isVisible(), false);
  });

  await t.test("a failure to try is real: told as it happens, and in the Admin UI", async () => {
    const story = page.locator("#story li");
    const fail = (what: string) => page.getByRole("button", { name: what }).click();
    const [invitation = ""] = /http:\S+\/join\/\S+/.exec(stack.output()) ?? [];
    const admin = await context.newPage();
    await admin.goto(invitation);
    await join(admin, "Ada", "ada@belfry.example");
    await admin.waitForURL((url) => !url.pathname.startsWith("/join"));

    const line = (words: RegExp) => story.filter({ hasText: words }).first().waitFor();
    await fail("An address that does not exist");
    await line(/^bounced: /);
    const link = page.getByRole("link", { name: "See this event in the Admin UI" });
    const opened = context.waitForEvent("page");
    await link.click();
    const event = await opened;
    await event.getByText("this address does not exist").first().waitFor();
    assert.match(event.url(), /\/activity\/[0-9a-f-]{36}$/);
    await fail("A mailbox that is full");
    await line(/^failed: the mail server says that the mailbox is full/);
    await event.goto(event.url().replace(/activity\/.*/, "dead-letters"));
    await event.getByText("mailbox is full").first().waitFor();
    await event.close();

    await fail("A provider that refuses us");
    await line(/^attempt 1 by sandbox: .*the provider refused the login/);
    await line(/^attempt 2 by sandbox: accepted/);
    await page.locator("#tab-EMAIL").click();
    await page.locator("#messages .email", { hasText: "login+A-" }).waitFor();

    const before = await link.getAttribute("href");
    await fail("A provider that is down");
    await page.locator(`#in-admin a:not([href="${before}"])`).waitFor();
    // By which of the two, and so how it ends, goes by how long the first is left aside.
    await line(/^attempt 1 by sandbox: /);
    await admin.close();
  });

  await t.test("neither the page nor anything that reached it holds the API key", async () => {
    const everything = [await page.content(), ...received].join("\n");
    assert.ok(
      received.some((text) => text.includes("order.confirmed")),
      "something was recorded",
    );
    assert.ok(!everything.includes(stack.local.tenant.apiKey));
  });

  await t.test("on a phone nothing is wider than the screen", async () => {
    await page.setViewportSize({ width: 375, height: 800 });
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 375);
  });

  await t.test("the browser met no fault", () => assert.deepEqual(faults, []));
});

async function waitForUnread(page: Page, count: string): Promise<void> {
  for (const place of ["#inbox .head", "#bell .bell"]) {
    await page.locator(`${place} .badge`, { hasText: new RegExp(`^${count}$`) }).waitFor();
  }
}

async function sendOrder({ local }: RunningStack, more: object): Promise<void> {
  const event = { payload: { userId: "demo-user" }, variables: { order: "A-2000" }, ...more };
  assert.equal((await trigger(local.apiUrl, local.tenant.apiKey, event, freshKey())).status, 200);
}
