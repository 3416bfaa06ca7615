import assert from "node:assert/strict";
import { storeBroadcast, storeTopic } from "@belfry/admin/test/store-broadcasts";
import { putTemplate } from "@belfry/administration/test/templates";
import { test, watchPage } from "../browser/open-page.ts";
import { faultsOf } from "./accessible-pages.ts";
import { startOperator } from "./signed-in.ts";

const PHONE = { width: 360, height: 740 };

test("on a phone a broadcast is composed with its preview, checked, scheduled in the reader's own time, and cancelled once asked", async (t) => {
  const { admin, id, base, context, page } = await startOperator(t, { timezoneId: "Asia/Tokyo" });
  const news = { tenantId: id, eventType: "product.news", sampleVariables: '{"title": "Sample"}' };
  await putTemplate(admin.db, {
    ...{ ...news, channel: "PUSH", title: "News: {{ title }}", content: "{{ body }}" },
  });
  const mail = { subject: "{{ title }}", content: "# {{ title }}\n\n{{ body }}" };
  await putTemplate(admin.db, { ...news, channel: "EMAIL", ...mail });
  await storeTopic(admin.pool, id, "product-news", ["ann", "bob"]);
  for (let n = 0; n < 55; n += 1) await storeTopic(admin.pool, id, `a-topic-${n}`, []);

  await page.setViewportSize(PHONE);
  await page.goto(`${base}/broadcasts`);
  await page.getByRole("link", { name: "New broadcast" }).click();
  await page.getByRole("link", { name: "product.news" }).click();
  await page.getByLabel("title", { exact: true }).fill("Dark mode");
  const title = page.locator("#preview-subject");
  await title.getByText("Dark mode").waitFor();
  await page.getByRole("button", { name: "Push" }).click();
  await page.locator("#preview-title").getByText("News: Dark mode").waitFor();
  assert.equal(await page.locator("mark.unfilled").first().textContent(), "body");
  await page.getByLabel("body", { exact: true }).fill("It is here.");
  await page.locator("#preview-body").getByText("It is here.").waitFor();

  await page.getByLabel("More topics").pressSequentially("a-topic-1, product");
  await page.locator('#found-topics option[value="a-topic-1, product-news"]').waitFor({
    state: "attached",
  });
  await page.getByLabel("More topics").fill("a-topic-1, product-news");
  const day = new Date(Date.now() + 3 * 24 * 60 * 60_000).toISOString().slice(0, 10);
  await page.getByLabel("Begin at (Asia/Tokyo)").fill(`${day}T10:30`);
  await page.getByRole("button", { name: "Check and send" }).click();
  await page.getByText("2 of 2 people get it").waitFor();
  await page.getByRole("button", { name: "Change" }).click();
  assert.equal(await page.getByLabel("Begin at").inputValue(), `${day}T10:30`);
  assert.equal(await page.getByLabel("body", { exact: true }).inputValue(), "It is here.");
  await page.getByRole("button", { name: "Check and send" }).click();
  await page.getByRole("button", { name: "Schedule broadcast" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Send product.news to about 2 people?").waitFor();
  await dialog.getByRole("button", { name: "Schedule" }).click();
  await page.getByText("Accepted. Its progress is shown here.").waitFor();
  const { rows } = await admin.pool.query("select send_at, topics, variables from broadcasts");
  assert.deepEqual(rows, [
    {
      send_at: new Date(`${day}T10:30:00+09:00`),
      topics: ["a-topic-1", "product-news"],
      variables: '{"title":"Dark mode","body":"It is here."}',
    },
  ]);

  await page.getByRole("button", { name: "Cancel broadcast" }).click();
  await dialog.getByRole("button", { name: "Keep it" }).click();
  await page.getByRole("button", { name: "Cancel broadcast" }).click();
  await dialog.getByRole("button", { name: "Cancel broadcast" }).click();
  await page.getByText("Cancelled. Nothing more of it is sent.").waitFor();

  const form = `${base}/broadcasts/new?eventType=product.news`;
  const visits = [
    {
      name: "faults",
      url: form,
      async act(at: typeof page) {
        await at.getByRole("button", { name: "Check and send" }).click();
        await at.getByText("must have either topics or userIds").waitFor();
      },
    },
    {
      name: "checked",
      url: form,
      async act(at: typeof page) {
        await at.getByLabel("Or users").fill(`ann\n${"long-user-id-".repeat(15)}`);
        await at.getByRole("button", { name: "Check and send" }).click();
        await at.getByText("Who gets it").waitFor();
      },
    },
  ];
  assert.deepEqual(await faultsOf(visits.map((visit) => ({ context, ...visit }))), []);
});

test("the page that checks a broadcast shows the mail as it looks, with its text part below, and alone without scripts", async (t) => {
  const { admin, id, base, context, page } = await startOperator(t);
  await putTemplate(admin.db, {
    tenantId: id,
    eventType: "product.news",
    channel: "EMAIL",
    format: "markdown",
    subject: "{{ title }}",
    content: "Read **{{ title }}**.",
    sampleVariables: '{"title": "Dark mode"}',
  });
  const storageState = await context.storageState();
  const plain = await context.browser()!.newContext({ javaScriptEnabled: false, storageState });
  const check = async (at: typeof page) => {
    await at.goto(`${base}/broadcasts/new?eventType=product.news`);
    await at.getByLabel("Or users").fill("ann");
    await at.getByRole("button", { name: "Check and send" }).click();
    await at.getByText("Nothing is sent yet.").waitFor();
    return at.getByRole("region", { name: "The text part of the mail" });
  };
  const { faults } = await watchPage(page);
  const text = await check(page);
  const shown = page.frameLocator("iframe").frameLocator("iframe");
  await shown.locator("strong", { hasText: "Dark mode" }).waitFor();
  assert.equal(await text.isVisible(), false);
  await page.getByText("Text part", { exact: true }).click();
  await text.getByText("Read Dark mode.").waitFor();
  assert.deepEqual(faults, [], "neither script nor policy complains");

  const withoutScripts = await plain.newPage();
  await (await check(withoutScripts)).getByText("Read Dark mode.").waitFor();
  assert.equal(await withoutScripts.locator("iframe").isVisible(), false);
});

test("a broadcast's page moves by itself; while it asks whether to cancel, the form that it asks about stays", async (t) => {
  const { admin, id, base, page } = await startOperator(t);
  const broadcast = await storeBroadcast(admin.pool, id, { users: ["ann"] });
  await page.setViewportSize(PHONE);
  await page.clock.install();
  await page.goto(`${base}/broadcasts/${broadcast}`);
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await admin.pool.query(
    `update broadcasts set state = 'paused', reason = '#no-provider', expanded = 640, counts = '{"accepted": 123}'`,
  );
  await page.getByText("640 of 1,000 people have their event").waitFor();
  await page.getByText("Paused because no active provider.").waitFor();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Pause" }).count(), 0);

  await page.getByRole("button", { name: "Cancel broadcast" }).click();
  await page.getByRole("dialog").waitFor();
  await admin.pool.query("update broadcasts set state = 'running', reason = null");
  const looks: string[] = [];
  page.on("request", (request) => looks.push(request.url()));
  await page.clock.runFor(10_000);
  assert.deepEqual(looks, [], "the page looks at itself meanwhile");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel broadcast" }).click();
  await page.getByText("Cancelled. Nothing more of it is sent.").waitFor();
  const { rows } = await admin.pool.query("select state from broadcasts");
  assert.deepEqual(rows, [{ state: "cancelling" }]);
});
