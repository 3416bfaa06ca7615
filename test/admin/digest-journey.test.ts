import assert from "node:assert/strict";
import { createClient } from "@belfry/client";
import { eventually } from "@belfry/testing/eventually";
import { openBrowser, test, watchPage } from "../browser/open-page.ts";
import { faultsInLooks } from "./accessible-pages.ts";
import { firstLink, startAdminStack } from "./admin-stack.ts";
import { countEffort } from "./count-effort.ts";
import { mailIn, replaceText, waitUntilSaved, writeAsText } from "./editor-page.ts";
import { join } from "./signed-in.ts";

const SOON = { everyMs: 500 };
const THREE = { Ann: "Lovely.", Ben: "Which kind?", Cem: "I prefer coffee." };

test("a digest of comments, set up and right the first time", async (t) => {
  const stack = await startAdminStack(t);
  const { adminUrl, apiUrl, tenant } = stack.local;
  const base = `${adminUrl}/tenants/${tenant.id}`;
  const context = await (await openBrowser(t)).newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const { faults } = await watchPage(page);
  await page.goto(adminUrl + firstLink(stack));
  await join(page, "Pam", "pam@example.com");
  await page.getByRole("heading", { name: "Tenants" }).waitFor();
  const client = createClient({ baseUrl: apiUrl, apiKey: tenant.apiKey });
  const comment = (author: string, text: string, title: string) =>
    client.trigger({
      eventType: "comment.added",
      payload: {
        userId: "demo-user",
        recipientEmail: "demo@example.com",
      },
      variables: { author, text, title, url: `https://example.com/${title}` },
    });

  await t.test("from the starter to one mail that shows all three comments", async (t) => {
    const effort = await countEffort(context);
    const begun = performance.now();
    await page.goto(`${base}/templates/new`);
    await page.getByRole("radio", { name: "Comment digest" }).click();
    await page.getByRole("button", { name: "Create draft" }).click();
    for (const author of ["Grace", "Alan", "Edsger"]) {
      await mailIn(page).getByText(author, { exact: true }).waitFor();
    }
    assert.ok(await page.getByRole("radio", { name: "One message per period" }).isChecked());
    await page.getByText("This digest would miss events.").waitFor();
    assert.deepEqual(await faultsInLooks("the editor", page, [1280, 375]), []);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole("button", { name: "Publish …" }).click();
    await page
      .getByText("New digest: one message for all events within 1 hour of the first.")
      .waitFor();
    assert.deepEqual(await faultsInLooks("publish", page, [1280, 375]), []);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole("button", { name: "Count them as separate events" }).click();
    await page.getByText("Saved.").waitFor();
    assert.equal(await page.getByText("This digest would miss events.").count(), 0);
    await page.getByRole("button", { name: /^Publish English/ }).click();
    await page.getByText("Published.").waitFor();
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    t.diagnostic(`${effort.clicks} clicks, ${effort.fields.size} fields typed, ${seconds} s`);
    // The starter, its draft, to the publishing, the one thing that it asks for, and the publishing.
    assert.deepEqual([effort.clicks, effort.fields.size], [5, 0]);

    // In force within 5 s: two probes are two events, and wait in a digest of their own.
    const open = (title: string) => page.locator("#gathered li", { hasText: `/${title}` });
    await eventually(async () => {
      const [one, other] = [await comment("A", "a", "Probe"), await comment("B", "b", "Probe")];
      await page.goto(`${base}/waiting`);
      return one.id !== other.id && (await open("Probe").count()) > 0;
    }, SOON);
    for (const [author, text] of Object.entries(THREE)) await comment(author, text, "Tea");
    await eventually(async () => {
      await page.goto(`${base}/waiting`);
      return (await open("Tea").getByText("3 events").count()) > 0;
    }, SOON);
    await open("Tea").getByRole("link", { name: "comment.added" }).click();
    await page.getByRole("button", { name: "Send now" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send now" }).click();
    await page.getByText("The digest is closed").waitFor();
    await page.goto(`${base}/outbox`);
    await page.getByRole("link", { name: "3 new comments on Tea" }).click();
    const mail = page.frameLocator("iframe.mail");
    await mail.getByRole("heading", { name: "Tea" }).waitFor();
    // The first place of some is the preheader, which is hidden.
    for (const words of Object.entries(THREE).flat()) await mail.getByText(words).last().waitFor();
  });

  await t.test("the form shows the fields of one kind, and a fault beside its field", async () => {
    await page.goto(`${base}/templates/new?eventType=comment.texted`);
    await page.getByRole("button", { name: "Create draft" }).click();
    // The visual editor hides this field as soon as its script is there.
    await writeAsText(page);
    await page.getByRole("textbox", { name: "Subject" }).click();
    await page.keyboard.insertText("News");
    await replaceText(page, "By {{ author }}");
    await page.getByText("More settings").click();
    const period = page.getByRole("textbox", { name: "Period" });
    const friday = page.getByRole("checkbox", { name: "Fri" });
    await period.waitFor({ state: "hidden" });
    await page.getByRole("radio", { name: "One message at a time of day" }).check();
    await friday.check();
    await period.waitFor({ state: "hidden" });
    await page.getByRole("radio", { name: "One message per period" }).check();
    await friday.waitFor({ state: "hidden" });
    await page.locator("#warnings", { hasText: "This text shows only the newest event" }).waitFor();
    await period.fill("10 minutes");
    await page.locator("#digestWindow-fault", { hasText: "Enter a whole number" }).waitFor();
    await page
      .locator("#draft-state", { hasText: "Not saved yet: Enter a whole number" })
      .waitFor();
    assert.equal(await period.getAttribute("aria-invalid"), "true");
    await period.fill("45");
    await page.getByLabel("Messages at most").fill("3");
    await page.getByLabel("Expires after", { exact: true }).fill("2");
    await page.getByLabel("Expires after: unit").selectOption("days");
    await page.locator("#digestWindow-fault").waitFor({ state: "hidden" });
    await waitUntilSaved(page);
    await page.getByRole("button", { name: "Publish …" }).click();
    for (const sentence of [
      "New digest: one message for all events within 45 minutes of the first.",
      "New limit: 3 messages per user per hour.",
      "New expiry: not sent later than 2 days after the event.",
      "Everyone else gets the default text.",
      "This text shows only the newest event of the digest.",
    ]) {
      await page.getByText(sentence).waitFor();
    }
    await page.getByRole("link", { name: "Edit the text" }).click();
    await page.getByRole("button", { name: "Insert the digest's events" }).click();
    await page.locator("#warnings").waitFor({ state: "hidden" });
    await mailIn(page).locator("li").nth(2).waitFor();
  });
  assert.deepEqual(
    faults.filter((fault) => !fault.includes("422")),
    [],
  );
}, 600_000);
