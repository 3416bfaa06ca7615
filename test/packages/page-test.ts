import assert from "node:assert/strict";
import { readFile, realpath } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { listen } from "@belfry/testing/listen";
import { openBrowser, test, watchPage } from "../browser/open-page.ts";

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>
<link rel="icon" href="data:,">
<script type="importmap">{ "imports": { "centrifuge": "/centrifuge.js" } }</script>
<script type="module" src="/inbox/belfry-inbox.js"></script>
</head><body><belfry-inbox></belfry-inbox></body></html>`;

/** A page without a bundler, as in the package's README: `dist/esm` and an import map. */
export function pageTest(project: () => string): void {
  test("a page that serves the inbox as it is packed shows the bell", async (t) => {
    const inbox = await realpath(join(project(), "node_modules/@belfry/inbox"));
    const centrifuge = join(inbox, "../../centrifuge/build/index.mjs");
    const server = createServer(async (request, response) => {
      const path = request.url ?? "/";
      if (path === "/") return response.setHeader("content-type", "text/html").end(PAGE);
      const file = path.startsWith("/inbox/")
        ? join(inbox, "dist/esm", path.slice("/inbox/".length))
        : centrifuge;
      response.setHeader("content-type", "text/javascript").end(await readFile(file));
    });
    const port = await listen(t, server);

    const page = await (await openBrowser(t)).newPage();
    const { faults } = await watchPage(page);
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.locator("belfry-inbox").getByRole("button").first().waitFor();
    assert.deepEqual(faults, []);
  });
}
