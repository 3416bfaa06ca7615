import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { eventually } from "@belfry/testing/eventually";
import { startRecordingServer } from "@belfry/testing/recording-server";
import type { Page } from "playwright-core";
import { openBrowser, test } from "../browser/open-page.ts";
import { noteFaults } from "./accessible-pages.ts";
import { firstLink, startAdminStack } from "./admin-stack.ts";
import { mailIn, replaceText, writeAsText } from "./editor-page.ts";
import { join } from "./signed-in.ts";

const run = promisify(execFile);
test("from an empty database to a replayed dead letter, in a browser alone", async (t) => {
  const stack = await startAdminStack(t);
  const vendor = await startRecordingServer(t);
  vendor.answer = { status: 202, headers: { "x-message-id": "m1" } };
  const browser = await openBrowser(t);
  const faults: string[] = [];
  const person = async () => {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    noteFaults(page, /fonts\.googleapis|status of 4\d\d/, (fault) => faults.push(fault));
    return page;
  };
  const operator = await person();
  const owner = await person();
  let base = "";
  let curl = "";
  let isBroken = false;
  /** A chapter builds on those before it. */
  const chapter = (name: string, play: () => Promise<void>) =>
    t.test(name, { skip: isBroken && "a chapter before it failed" }, async () => {
      isBroken = true;
      await play();
      isBroken = false;
    });

  await chapter("the printed link makes an operator, who invites a tenant's owner", async () => {
    await operator.goto(stack.local.adminUrl + firstLink(stack));
    await join(operator, "Olga", "olga@example.com");
    await operator.getByRole("heading", { name: "Tenants" }).waitFor();
    await operator.getByRole("link", { name: "New tenant" }).click();
    await operator.getByLabel("Name").fill("Northwind Books");
    await operator.getByRole("button", { name: "Create tenant" }).click();
    await operator.getByRole("heading", { name: "The first key of Northwind Books" }).waitFor();
    await operator.reload();
    await operator.getByText("first key", { exact: true }).waitFor();
    assert.equal(await operator.locator("#api-key").count(), 0, "shown once");
    await operator.getByRole("link", { name: "Members" }).click();
    await operator.getByLabel("Email address").fill("olive@example.com");
    await operator.getByRole("button", { name: "Create invitation link" }).click();
    await owner.goto((await operator.locator("#link").textContent()) ?? "");
    await join(owner, "Olive");
    await owner.getByRole("heading", { name: "Northwind Books", level: 1 }).waitFor();
    base = new URL(owner.url()).pathname;
    assert.equal(await owner.getByRole("link", { name: "All tenants" }).count(), 0);
  });

  await chapter("the owner connects a provider; a test shows the vendor's answer", async () => {
    await owner.getByRole("link", { name: "Providers", exact: true }).click();
    await owner.getByRole("link", { name: "SendGrid", exact: true }).click();
    await owner.getByLabel("API key").fill("SG.0123456789abcdef");
    await owner.getByLabel("From", { exact: true }).fill("not an address");
    await owner.getByRole("button", { name: "Add provider" }).click();
    await owner.getByText("must be an email address").waitFor();
    await owner.getByLabel("API key").fill("SG.0123456789abcdef");
    await owner.getByLabel("From", { exact: true }).fill("orders@example.com");
    await owner.getByLabel("Base URL").fill(vendor.url);
    await owner.getByRole("button", { name: "Add provider" }).click();
    await owner.getByText("Not active yet.").waitFor();
    await owner.getByRole("button", { name: "Send", exact: true }).click();
    await owner.getByText("SendGrid accepted the message").waitFor();
    await owner.getByText("It is in use now").waitFor();
    assert.equal(vendor.requests.length, 1);
    await owner.reload();
    await owner.getByText("Primary: messages of this channel are sent through it.").waitFor();
    assert.equal(vendor.requests.length, 1, "a reload sends no test again");
    assert.ok(!(await owner.content()).includes("SG.0123456789abcdef"), "secrets are write-only");
    await owner.goto(`${stack.local.adminUrl}${base}/providers/new?channel=SMS&kind=sandbox`);
    await owner.getByRole("button", { name: "Add provider" }).click();
    await owner.getByLabel("Phone number").fill("+12025550123");
    await owner.getByRole("button", { name: "Send", exact: true }).click();
    await owner.getByText("It is in use now").waitFor();
  });

  await chapter("three templates, seen as they are typed, with a fault at its place", async () => {
    await newTemplate(owner, base, "EMAIL");
    // The visual editor has a subject line of its own, once its script is there.
    await writeAsText(owner);
    await owner.locator("#subject").fill("Order {{ order }}");
    await owner.getByLabel("MJML").check();
    await replaceText(owner, "<mjml><mj-body><mj-section><mj-column><mj-text>Thank you, {{ name");
    await owner.locator("#faults li", { hasText: "line 1" }).first().waitFor();
    await owner.getByLabel("HTML").check();
    const mail = "<p>Thank you, {{ name }}, for {{ order }}.</p>";
    await replaceText(owner, mail);
    await owner.getByLabel("name", { exact: true }).fill("Ada");
    await owner.getByLabel("order", { exact: true }).fill("A-1");
    await mailIn(owner).getByText("Thank you, Ada, for A-1.").waitFor();
    await save(owner);
    await newTemplate(owner, base, "SMS");
    await replaceText(owner, "Order {{ order }} is on its way.");
    await owner.getByLabel("order", { exact: true }).fill("A-1");
    await owner.locator("#preview-text", { hasText: "Order A-1 is on its way." }).waitFor();
    await save(owner);
    await newTemplate(owner, base, "PUSH");
    await owner.getByLabel("Title").fill("Order {{ order }}");
    await replaceText(owner, "It is on its way, {{ name }}.");
    await owner.getByLabel("order", { exact: true }).fill("A-1");
    await owner.getByLabel("name", { exact: true }).fill("Ada");
    await owner.locator("#preview-title", { hasText: "Order A-1" }).waitFor();
    await save(owner);
  });

  await chapter("the key's curl line works: the event, the SMS and the push come", async () => {
    await owner.goto(`${stack.local.adminUrl}${base}/keys`);
    await owner.getByRole("button", { name: "Create key" }).click();
    curl = (await owner.locator("#curl").textContent()) ?? "";
    const inbox = await owner.context().newPage();
    await inbox.goto(`${stack.local.adminUrl}${base}/users?user=user-1&inbox=1`);
    await inbox.locator("#inbox-state", { hasText: "live" }).waitFor();
    await owner.goto(`${stack.local.adminUrl}${base}/activity`);
    await owner.getByText("No events yet").waitFor();
    // A change is in force in every service within 5 s; here it is the key itself.
    await eventually(() => trigger(curl), { everyMs: 200 });
    await inbox.locator("belfry-inbox article", { hasText: "Order Sample order" }).waitFor();
    await owner.getByText("Email accepted").waitFor();
    await owner.getByRole("link", { name: "order.confirmed" }).first().click();
    await owner.locator("#timeline").getByText("SendGrid accepted the message").waitFor();
    await owner.getByRole("link", { name: "Sandbox messages", exact: true }).click();
    await owner.getByText("Order Sample order is on its way.").waitFor();
  });

  await chapter("I got no mail: in two clicks an address leads to what became of it", async () => {
    const address = /"recipientEmail":\s*"([^"]+)"/.exec(curl)?.[1] ?? "";
    assert.match(address, /@/);
    for (const [person, page] of [
      [owner, base],
      [operator, "/tenants"],
    ] as const) {
      await person.goto(`${stack.local.adminUrl}${page}`);
      const found = person.getByRole("link", { name: "order.confirmed" });
      const find = async () => {
        await person.getByLabel("Find a customer or a message").fill(address.toUpperCase());
        await person.getByRole("button", { name: "Find", exact: true }).click();
        await person.getByRole("heading", { name: "Search" }).waitFor();
        return (await found.count()) > 0;
      };
      await eventually(find, { everyMs: 200 });
      await found.first().click();
      await person.getByText("SendGrid accepted the message").first().waitFor();
    }
  });

  await chapter("a broken provider makes a dead letter; mended, a replay delivers it", async () => {
    vendor.answer = {
      status: 400,
      body: { errors: [{ message: "the template id is unknown" }] },
    };
    await trigger(curl);
    await owner.goto(`${stack.local.adminUrl}${base}/dead-letters`);
    await eventually(
      async () => {
        await owner.reload();
        return (await owner.getByRole("link", { name: /^Replay 1 ·/ }).count()) === 1;
      },
      { everyMs: 200 },
    );
    vendor.answer = { status: 202, headers: { "x-message-id": "m2" } };
    await owner.getByRole("link", { name: /^Replay 1 · Email/ }).click();
    await owner.getByText("1 will be replayed.").waitFor();
    await owner.getByRole("button", { name: "Replay 1", exact: true }).click();
    await owner.getByText("No other message has failed").waitFor();
    await owner.goto(`${stack.local.adminUrl}${base}/activity`);
    await eventually(async () => (await owner.getByText("Email accepted").count()) === 2, {
      everyMs: 200,
    });
  });

  await chapter("a tenant that is deactivated is refused, and its open pages end", async () => {
    const inbox = await owner.context().newPage();
    await inbox.goto(`${stack.local.adminUrl}${base}/users?user=user-1&inbox=1`);
    await inbox.locator("#inbox-state", { hasText: "live" }).waitFor();
    await operator.goto(`${stack.local.adminUrl}${base}/settings`);
    await operator.getByRole("button", { name: "Deactivate tenant" }).click();
    await operator.getByRole("dialog").getByRole("button", { name: "Deactivate tenant" }).click();
    await operator.getByText("Deactivated.").waitFor();
    await Promise.all([
      eventually(
        async () => (await run("bash", ["-c", curl])).stdout.includes('"statusCode":401'),
        { everyMs: 250 },
      ),
      inbox.locator("#inbox-state", { hasText: "not connected" }).waitFor(),
    ]);
  });

  await chapter("all of it is in the audit log, and the browser met no fault", async () => {
    await owner.goto(`${stack.local.adminUrl}${base}/audit`);
    const text = (await owner.locator("main").textContent()) ?? "";
    for (const action of [
      "member: invite",
      "member: join",
      "provider: create",
      "provider: test",
      "template: draft",
      "template: publish",
      "key: create",
      "dead-letter: replay",
    ]) {
      assert.ok(text.includes(action), action);
    }
    assert.ok(!text.includes("SG.0123"));
    assert.deepEqual(faults, []);
  });
});

async function newTemplate(page: Page, base: string, channel: string): Promise<void> {
  await page.goto(
    new URL(`${base}/templates/new?eventType=order.confirmed&channel=${channel}`, page.url()).href,
  );
  await page.getByLabel("Empty").check();
  await page.getByRole("button", { name: "Create draft" }).click();
}

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Publish …" }).click();
  await page.getByRole("button", { name: /^Publish [^…]/ }).click();
  await page.getByText("Published. It is live").waitFor();
}

async function trigger(curl: string): Promise<void> {
  const { stdout } = await run("bash", ["-c", curl]);
  assert.equal(JSON.parse(stdout).success, true, stdout);
}
