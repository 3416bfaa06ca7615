import assert from "node:assert/strict";
import { test } from "node:test";
import { mailSource } from "../../test/compiled.ts";
import { compileTemplate } from "../compile.ts";
import { withoutTagLines } from "../compile-email.ts";
import { markupWords } from "../language/tag-words.ts";
import { maskTags, type Tag } from "../language/tags.ts";
import { checkMjml } from "../mjml-source.ts";
import { judgeHtml } from "./html-slots.ts";
import { htmlText } from "./html-text.ts";
import { collapseGaps, markGaps } from "./text-part.ts";

/**
 * Six times as many tags as a template may have. Comparing each tag with each takes half a minute of CPU time, reading
 * them once half a second, so the two cannot be mistaken.
 */
const COUNT = 30_000;

function ends(work: () => unknown): void {
  const started = process.cpuUsage();
  work();
  // CPU time of this process alone.
  const { user, system } = process.cpuUsage(started);
  assert.ok(user + system < 5_000_000, "it is not linear");
}

/** The tags of a text that holds more of them than the scanner gives. */
function tagsOf(text: string): Tag[] {
  return Array.from(text.matchAll(/\{%(-?(\w+)[^%]*)%\}|\{\{(\w+)\}\}/g), (match) => {
    const [all, code = "", word = "", name] = match;
    const place = { start: match.index, end: match.index + all.length };
    return name === undefined
      ? { kind: "block", name: word, code, ...place }
      : { kind: "value", name, code: name, ...place };
  });
}

const sources = (count: number): Record<string, string> => ({
  "blocks one behind the other": "{%if a%}<p>{{x}}</p>{%endif%}".repeat(count),
  "elements that no block closes": "{%if a%}<b>{%endif%}".repeat(count),
  "elements that are closed elsewhere": `${"<b>".repeat(count)}{%if a%}${"</b>".repeat(count)}{%endif%}`,
  "elements in one block": `{%if a%}${"<b>".repeat(count)}{%else%}${"<i>".repeat(count)}{%endif%}`,
  branches: `{%if a%}${"<b>x</b>{%elsif b%}".repeat(count)}{%endif%}`,
  "blocks in blocks": "{%if a%}".repeat(count) + "{%endif%}".repeat(count),
  "blocks half in a comment": "{%if a%}<!--[if mso]>{%endif%}".repeat(count),
  "blocks half in an element": '{%if a%}<a title="{%endif%}">'.repeat(count),
  "blocks in SVG": `<svg>${"{%if a%}<title>a</title>{%endif%}".repeat(count)}`,
  "blocks in raw text": `<style>${"{%if a%}a{%endif%}".repeat(count)}`,
  "blocks in one attribute": `<p title="${"{%if a%}a{%endif%}".repeat(count)}">`,
  "blocks in an address": `<p href="${"{%if a%}a{%endif%}".repeat(count)}">`,
  "hyphens in a comment": `<!--[if mso]>${"-{%if a%}{%endif%}".repeat(count)}`,
  "trimmed blanks": `{%-if a-%}${" ".repeat(count)}{%-endif-%}${"\n".repeat(count)}`.repeat(20),
});

for (const [name, html] of Object.entries(sources(COUNT))) {
  test(`tags and elements are each looked at once: ${name}`, () => {
    const tags = tagsOf(html);
    ends(() => judgeHtml(html, tags));
    ends(() => checkMjml(`<mjml><mj-body>${html}</mj-body></mjml>`, tags));
    ends(() => assert.equal(maskTags(html, tags).length, html.length));
    ends(() => withoutTagLines(html, tags));
    ends(() => collapseGaps(markGaps(html, tags)));
    ends(() => {
      const words = markupWords(html, tags);
      assert.equal(words.indexesIn(words.content).length, tags.length);
    });
  });
}

test("blanks between blocks are joined in one reading", () => {
  const text = `a${"\n \n".repeat(COUNT)}{%if a%}${" ".repeat(COUNT)}{%endif%}${"\n".repeat(COUNT)}b`;
  ends(() => {
    const joined = collapseGaps(markGaps(text, tagsOf(text)).replace(/\{%\w+[^%]*%\}/g, ""));
    assert.match(joined, /^a\n+b$/);
  });
  ends(() => collapseGaps("\ufdd0\ufdd2".repeat(COUNT * 10)));
});

test("a text part is made of rows between blocks in one reading", () => {
  const word = "bf0123456789abz0x";
  ends(() => htmlText(`<table>${`${word}<!-- a --><tr><td>a</td></tr>`.repeat(5_000)}</table>`));
  ends(() => htmlText(`<ol>${`${word}<li>a</li>`.repeat(5_000)}</ol>`));
  ends(() => htmlText(`<table><tr>${"a<!-- a -->".repeat(50_000)}<td>a</td></tr></table>`));
});

test("a template of such tags is compiled, or answered with its faults", async () => {
  for (const [name, content] of Object.entries(sources(2_000))) {
    const mjml = `<mjml><mj-body><mj-section><mj-column><mj-text>${content}</mj-text></mj-column></mj-section></mj-body></mjml>`;
    for (const source of [`<p>a</p>${content}`, mjml]) {
      const result = await compileTemplate(mailSource(source), { owner: name });
      if (!result.ok) assert.ok(result.faults.length > 0 && result.faults.length <= 50, name);
    }
  }
});
