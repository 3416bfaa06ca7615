import assert from "node:assert/strict";
import { putTemplate } from "@belfry/administration/test/templates";
import { eventually } from "@belfry/testing/eventually";
import { test } from "../browser/open-page.ts";
import {
  mailIn,
  replaceText,
  startEditor,
  typeAtEnd,
  waitUntilSaved,
  writeAsText,
} from "./editor-page.ts";

test("the editor of a message", async (t) => {
  const { admin, tenantId, base, editor } = await startEditor(t);
  const open = await editor("Paula");
  const smsTemplate = async (eventType: string) => {
    const sms = { tenantId, eventType, channel: "SMS" } as const;
    const content = "Order {{ order }} is on its way.";
    return `${base}/templates/${(await putTemplate(admin.db, { ...sms, content })).id}`;
  };
  const draftOf = async (path: string) => {
    const drafts = admin.db.selectFrom("template_drafts").select("content");
    const id = path.slice(path.lastIndexOf("/") + 1);
    return (await drafts.where("template_id", "=", id).executeTakeFirst())?.content;
  };

  await t.test("what is typed is kept, whether the page is left at once or closed", async () => {
    const { page, faults } = await open();
    const path = await smsTemplate("order.kept");
    await page.goto(path);
    await page.getByText("This is the live version.").waitFor();
    await typeAtEnd(page, " One");
    await waitUntilSaved(page);
    assert.equal(await draftOf(path), "Order {{ order }} is on its way. One");
    // By a link, before the page has saved by itself: nobody is asked.
    await typeAtEnd(page, " Two");
    await page.getByRole("link", { name: "Templates", exact: true }).first().click();
    await page.waitForURL(`${base}/templates`);
    assert.equal(await draftOf(path), "Order {{ order }} is on its way. One Two");
    await page.goto(path);
    await page.locator(".cm-content", { hasText: "One Two" }).waitFor();
    await typeAtEnd(page, " Three");
    const { page: second } = await open();
    await page.close();
    await eventually(async () => (await draftOf(path))?.endsWith("Three") === true, {
      everyMs: 50,
    });
    await second.goto(path);
    await second.getByText("Draft, saved").waitFor();
    assert.deepEqual(faults, []);
  });

  await t.test("leaving asks only where saving failed; it is saved once it can be", async () => {
    const { page } = await open();
    await page.goto(await smsTemplate("order.left"));
    const asked: string[] = [];
    page.on("dialog", async (dialog) => {
      asked.push(dialog.type());
      await dialog.dismiss();
    });
    await page.route("**/draft", (route) => route.abort());
    await typeAtEnd(page, " Mine");
    await page.locator("#draft-state", { hasText: "Not saved: no connection" }).waitFor();
    await page.evaluate("location.reload()").catch(() => undefined);
    await eventually(() => asked.length > 0, { everyMs: 50 });
    assert.deepEqual(asked, ["beforeunload"]);
    await page.unroute("**/draft");
    await waitUntilSaved(page);
    await page.reload();
    await page.locator(".cm-content", { hasText: "Mine" }).waitFor();
    assert.equal(asked.length, 1);
  });

  await t.test("a preview that did not come is asked for again, without another edit", async () => {
    const { page } = await open();
    await page.goto(await smsTemplate("order.previewed"));
    let asked = 0;
    await page.route("**/templates/preview", async (route) => {
      asked += 1;
      if (asked === 1) await route.abort();
      else if (asked === 2) await route.fulfill({ status: 503 });
      else await route.continue();
    });
    await typeAtEnd(page, " Soon.");
    await page.locator("#preview-text", { hasText: "Soon." }).waitFor();
    assert.equal(asked, 3);
  });

  await t.test("of two people the second is told, sees both texts, loses nothing", async () => {
    const { page } = await open();
    const path = await smsTemplate("order.shared");
    const { page: carl } = await (await editor("Carl"))();
    await Promise.all([page.goto(path), carl.goto(path)]);
    await replaceText(carl, "Carl says {{ order }}.");
    await waitUntilSaved(carl);
    await replaceText(page, "Paula says {{ order }}.");
    await page
      .getByText("carl@books.example.com saved this draft while you were writing")
      .waitFor();
    await page.getByRole("button", { name: "Compare" }).click();
    await page.locator(".diff .removed", { hasText: "Carl says" }).waitFor();
    await page.locator(".diff .added", { hasText: "Paula says" }).waitFor();
    assert.equal(await draftOf(path), "Carl says {{ order }}.");
    await page.locator(".cm-content", { hasText: "Paula says" }).waitFor();
    await page.getByRole("button", { name: "Overwrite with mine" }).click();
    await page.getByText("Draft, saved").waitFor();
    assert.equal(await draftOf(path), "Paula says {{ order }}.");
  });

  await t.test("each value has an input; emptied it is marked, required it is said", async () => {
    const { page } = await open();
    await page.goto(`${base}/templates/new`);
    await page.getByRole("radio", { name: "Order on its way" }).click();
    await page.getByRole("button", { name: "Create draft" }).click();
    const mail = mailIn(page);
    await mail.locator("h1, td, div", { hasText: "A-1001" }).first().waitFor();
    const orderNumber = page.getByRole("textbox", { name: "orderNumber", exact: true });
    await orderNumber.fill("");
    await mail.locator("mark", { hasText: "orderNumber" }).first().waitFor();
    await orderNumber.fill("B-7");
    await mail.getByText("B-7").first().waitFor();
    await page.getByText("Advanced: as JSON").click();
    const json = page.getByRole("textbox", { name: "Sample values" });
    await json.fill(JSON.stringify({ ...JSON.parse(await json.inputValue()), voucher: "TEN" }));
    await writeAsText(page);
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.getByRole("button", { name: "voucher", exact: true }).click();
    await mail.getByText("TEN").waitFor();
    await page.getByRole("checkbox", { name: "required orderNumber" }).check();
    await waitUntilSaved(page);
    await page.getByRole("button", { name: "Publish …" }).click();
    await page.getByText("Required variables: orderNumber.").waitFor();
  });

  await t.test("an SMS shows its segments as one types, a push its link and buttons", async () => {
    const { page } = await open();
    await page.goto(`${base}/templates/new?eventType=order.texted`);
    await page.getByRole("checkbox", { name: "Email" }).uncheck();
    await page.getByRole("checkbox", { name: "SMS" }).check();
    await page.getByRole("checkbox", { name: "Push" }).check();
    await page.getByRole("button", { name: "Create draft" }).click();
    await replaceText(page, "x".repeat(161));
    await page.locator("#preview-note", { hasText: "161 characters, 2 segments, GSM-7" }).waitFor();
    await replaceText(page, "ж");
    await page.locator("#preview-note", { hasText: "1 character, 1 segment, UCS-2" }).waitFor();
    await page.getByRole("link", { name: "Push draft" }).click();
    await page.getByLabel("Title").fill("On its way");
    await replaceText(page, "Tomorrow");
    await page.getByLabel("Link to open").fill("/orders/7");
    await page.getByLabel("Label of button 1").fill("Track it");
    await page.getByLabel("Button 1 opens").fill("https://books.example.com/track");
    await page.locator("#preview-url", { hasText: "opens /orders/7" }).waitFor();
    await page.locator("#preview-actions", { hasText: "Track it" }).waitFor();
    await page.getByLabel("To the user with this id").fill("ada");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("Sent. It is in the inbox of ada, marked as a test.").waitFor();
  });

  await t.test("the toolbar is one stop of the keyboard, and writes what it says", async () => {
    const { page, faults } = await open();
    await page.goto(`${base}/templates/new?eventType=order.formatted`);
    await page.getByRole("button", { name: "Create draft" }).click();
    await writeAsText(page);
    await page.locator(".cm-content").click();
    const textIs = (expected: string) =>
      eventually(async () => (await page.locator("#content").inputValue()).trim() === expected, {
        everyMs: 50,
      });
    await page.keyboard.type("Hello ");
    await page.keyboard.press("Control+b");
    await page.keyboard.type("you");
    await textIs("Hello **you**");
    const bold = page.getByRole("button", { name: "Bold (Ctrl+B)" });
    assert.equal(await page.locator('#toolbar button[tabindex="0"]').count(), 1);
    await bold.focus();
    for (const _ of ["italic", "heading"]) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await textIs("## Hello **you**");
    await page.keyboard.press("Control+End");
    await page.getByRole("button", { name: "Insert a variable" }).click();
    await page.keyboard.type("name");
    await page.keyboard.press("Enter");
    await textIs("## Hello **you**{{ name }}");
    await page.getByRole("button", { name: "Repeat a part for each …" }).click();
    await page.getByRole("textbox", { name: "List" }).fill("items");
    await page.getByRole("button", { name: "Insert", exact: true }).click();
    await textIs(
      "## Hello **you**{{ name }}\n\n{% for item in items %}\n- {{ item.name }}\n{% endfor %}",
    );
    await page.getByRole("button", { name: "Add a row to items" }).waitFor();
    await page.keyboard.press("Control+End");
    await page.getByRole("button", { name: "Button", exact: true }).click();
    await page.getByLabel("Words on the button").fill("Look");
    await page.getByLabel("Address", { exact: true }).fill("https://example.com");
    await page.keyboard.press("Enter");
    await mailIn(page).getByRole("link", { name: "Look" }).waitFor();
    assert.deepEqual(faults, []);
  });
});
