import assert from "node:assert/strict";
import { readTemplate } from "@belfry/administration/templates/templates";
import { assertEach } from "@belfry/testing/assert-each";
import type { Locator } from "playwright-core";
import { test } from "../browser/open-page.ts";
import { countEffort, seenOn } from "./count-effort.ts";
import {
  mailIn,
  replaceText,
  startEditor,
  typeAtEnd,
  waitUntilSaved,
  writeAsText,
} from "./editor-page.ts";

const MOST_CLICKS = 15;

const GERMAN = `# Vielen Dank, {{ name }}

Ihre Zahlung für die Bestellung **{{ orderNumber }}** ist da.

| Artikel | Menge | Betrag |
| --- | ---: | ---: |
{% for item in items %}
| {{ item.name }} | {{ item.quantity | number }} | {{ item.amount | money: currency }} |
{% endfor %}
| **Summe** | | **{{ total | money: currency }}** |

[Beleg ansehen]({{ receiptUrl }})
`;

test("who knows no MJML makes a receipt with line items in two languages, sends it to herself and publishes it, in fifteen clicks", async (t) => {
  const { admin, tenantId, base, editor } = await startEditor(t);
  const { page, context, faults } = await (await editor("Paula"))();
  const effort = await countEffort(context);
  const type = async (field: Locator, text: string) => {
    await field.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(text);
  };
  await page.goto(`${base}/templates`);

  await page.getByRole("link", { name: "New message" }).click();
  // Seen before it is chosen.
  const picture = page.frameLocator('iframe[title="Receipt"]');
  await picture.getByText("Enamel mug").first().waitFor({ state: "attached" });
  await page.getByRole("radio", { name: "Receipt" }).click();
  assert.equal(await page.getByLabel("Event type").inputValue(), "order.paid");
  await page.getByRole("button", { name: "Create draft" }).click();

  const mail = mailIn(page);
  await mail.getByText("Thank you, Ada").waitFor();
  await typeAtEnd(page, "\n\nSee you soon at **Northwind**.");
  await mail.locator("strong", { hasText: "Northwind" }).waitFor();
  await page.getByRole("button", { name: "Add a row to items" }).click();
  for (const value of ["Paper lamp", "2", "39"]) {
    await page.keyboard.insertText(value);
    await page.keyboard.press("Tab");
  }
  await mail.getByText("€39.00").waitFor();
  await waitUntilSaved(page);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.locator("#test-answer", { hasText: "Sent." }).waitFor();

  await page.getByText("+ Add a language").click();
  // A list that opens, and a line of it.
  await page.getByLabel("Language", { exact: true }).selectOption({ label: "German" });
  effort.clicks += 2;
  await page.getByRole("button", { name: "Add", exact: true }).click();
  // The visual editor hides the field for the subject as soon as its script is there.
  await writeAsText(page);
  await type(
    page.getByRole("textbox", { name: "Subject" }),
    "Ihr Beleg zur Bestellung {{ orderNumber }}",
  );
  await replaceText(page, GERMAN);
  await mail.getByText("39,00\u00a0€").waitFor();
  await waitUntilSaved(page);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.locator("#test-answer", { hasText: "Sent." }).waitFor();

  await page.getByRole("button", { name: "Publish …" }).click();
  await page.getByText("No event of this type came in the last 24 hours.").waitFor();
  await page.getByRole("button", { name: "Publish 2 languages" }).click();
  await page.getByText("Published. It is live").waitFor();

  const { clicks, fields } = effort;
  t.diagnostic(`${clicks} clicks, ${fields.size} fields typed`);
  assert.ok(clicks <= MOST_CLICKS, `${clicks} clicks`);
  const address = { tenantId, eventType: "order.paid", channel: "EMAIL" } as const;
  const { version, format, locales, hasDraft } = await readTemplate(admin.db, address);
  assert.deepEqual([version, format, hasDraft], [1, "markdown", false]);
  assert.deepEqual(locales, [{ locale: "de", version: 2, outdated: false, draft: false }]);
  const sent = await admin.db
    .selectFrom("outbox")
    .select(["recipient", "subject", "html"])
    .orderBy("created_at")
    .execute();
  assertEach(sent, (one) => [one.recipient, one.subject], [
    ["paula@books.example.com", "Your receipt for order A-1001"],
    ["paula@books.example.com", "Ihr Beleg zur Bestellung A-1001"],
  ]);
  for (const { html } of sent) assert.match(html ?? "", /Enamel mug.*Linen tea towel.*Paper lamp/s);
  assert.deepEqual(faults, []);
});

test("a welcome mail goes from a starter to live in six clicks, one of them to change a sentence, and nobody sees a brace", async (t) => {
  const { admin, tenantId, base, editor } = await startEditor(t);
  const { page, context, faults } = await (await editor("Paula"))();
  const effort = await countEffort(context);
  const begun = performance.now();
  const noBrace = async () => {
    const lines = (await seenOn(page)).split("\n");
    assert.deepEqual(
      lines.filter((line) => /[{}]/.test(line)),
      [],
      page.url(),
    );
  };
  await page.goto(`${base}/templates`);
  await page.getByRole("link", { name: "New message" }).click();
  await page.getByRole("radio", { name: "Welcome" }).click();
  await noBrace();
  await page.getByRole("button", { name: "Create draft" }).click();
  const visual = page.locator(".ProseMirror").last();
  await mailIn(page).getByText("Welcome, Ada").last().waitFor();
  await visual.getByText("If you get stuck").click();
  await page.keyboard.press("End");
  await page.keyboard.insertText(" Every day.");
  await mailIn(page).getByText("Every day.").waitFor();
  await waitUntilSaved(page);
  await noBrace();
  await page.getByRole("button", { name: "Publish …" }).click();
  await page.getByRole("button", { name: /^Publish [^…]/ }).waitFor();
  await noBrace();
  await page.getByRole("button", { name: /^Publish [^…]/ }).click();
  await page.getByText("Published. It is live").waitFor();
  await noBrace();

  const { clicks, fields } = effort;
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  t.diagnostic(`${clicks} clicks, ${fields.size} fields typed, ${seconds} s`);
  assert.ok(clicks <= 6, `${clicks} clicks`);
  const address = { tenantId, eventType: "user.welcome", channel: "EMAIL" } as const;
  const { version, active, content } = await readTemplate(admin.db, address);
  assert.deepEqual([version, active], [1, true]);
  assert.match(content, /happy to help\. Every day\.$/m);
  assert.deepEqual(faults, []);
});
