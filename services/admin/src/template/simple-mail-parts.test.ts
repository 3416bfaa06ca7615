import assert from "node:assert/strict";
import { test } from "node:test";
import { simpleMailParts } from "./simple-mail-parts.ts";

const shown = (text: string) =>
  simpleMailParts(text).map(({ text: words, look }) =>
    look === "" ? `${words}` : [`${words}`, look],
  );

test("a simple mail's text is shown without signs and braces, and each of them as a look", () => {
  const cases: [string, unknown[]][] = [
    ["## Your order", [["Your order", "level-2"]]],
    [
      "# Thank you, {{ name }}\nHi",
      [["Thank you, ", "level-1"], ["name", "level-1 visual-tag"], "\n", "Hi"],
    ],
    ["a **b *c*** d", ["a ", ["b ", "strong"], ["c", "strong em"], " d"]],
    ["~~old~~ 2 * 3 * 4", [["old", "struck"], " 2 * 3 * 4"]],
    ["- one\n  - two", ["• ", "one", "\n", "  • ", "two"]],
    ["{% if order.paid %}", [["If order.paid", "visual-tag logic"]]],
    [
      "{% else %}{%- endfor -%}",
      [
        ["Otherwise", "visual-tag logic"],
        ["End", "visual-tag logic"],
      ],
    ],
    ["[See it]({{ url }})", ["See it", [" → url", "leads"]]],
    ['![A mug](https://a.example/m.png "200")', ["A mug", [" → https://a.example/m.png", "leads"]]],
    ["\\*plain\\* [no link] #no heading", ["*", "plain", "*", " [no link] #no heading"]],
    ['{{ total | money: "EUR" }}', [['total | money: "EUR"', "visual-tag"]]],
    ["**open\n\nnext", [["open", "strong"], "\n", "\n", "next"]],
  ];
  for (const [text, parts] of cases) assert.deepEqual(shown(text), parts, text);
});

test("no text of a tenant makes the split slow", () => {
  const size = 100_000;
  for (const piece of ["[", "](", "{{", "{% a ", "*", "**a", "](a", "[a](", "# ", "\\", "~~"]) {
    const text = piece.repeat(size / piece.length);
    const startedAt = process.cpuUsage();
    simpleMailParts(text);
    const { user, system } = process.cpuUsage(startedAt);
    assert.ok(user + system < 20_000_000, `${piece}: ${user + system} µs`);
  }
});
