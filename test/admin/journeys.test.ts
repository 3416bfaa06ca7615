import assert from "node:assert/strict";
import { createClient } from "@belfry/client";
import { eventually } from "@belfry/testing/eventually";
import { type RecordedRequest, startRecordingServer } from "@belfry/testing/recording-server";
import { Webhook } from "standardwebhooks";
import { inboxOn } from "../browser/inbox-page.ts";
import { openBrowser, test, watchPage } from "../browser/open-page.ts";
import { faultsInLooks } from "./accessible-pages.ts";
import { firstLink, startAdminStack } from "./admin-stack.ts";
import { join } from "./signed-in.ts";

const PATIENCE_MS = 120_000;
/** A desk, and the narrowest phone. */
const WIDTHS = [1280, 320];
const SOON = { everyMs: 500 };
const OUTBOX = "fetch('/demo/outbox').then((answer) => answer.json()).then((all) => all.messages)";

test("what the people of a tenant do in their browsers", async (t) => {
  const stack = await startAdminStack(t);
  const { adminUrl, apiUrl, demoUrl, tenant } = stack.local;
  const base = `${adminUrl}/tenants/${tenant.id}`;
  const browser = await openBrowser(t);
  const client = createClient({ baseUrl: apiUrl, apiKey: tenant.apiKey });
  const allFaults: string[][] = [];
  const open = async () => {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    allFaults.push((await watchPage(page)).faults);
    return page;
  };
  const operator = await open();
  await operator.goto(adminUrl + firstLink(stack));
  await join(operator, "Pam", "pam@example.com");
  await operator.getByRole("heading", { name: "Tenants" }).waitFor();

  await t.test("an owner's endpoint is added, tested, broken, mended and replayed", async (t) => {
    const receiver = await startRecordingServer(t);
    const hooks = `${receiver.url}/hooks/belfry`;
    const looks: string[] = [];
    await operator.goto(`${base}/members`);
    await operator.getByLabel("Email address").fill("olive@example.com");
    await operator.getByLabel("Role").selectOption("owner");
    await operator.getByRole("button", { name: "Create invitation link" }).click();
    const link = await operator.locator("#link").textContent();

    const owner = await open();
    const look = async (name: string) => looks.push(...(await faultsInLooks(name, owner, WIDTHS)));
    await owner.goto(link ?? "");
    await join(owner, "Olive");
    await owner.getByText("Welcome.").waitFor();

    // Adds an endpoint.
    await owner.goto(`${base}/webhooks`);
    await owner.getByRole("link", { name: "New endpoint" }).click();
    await owner.getByLabel("Address", { exact: true }).fill(hooks);
    await owner.getByLabel("Only these").check();
    await owner.getByLabel("Read by the user").check();
    await look("new endpoint");
    await owner.getByLabel("All, including those of later versions of Belfry").check();
    await owner.getByLabel("Read by the user").waitFor({ state: "hidden" });
    await owner.getByRole("button", { name: "Create endpoint" }).click();
    const secret = (await owner.locator("#webhook-secret").textContent()) ?? "";
    assert.match(secret, /^whsec_/);
    const endpointUrl = owner.url().split("?")[0] ?? "";
    await look("its secret");
    await owner.reload();
    assert.equal(await owner.locator("#webhook-secret").count(), 0);

    // Sees the test message.
    await owner.getByRole("button", { name: "Send a test message" }).click();
    await owner.locator("#state", { hasText: "arrived" }).waitFor();
    const [first] = await receiver.received(1);
    const test = verified(secret, first);
    assert.equal(test.type, "webhook.test");
    await owner.locator("#attempts li", { hasText: "200" }).waitFor();
    await look("the test message");

    // Breaks the receiver: it fails once, and at the second try, 5 s later, it is gone.
    receiver.next(
      { status: 500, body: "The shelf has <b>fallen</b>" },
      { status: 410, body: "Moved out" },
    );
    receiver.answer = { status: 410 };
    await owner.goto(endpointUrl);
    await owner.getByRole("button", { name: "Send a test message" }).click();
    await owner.locator("#state", { hasText: "given up" }).waitFor();

    // Sees why: each try with what was answered, and on every page that it is disabled.
    const tries = owner.locator("#attempts > ol > li");
    // The state and the tries are read again each on its own.
    await tries.nth(1).waitFor();
    assert.equal(await tries.count(), 2);
    await tries.nth(1).getByText("Response").click();
    assert.equal(await tries.nth(1).locator("pre").textContent(), "The shelf has <b>fallen</b>");
    assert.match(String(await tries.nth(0).textContent()), /410/);
    await look("why it failed");
    await owner.goto(`${base}/activity`);
    const banner = owner.locator("#disabled-endpoints");
    assert.match(String(await banner.textContent()), /is disabled because it answered 410/);
    await look("the note on every page");
    await banner.getByRole("link", { name: hooks }).click();
    await owner.getByRole("heading", { name: hooks }).waitFor();
    assert.equal(await owner.getByRole("button", { name: "Send a test message" }).count(), 0);
    await look("disabled");

    // Mends it, and replays.
    receiver.answer = { status: 204 };
    await owner.getByRole("button", { name: "Enable" }).click();
    await owner.getByRole("heading", { name: "Replay" }).waitFor();
    await look("what to replay");
    await owner.getByRole("button", { name: "Replay messages" }).click();
    await owner.getByText("1 message sent again.").waitFor();
    const requests = await receiver.received(4);
    assert.equal(await banner.count(), 0);
    assert.deepEqual(
      requests.slice(1).map(({ headers }) => headers["webhook-id"]),
      Array(3).fill(requests[1]?.headers["webhook-id"]),
    );
    for (const request of requests) verified(secret, request);
    await owner.getByRole("link", { name: "Back to messages" }).click();
    const rows = owner.locator("#message-list li");
    await rows.filter({ hasText: "sent again" }).filter({ hasText: "arrived" }).waitFor();
    assert.deepEqual(await rows.locator(".badge").allTextContents(), [
      "arrived",
      "given up",
      "arrived",
    ]);
    await look("after the replay");

    // What really happens is told as well, and the event's page says to whom, also what comes while it is open.
    const looked = Promise.withResolvers<void>();
    receiver.answer = { status: 204, after: looked.promise };
    const { id } = await client.trigger({
      eventType: "order.confirmed",
      payload: { userId: "demo-user" },
    });
    const told = await receiver.received(5);
    assert.deepEqual(verified(secret, told[4]).data.id, id);
    await owner.goto(`${base}/activity/${id}`);
    const own = owner.locator("#told li", { hasText: hooks });
    await own.filter({ hasNotText: "arrived" }).first().waitFor();
    looked.resolve();
    await own.filter({ hasText: "arrived" }).first().waitFor();
    await look("the event");

    assert.deepEqual(looks, []);
  });

  await t.test("a category is made and turned off from the bell; a timeline says so", async () => {
    const [shop, mail] = [await open(), await open()];
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

    await operator.goto(base);
    await operator.getByRole("link", { name: "Categories" }).click();
    await operator.getByLabel("Name", { exact: true }).fill("Your orders");
    await operator.getByLabel("Key", { exact: true }).fill("ord-1");
    await operator.getByRole("button", { name: "Create category" }).click();
    await operator.getByLabel("Event type").fill("order.confirmed");
    await operator.getByRole("button", { name: "Add", exact: true }).click();
    await operator.getByText("Saved.").waitFor();

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
    const { at, ...cell } = await eventually(async () => {
      const { preferences } = await client.preferences("demo-user");
      return preferences[0] ?? assert.fail();
    });
    assert.deepEqual(cell, {
      category: "ord-1",
      channel: "EMAIL",
      enabled: false,
      source: "inbox",
    });

    await operator.goto(`${base}/activity/${await send()}`);
    const line = operator.locator("#timeline li", { hasText: "turned off" });
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
  });
  assert.deepEqual(allFaults.flat(), []);
}, 600_000);

/** As a receiver does it: with the standard's library. */
function verified(secret: string, request: RecordedRequest | undefined) {
  assert.ok(request);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  return new Webhook(secret).verify(request.body, headers) as {
    type: string;
    data: { id?: string };
  };
}

const onOneLine = (text: string) => text.replace(/\s+/g, " ").trim();

interface Mail {
  eventId: string;
  channel: string;
  headers: Record<string, string> | null;
}
