import assert from "node:assert/strict";
import { contrast, READABLE } from "@belfry/templates/colors";
import { compileTemplate } from "@belfry/templates/compile";
import { createRenderer } from "@belfry/templates/render";
import type { Layout } from "@belfry/templates/source";
import { STARTERS } from "@belfry/templates/starters";
import { openBrowser, test } from "./open-page.ts";

const LAYOUTS: Layout[] = [
  {
    content: null,
    brandName: "Northwind",
    footerText: "[Settings](https://example.com)",
    address: "1 Road",
  },
  {
    content: null,
    brandName: "N",
    primaryColor: "#f0d000",
    backgroundColor: "#10203a",
    address: "1 Road",
  },
];

interface Words {
  text: string;
  color: string;
  behind: string;
}

/** The words of a page as they are drawn: their colour and that of what is behind them. */
const WORDS = `(() => {
  const hex = (color) => {
    const parts = color.match(/\\d+/g).slice(0, 3);
    return "#" + parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("");
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const element = walker.currentNode.parentElement;
    if (text === "" || !element.checkVisibility()) continue;
    let behind = element;
    while (/^rgba.*, 0\\)$/.test(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
    const { color } = getComputedStyle(element);
    found.push({ text, color: hex(color), behind: hex(getComputedStyle(behind).backgroundColor) });
  }
  return found;
})()`;

test("each starter's mail is readable on a desktop and a phone, light and dark, and loads nothing", async (t) => {
  const browser = await openBrowser(t);
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await browser.newPage({ colorScheme });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    for (const layout of LAYOUTS) {
      for (const { key, email, sampleVariables } of STARTERS) {
        const source = { kind: "email", ...email, format: "markdown", layout } as const;
        const made = await compileTemplate(source, { owner: "acme" });
        assert.ok(made.ok, key);
        const mail = createRenderer(made.compiled)({ ...sampleVariables });
        assert.ok(mail.ok && mail.kind === "email", key);
        for (const width of [375, 700]) {
          await page.setViewportSize({ width, height: 800 });
          await page.setContent(mail.html);
          const where = `${key}, ${width} px, ${colorScheme}`;
          assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width, where);
          const words = (await page.evaluate(WORDS)) as Words[];
          assert.ok(words.length > 5, where);
          for (const { text, color, behind } of words) {
            const found = contrast(color, behind);
            assert.ok(found >= READABLE, `${where}: ${text} has ${color} on ${behind}: ${found}`);
          }
        }
      }
    }
    assert.deepEqual(asked, []);
  }
});
