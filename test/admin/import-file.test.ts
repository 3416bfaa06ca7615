import assert from "node:assert/strict";
import { actsIn } from "@belfry/administration/test/acts";
import { listImports } from "@belfry/administration/users/imports";
import { listTopics } from "@belfry/administration/users/topics";
import { workImports } from "@belfry/administration/users/work-imports";
import { openBrowser, test } from "../browser/open-page.ts";
import { startOperator } from "./signed-in.ts";

/** More than fits into two parts. */
const LINES = Array.from({ length: 12_000 }, (_, n) => `user-ä😀-${n}`);

test("a file of any size is uploaded part by part and imported, its page is live; without scripts lines go by the form", async (t) => {
  const { admin, id: tenantId, page, base, context } = await startOperator(t);
  const run = actsIn(admin.db, tenantId);
  const work = () =>
    workImports({ db: admin.db, rest: async () => undefined }, new AbortController().signal);
  const upload = async (buffer: Buffer) => {
    await page
      .getByLabel("CSV file")
      .setInputFiles({ name: "members.csv", mimeType: "text/csv", buffer });
    await page.getByRole("button", { name: "Import" }).click();
  };
  await page.goto(`${base}/imports?topic=news`);
  await upload(Buffer.from(`\ufeffuserId\r\n${LINES.join("\r\n")}`));
  await page.waitForURL(/\/imports\/[\w-]{36}$/);
  await page.getByText("0 of 12,000 lines.").waitFor();
  const [imported] = (await run(listImports, {})).items;
  assert.ok((imported?.parts ?? 0) > 2, `${imported?.parts} parts`);
  await work();
  // Without a reload.
  await page.getByText("12,000 of 12,000 lines.").waitFor();
  assert.equal((await run(listTopics, {})).items[0]?.members, LINES.length);

  await page.goto(`${base}/imports?topic=news`);
  const cut = Buffer.concat([Buffer.from(LINES.join("\n")), Buffer.from([0xff])]);
  await upload(cut);
  await page.getByText("The file must be UTF-8. Nothing is imported.").waitFor();
  await page.locator("#import-form button[type=submit]:enabled").waitFor();
  const states = (await run(listImports, {})).items.map(({ state }) => state);
  assert.deepEqual(
    states.filter((state) => state !== "done" && state !== "cancelled"),
    [],
  );
  await page.getByLabel("Import", { exact: true }).selectOption("users");
  await upload(Buffer.from("ann,ann@example.com\n"));
  await page.getByText("file must begin with a line that names the column userId").waitFor();
  await upload(Buffer.from("\ufeffuserId\tlocale\nann\tde\n", "utf16le"));
  await page.getByText("0 of 1 line.").waitFor();

  const plain = await (await openBrowser(t)).newContext({ javaScriptEnabled: false });
  await plain.addCookies(await context.cookies());
  const form = await plain.newPage();
  await form.goto(`${base}/imports`);
  assert.equal(await form.getByLabel("CSV file").isVisible(), false);
  await form.getByLabel("Lines").fill("userId,email\nann,ann@example.com");
  await form.getByRole("button", { name: "Import" }).click();
  await form.getByText("0 of 1 line.").waitFor();
});
