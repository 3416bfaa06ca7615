import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@belfry/client";
import { eventually } from "@belfry/testing/eventually";
import { inboxOn } from "../browser/inbox-page.ts";
import { openBrowser, watchPage } from "../browser/open-page.ts";
import { skip } from "../browser/without-browser.ts";
import { firstLink, startAdminStack } from "./admin-stack.ts";
import { join } from "./join.ts";

const PATIENCE_MS = 60_000;
const SOON = { everyMs: 500 };
const OUTBOX = "fetch('/demo/outbox').then((answer) => answer.json()).then((all) => all.messages)";

test("a product manager makes a category, a user turns it off from the bell, the next event's timeline says so", {
  skip,
}, async (t) => {
  const stack = await startAdminStack(t);
  const { adminUrl, demoUrl, tenant } = stack.local;
  const base = `${adminUrl}/tenants/${tenant.id}`;
  const browser = await openBrowser(t);
  const allFaults: string[][] = [];
  const open = async () => {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    allFaults.push((await watchPage(page)).faults);
    return page;
  };
  const [manager, shop, mail] = [await open(), await open(), await open()];
  const bell = inboxOn(shop).bell;
  const gear = shop.locator("#bell").getByRole("button", { name: "Preferences" });
  const emails = (isOn: boolean) =>
    shop.locator("#bell").getByRole("switch", { name: "Your orders Email", checked: isOn });

  /** Sends one from the demo page; returns its id. */
  const send = async (): Promise<string> => {
    const answered = shop.waitForResponse((one) => one.url().endsWith("/demo/events"));
    await shop.locator("#send").click();
    return (await (await answered).json()).eventId;
  };
  const mailOf = async (id: string): Promise<Mail> => {
    const messages = await shop.evaluate<Mail[]>(OUTBOX);
    return (
      messages.find((one: Mail) => one.eventId === id && one.channel === "EMAIL") ?? assert.fail()
    );
  };

  await shop.goto(demoUrl);
  await shop.locator("#connection", { hasText: "live" }).waitFor();
  await bell.click();
  await bell.click();
  assert.equal(await gear.count(), 0);

  await manager.goto(adminUrl + firstLink(stack));
  await manager.getByLabel("Email address").fill("pam@example.com");
  await join(manager, "Pam");
  await manager.getByRole("heading", { name: "Tenants" }).waitFor();
  await manager.goto(base);
  await manager.getByRole("link", { name: "Categories" }).click();
  await manager.getByLabel("Name", { exact: true }).fill("Your orders");
  await manager.getByLabel("Key", { exact: true }).fill("ord-1");
  await manager.getByRole("button", { name: "Create category" }).click();
  await manager.getByLabel("Event type").fill("order.confirmed");
  await manager.getByRole("button", { name: "Add", exact: true }).click();
  await manager.getByText("Saved.").waitFor();

  // In force within 5 s: a mail of a category carries the link to leave it.
  const link = await eventually<string | false>(async () => {
    const id = await send();
    const { headers } = await eventually(() => mailOf(id));
    return headers?.["List-Unsubscribe"]?.slice(1, -1) ?? false;
  }, SOON);

  await bell.click();
  await gear.click();
  await emails(true).click();
  await emails(false).waitFor();
  const client = createClient({ baseUrl: stack.local.apiUrl, apiKey: tenant.apiKey });
  const { at, ...cell } = await eventually(async () => {
    const { preferences } = await client.preferences("demo-user");
    return preferences[0] ?? assert.fail();
  });
  assert.deepEqual(cell, { category: "ord-1", channel: "EMAIL", enabled: false, source: "inbox" });

  await manager.goto(`${base}/activity/${await send()}`);
  const line = manager.locator("#timeline li", { hasText: "turned off" });
  await line.waitFor();
  const day = new Date(at).toUTCString().slice(5, 16).replace(/^0/, "");
  assert.deepEqual((await line.locator(":scope > span").allTextContents()).map(onOneLine), [
    "Email",
    `skipped: turned off by the user for Your orders on EMAIL, ${day}, inbox`,
  ]);

  await bell.click();
  await gear.click();
  await emails(false).waitFor();
  await mail.goto(String(link));
  await mail.getByRole("button", { name: "Subscribe again" }).click();
  await mail.getByRole("heading", { name: "You are subscribed again" }).waitFor();
  await emails(true).waitFor();
  assert.deepEqual(allFaults, [[], [], []]);
});

const onOneLine = (text: string) => text.replace(/\s+/g, " ").trim();

interface Mail {
  eventId: string;
  channel: string;
  headers: Record<string, string> | null;
}
