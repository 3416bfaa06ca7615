import assert from "node:assert/strict";
import { actsIn } from "@belfry/administration/test/acts";
import { PNG } from "@belfry/administration/test/image-samples";
import { putTemplate } from "@belfry/administration/test/templates";
import { assignCategory, putCategory } from "@belfry/administration/users/categories";
import { createClient } from "@belfry/client";
import { createDatabase, createPool } from "@belfry/database/connection";
import { eventually } from "@belfry/testing/eventually";
import type { Locator } from "playwright-core";
import { openBrowser, test, watchPage } from "../browser/open-page.ts";
import { faultsInLooks } from "./accessible-pages.ts";
import { firstLink, startAdminStack } from "./admin-stack.ts";
import { mailIn, replaceText, typeAtEnd, waitUntilSaved } from "./editor-page.ts";
import { join } from "./signed-in.ts";

const PATIENCE_MS = 120_000;
const WIDTHS = [1280, 320];

test("a logo, an image, a German footer and the link to unsubscribe, from the design to the mail", async (t) => {
  const stack = await startAdminStack(t);
  const { adminUrl, apiUrl, databaseUrl, tenant } = stack.local;
  const base = `${adminUrl}/tenants/${tenant.id}`;
  const db = createDatabase(createPool({ url: databaseUrl, applicationName: "test" }));
  t.after(() => db.destroy());
  const mail = { tenantId: tenant.id, eventType: "offer.made", channel: "EMAIL" } as const;
  const english = { ...mail, format: "markdown", subject: "New books", content: "Three." } as const;
  const { id } = await putTemplate(db, english);
  await putTemplate(db, { ...english, locale: "de", subject: "Neue Bücher", content: "Drei." });
  const run = actsIn(db, tenant.id);
  await run(putCategory, { key: "offers", label: { "": "Offers" } });
  await run(assignCategory, { eventType: "offer.made", category: "offers" });

  const page = await (await (await openBrowser(t)).newContext()).newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const { faults } = await watchPage(page);
  await page.goto(adminUrl + firstLink(stack));
  await join(page, "Pam", "pam@example.com");
  await page.getByRole("heading", { name: "Tenants" }).waitFor();
  const widthOf = (image: unknown) => (image as { naturalWidth: number }).naturalWidth;
  const isLoaded = (image: Locator) =>
    eventually(async () => (await image.first().evaluate(widthOf)) > 0, { everyMs: 100 });
  const looks: string[] = [];
  const look = async (name: string) => {
    looks.push(...(await faultsInLooks(name, page, WIDTHS)));
    await page.setViewportSize({ width: 1280, height: 900 });
  };

  await t.test("a file that is no picture is refused; a picture becomes the logo", async () => {
    await page.goto(`${base}/design`);
    await page.getByRole("button", { name: "Choose or upload …" }).click();
    const upload = page.getByLabel("Upload one");
    const fake = { name: "fake.png", mimeType: "image/png", buffer: Buffer.from("<svg/>") };
    await upload.setInputFiles(fake);
    await page.getByText("fake.png is no picture: PNG, JPEG, GIF or WebP.").waitFor();
    await upload.setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: PNG });
    const logo = page.getByLabel("Logo", { exact: true });
    await eventually(async () => (await logo.inputValue()).startsWith(`${apiUrl}/images/`));
    await isLoaded(mailIn(page).locator("img"));
    await mailIn(page).getByRole("link", { name: "Unsubscribe" }).waitFor();
  });

  await t.test("the text below has languages; a frame of one's own is told its lack", async () => {
    await page.getByLabel("Text below every mail").fill("You get this for your books.");
    await page.getByText("Text below in other languages").click();
    await page.getByLabel("Add a language").selectOption("de");
    await page.getByLabel("Text in this language").fill("Sie bekommen das zu Ihren Büchern.");
    await page.getByText("Advanced: your own frame in MJML").click();
    const frame = page.getByLabel("MJML", { exact: true });
    await frame.fill(
      "<mjml><mj-body><mj-section><mj-column>{{ $content }}</mj-column></mj-section></mj-body></mjml>",
    );
    await page.locator("#warnings", { hasText: "no link to unsubscribe" }).waitFor();
    await frame.fill("");
    await page.locator("#warnings").waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Publish design" }).click();
    await page.getByText("Published. It is live everywhere").waitFor();
    assert.equal(
      await page.getByLabel("Text in German").inputValue(),
      "Sie bekommen das zu Ihren Büchern.",
    );
    await isLoaded(page.locator("#images img"));
    await look("design with images");
  });

  await t.test("the toolbar inserts the link in German, and an uploaded image", async () => {
    await page.goto(`${base}/templates/${id}?locale=de`);
    const links = mailIn(page).getByRole("link", { name: "Abmelden" });
    await mailIn(page).locator(".foot a", { hasText: "Abmelden" }).waitFor();
    await typeAtEnd(page, "\n\n");
    await page.getByRole("button", { name: "Link to unsubscribe" }).click();
    const text = "[Abmelden]({{ $unsubscribe_url }}) · [Einstellungen]({{ $preferences_url }})";
    await page.locator(".cm-content", { hasText: text }).waitFor();
    await mailIn(page).locator(".card a", { hasText: "Abmelden" }).waitFor();
    assert.equal(await links.count(), 1, "it takes the place of the one below");
    await replaceText(page, "Drei.\n\n");
    await page.getByRole("button", { name: "Image", exact: true }).click();
    await page.getByRole("button", { name: "logo.png" }).waitFor();
    await look("choosing an image");
    await page.getByRole("button", { name: "logo.png" }).click();
    await page.getByLabel("What it shows").fill("Ein Buch");
    await page.getByRole("button", { name: "Insert", exact: true }).click();
    await isLoaded(mailIn(page).getByRole("img", { name: "Ein Buch" }));
    await mailIn(page).locator(".foot a", { hasText: "Abmelden" }).waitFor();
    await waitUntilSaved(page);
    await page.getByRole("button", { name: "Publish …" }).click();
    await page.getByRole("button", { name: "Publish German" }).click();
    await page.getByText("Published. It is live everywhere").waitFor();
  });

  await t.test("the sandbox message has it all, and its link opens the reader's page", async () => {
    const client = createClient({ baseUrl: apiUrl, apiKey: tenant.apiKey });
    const payload = { userId: "ada", recipientEmail: "ada@example.com" };
    const subject = page.getByRole("link", { name: "Neue Bücher" });
    await client.trigger({ eventType: "offer.made", payload, variables: {}, locale: "de" });
    await eventually(
      async () => {
        await page.goto(`${base}/outbox`);
        return (await subject.count()) === 1;
      },
      { everyMs: 500 },
    );
    await subject.click();
    const sent = page.frameLocator("iframe.mail");
    await sent.getByText("Sie bekommen das zu Ihren Büchern.").waitFor();
    await isLoaded(sent.locator(".brand img"));
    await isLoaded(sent.getByRole("img", { name: "Ein Buch" }));
    await sent.getByRole("link", { name: "Einstellungen" }).waitFor();
    const href = (await sent.getByRole("link", { name: "Abmelden" }).getAttribute("href")) ?? "";
    assert.ok(href.startsWith(`${apiUrl}/unsubscribe/`), href);
    await page.goto(href);
    await page.getByRole("button", { name: "Unsubscribe" }).waitFor();
  });

  assert.deepEqual(looks, []);
  // The browser tells the answer to the file that was refused.
  assert.deepEqual(
    faults.filter((fault) => !/status of 422/.test(fault)),
    [],
  );
});
