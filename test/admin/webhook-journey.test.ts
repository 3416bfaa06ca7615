import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@belfry/client/client";
import { type RecordedRequest, startRecordingServer } from "@belfry/testing/recording-server";
import { Webhook } from "standardwebhooks";
import { openBrowser, watchPage } from "../browser/open-page.ts";
import { skip } from "../browser/without-browser.ts";
import { faultsInLooks, MOST_MS } from "./accessible-pages.ts";
import { firstLink, startAdminStack } from "./admin-stack.ts";
import { join } from "./join.ts";

const PATIENCE_MS = 120_000;
/** A desk, and the narrowest phone. */
const WIDTHS = [1280, 320];

test("an owner adds an endpoint, sees the test message, breaks the receiver, sees why, mends it, replays", {
  ...{ skip, timeout: MOST_MS * 2 },
}, async (t) => {
  const stack = await startAdminStack(t);
  const { adminUrl, apiUrl, tenant } = stack.local;
  const base = `${adminUrl}/tenants/${tenant.id}`;
  const receiver = await startRecordingServer(t);
  const hooks = `${receiver.url}/hooks/belfry`;
  const browser = await openBrowser(t);
  const allFaults: string[][] = [];
  const looks: string[] = [];
  const open = async () => {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    allFaults.push((await watchPage(page)).faults);
    return page;
  };

  const operator = await open();
  await operator.goto(adminUrl + firstLink(stack));
  await operator.getByLabel("Email address").fill("pam@example.com");
  await join(operator, "Pam");
  await operator.getByRole("heading", { name: "Tenants" }).waitFor();
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

  // What really happens is told as well, and the event's page says to whom.
  const client = createClient({ baseUrl: apiUrl, apiKey: tenant.apiKey });
  const { id } = await client.trigger({
    eventType: "order.confirmed",
    payload: { userId: "demo-user" },
  });
  const told = await receiver.received(5);
  assert.deepEqual(verified(secret, told[4]).data.id, id);
  await owner.goto(`${base}/activity/${id}`);
  const own = owner.locator("#told li", { hasText: hooks });
  await own.filter({ hasText: "arrived" }).first().waitFor();
  await look("the event");

  assert.deepEqual(looks, []);
  assert.deepEqual(allFaults, [[], []]);
});

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
