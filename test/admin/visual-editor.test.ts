import assert from "node:assert/strict";
import { putTemplate } from "@belfry/administration/test/templates";
import { STARTERS } from "@belfry/templates/starters";
import { eventually } from "@belfry/testing/eventually";
import { test } from "../browser/open-page.ts";
import { faultsInLooks } from "./accessible-pages.ts";
import {
  mailIn,
  replaceText,
  startEditor,
  waitForCaret,
  waitUntilSaved,
  writeAsText,
} from "./editor-page.ts";

test("the visual editor of a simple mail", async (t) => {
  const { admin, tenantId, base, editor } = await startEditor(t);
  const open = await editor("Paula");

  await t.test("a welcome mail goes from a starter to live without a brace", async () => {
    const { page, faults } = await open();
    await page.goto(`${base}/templates/new`);
    await page.getByRole("radio", { name: "Welcome", exact: true }).click();
    await page.getByRole("button", { name: "Create draft" }).click();
    const mail = mailIn(page);
    await mail.getByRole("link", { name: "Get started" }).waitFor();
    const content = page.getByRole("textbox", { name: "Content" });
    await content.getByText("If you get stuck").click();
    await waitForCaret(page);
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.keyboard.type("See you, /");
    await page.getByRole("option", { name: "name", exact: true }).waitFor();
    await page.keyboard.type("name");
    await page.keyboard.press("Enter");
    await page.keyboard.type("!");
    await mail.getByText("See you, Ada!").waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.type("/but");
    await page.keyboard.press("Enter");
    await page.getByLabel("Words on the button").fill("Our guide");
    await page.getByLabel("Address", { exact: true }).fill("javascript:alert(1)");
    await page.keyboard.press("Enter");
    await page.locator("#ask-fault", { hasText: "a link leads to https://" }).waitFor();
    await page.getByLabel("Address", { exact: true }).fill("startUrl");
    await page.keyboard.press("Enter");
    await mail.getByRole("link", { name: "Our guide" }).waitFor();
    await page.getByRole("textbox", { name: "Subject" }).focus();
    await waitForCaret(page);
    await page.keyboard.press("End");
    await page.keyboard.type(" to us, /name");
    await page.keyboard.press("Enter");
    await page.locator("#preview-subject", { hasText: "Welcome, Ada to us, Ada" }).waitFor();
    await waitUntilSaved(page);
    const braces = page.locator("main").getByText(/[{}]/).filter({ visible: true });
    assert.equal(await braces.count(), 0);
    await page.getByRole("button", { name: "Publish …" }).click();
    await page.getByText("Show the text").click();
    await page.getByText("If you get stuck").waitFor();
    assert.equal(await braces.count(), 0);
    await page.getByRole("button", { name: /^Publish/ }).click();
    await page.getByText("Published. It is live").waitFor();
    assert.deepEqual(faults, []);
  });

  const mail = async (eventType: string, content: string) => {
    const own = {
      tenantId,
      eventType,
      channel: "EMAIL",
      subject: "S",
      format: "markdown",
    } as const;
    const { id } = await putTemplate(admin.db, { ...own, content });
    const { page, faults } = await open();
    await page.goto(`${base}/templates/${id}`);
    await page.locator("#preview-subject", { hasText: "S" }).waitFor();
    const textIs = (expected: string) =>
      eventually(async () => (await page.locator("#content").inputValue()) === expected, {
        everyMs: 50,
      });
    return { page, faults, textIs, content: page.getByRole("textbox", { name: "Content" }) };
  };

  await t.test("blocks move by keyboard and by drag, into boxes and out", async () => {
    const { page, faults, textIs, content } = await mail(
      "order.moved",
      "One\n\n{% if a %}\nTwo\n{% endif %}\n\n- x\n- y\n",
    );
    await content.getByText("One").click();
    await waitForCaret(page);
    await page.keyboard.press("Alt+ArrowDown");
    const within = "{% if a %}\nOne\n\nTwo\n{% endif %}\n\n- x\n- y\n";
    await textIs(within);
    await page.keyboard.press("Alt+ArrowUp");
    await textIs("One\n\n{% if a %}\nTwo\n{% endif %}\n\n- x\n- y\n");
    await page.keyboard.press("Control+z");
    await textIs(within);
    await content.getByText("y", { exact: true }).click();
    await page.getByRole("button", { name: "Move up (Alt+↑)" }).click();
    await textIs(within.replace("- x\n- y", "- y\n- x"));
    await content.getByText("Two").hover();
    const box = await content.getByText("x", { exact: true }).boundingBox();
    await page.locator(".visual-handle").hover();
    await page.mouse.down();
    await page.mouse.move(box!.x + 20, box!.y + box!.height + 14, { steps: 8 });
    await page.mouse.up();
    await textIs("{% if a %}\nOne\n{% endif %}\n\n- y\n- x\n\nTwo\n");
    assert.deepEqual(faults, []);
  });

  await t.test("a condition and a loop are boxes, and are changed there", async () => {
    const { page, faults, textIs, content } = await mail("order.boxed", "One\n\nTwo\n");
    const answer = async () => {
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await waitForCaret(page);
    };
    await content.getByText("Two").click();
    await page.getByRole("button", { name: "Show a part only if …" }).click();
    await page.getByLabel("Variable", { exact: true }).fill("na+me");
    await page.keyboard.press("Enter");
    await page.locator("#ask-fault", { hasText: "is not allowed" }).waitFor();
    await page.getByLabel("Variable", { exact: true }).fill("name");
    await answer();
    await page.keyboard.type("Hello");
    await textIs("One\n\nTwo\n\n{% if name %}\nHello\n{% endif %}\n");
    await page.getByRole("button", { name: "Add what is shown otherwise" }).click();
    await page.keyboard.type("Bye");
    await page.getByRole("button", { name: "Change: If name" }).click();
    await page.getByLabel("Condition").fill("name == nil");
    await answer();
    await textIs("One\n\nTwo\n\n{% if name == nil %}\nHello\n{% else %}\nBye\n{% endif %}\n");
    await content.getByText("One").click();
    await waitForCaret(page);
    await page.keyboard.press("End");
    await page.keyboard.type(" /for");
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "List" }).fill("items");
    await answer();
    await textIs(
      "One \n\n{% for item in items %}\n- {{ item.name }}\n{% endfor %}\n\nTwo\n\n{% if name == nil %}\nHello\n{% else %}\nBye\n{% endif %}\n",
    );
    await page.getByRole("group", { name: "For each item in items" }).waitFor();
    await page.keyboard.type(" /");
    await page.getByRole("listbox", { name: "Insert" }).waitFor();
    assert.deepEqual(await faultsInLooks("visual editor", page, [320, 1280]), []);
    assert.deepEqual(faults, []);
  });

  await t.test("a fault is named at its place, and the preview says it is old", async () => {
    const { page, content } = await mail("order.faulty", "One\n\nTwo\n");
    const list = page.locator("#faults li");
    const told = page.getByText("This preview shows your last text without an error.");
    await content.getByText("Two").click();
    await waitForCaret(page);
    await page.keyboard.press("End");
    await page.keyboard.type(" {{ na+me }}");
    await told.waitFor();
    const fault = page.locator(".visual-fault", { hasText: "is not allowed in a tag" });
    await fault.waitFor();
    assert.doesNotMatch((await list.textContent()) ?? "", /line/);
    await list.getByRole("button", { name: "Show" }).click();
    await page.keyboard.press("Control+z");
    await told.waitFor({ state: "hidden" });
    await fault.waitFor({ state: "detached" });
    // As text it has numbered lines.
    await replaceText(page, "One\n\n{{ na+me }}");
    await told.waitFor();
    await page.locator(".cm-fault", { hasText: "is not allowed in a tag" }).waitFor();
    await page.locator(".cm-lineNumbers .cm-gutterElement", { hasText: /^3$/ }).waitFor();
    assert.match((await list.textContent()) ?? "", /^Content, line 3: /);
  });

  await t.test(
    "what is pasted keeps its marks and lists, and a line names what is left out",
    async () => {
      const { page, faults, textIs, content } = await mail("order.pasted", "One\n");
      /** Sends a clipboard event to an editor, with HTML or without; returns the HTML that the editor writes. */
      const clipboard = (type: "copy" | "paste", html: string, label = "Content") =>
        page.evaluate(`(() => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/html", ${JSON.stringify(html)});
          const options = { clipboardData, bubbles: true, cancelable: true };
          const editor = document.querySelector('.ProseMirror[aria-label="${label}"]');
          editor.dispatchEvent(new ClipboardEvent("${type}", options));
          return clipboardData.getData("text/html");
        })()`) as Promise<string>;
      const paste = (html: string, label?: string) => clipboard("paste", html, label);
      await content.getByText("One").click();
      await waitForCaret(page);
      await page.keyboard.press("End");
      await page.keyboard.press("Enter");
      await paste(
        `<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><p><span style="font-weight:700">Bold {{ name }}</span> <img src="https://example.com/a.png"></p><ol start="3"><li><p>Three</p></li><li><p>Four <a href="https://example.com/b">b</a></p></li></ol><table><tr><td>A</td><td>B</td></tr><tr><td>1</td><td>2</td></tr></table></b><script>document.title = "taken"</script>`,
      );
      const pasted =
        "One\n\n**Bold {{ name }}**\n\n3. Three\n4. Four [b](https://example.com/b)\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n";
      await textIs(pasted);
      await content.getByRole("cell", { name: "2" }).waitFor();
      const told = page.locator("#visual-pasted");
      await told.getByText("Images").waitFor();
      assert.equal(await told.getByText("Fonts").isVisible(), false);
      assert.notEqual(await page.title(), "taken");
      // A copy of the editor's own list keeps its number and its link.
      await content.getByText("Four").click();
      await waitForCaret(page);
      await page.keyboard.press("Control+a");
      const copied = await clipboard("copy", "");
      await page.keyboard.press("Delete");
      await paste(copied);
      await textIs(pasted);
      await told.waitFor({ state: "hidden" });
      // Marks go on through a variable.
      await page.keyboard.press("Control+a");
      await page.keyboard.press("Delete");
      await page.keyboard.press("Control+b");
      await page.keyboard.type("{{ name }}: dear /");
      await page.getByRole("option", { name: "name", exact: true }).waitFor();
      await page.keyboard.type("name");
      await page.keyboard.press("Enter");
      await page.keyboard.type(" and {{ other }}, yours");
      await eventually(
        async () =>
          (await page.locator("#content").inputValue()).trim() ===
          "**{{ name }}: dear {{ name }} and {{ other }}, yours**",
        { everyMs: 50 },
      );
      const subject = page.getByRole("textbox", { name: "Subject" });
      await subject.click();
      await waitForCaret(page);
      await page.keyboard.press("End");
      await paste("<p>Your <b>order</b></p><p>{{ number }}</p><style>p{}</style>", "Subject");
      await eventually(
        async () =>
          (await page.locator("input[name=subject]").inputValue()) === "SYour order {{ number }}",
        { everyMs: 50 },
      );
      // The browser reports the styles of pasted HTML, which the policy keeps from being applied.
      assert.deepEqual(
        faults.filter((fault) => !fault.startsWith("Applying inline style violates")),
        [],
      );
    },
  );

  await t.test("the editor of an Arabic text runs from right to left, as text too", async () => {
    const { page } = await mail("order.arabic", "One\n");
    const directionOf = (locator: string) =>
      page
        .locator(locator)
        .evaluate(
          (element) => element.ownerDocument.defaultView?.getComputedStyle(element).direction,
        );
    assert.equal(await directionOf(".visual:not(.line) .ProseMirror"), "ltr");
    await page.goto(`${page.url()}?locale=ar`);
    await page.locator(".visual:not(.line) .ProseMirror", { hasText: "One" }).waitFor();
    for (const editor of [".visual:not(.line) .ProseMirror", ".visual.line .ProseMirror"]) {
      assert.equal(await directionOf(editor), "rtl", editor);
    }
    await writeAsText(page);
    for (const editor of [".cm-content", "input[name=subject]", "#content"]) {
      assert.equal(await directionOf(editor), "rtl", editor);
    }
  });

  await t.test("what it would change is shown as text, with the reason", async () => {
    const { page, textIs } = await mail("order.old", "One\n\n_Two_\n");
    await page.getByText("line 3 has the sign _, which marks no words here").waitFor();
    await page.locator(".cm-content").waitFor();
    await textIs("One\n\n_Two_\n");
    await replaceText(page, "One *Two*");
    await page.getByRole("button", { name: "Visual" }).click();
    await page.locator(".ProseMirror em", { hasText: "Two" }).waitFor();
  });

  await t.test("a receipt with its table fits a phone", async () => {
    const receipt = STARTERS.find(({ key }) => key === "receipt")?.email.content ?? "";
    const { page, content } = await mail("order.receipt", receipt);
    await content.getByRole("cell", { name: "For each item in items" }).waitFor();
    assert.deepEqual(await faultsInLooks("receipt", page, [320, 1280]), []);
  });

  await t.test("as text, what may stand in a tag is offered", async () => {
    const { page, textIs } = await mail("order.typed", "Order {{ orderNumber }}\n");
    await writeAsText(page);
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("{{ord");
    await page.getByRole("option", { name: "orderNumber" }).click();
    await textIs("Order {{ orderNumber }}\n{{ orderNumber }}");
  });

  await t.test("a new translation says what it begins with", async () => {
    const { page } = await mail("order.translated", "One\n");
    await page.goto(`${page.url()}?locale=de`);
    await page.locator(".ProseMirror", { hasText: "One" }).waitFor();
    await page
      .locator("#draft-state", { hasText: "This is a copy of the default text." })
      .waitFor();
  });
}, 600_000);
