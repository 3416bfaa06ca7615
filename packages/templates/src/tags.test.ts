import assert from "node:assert/strict";
import { test } from "node:test";
import { scanTags } from "./tags.ts";

test("a tag's name is the trimmed text between the braces, with its place", () => {
  assert.deepEqual(scanTags("Hi {{ name }}, {{order-id}}{{a.b}}"), {
    tags: [
      { name: "name", start: 3, end: 13 },
      { name: "order-id", start: 15, end: 27 },
      { name: "a.b", start: 27, end: 34 },
    ],
    faults: [],
  });
});

test("letters of any script, digits, _ - . $ : and single spaces are names", () => {
  for (const name of [
    "имя",
    "नाम",
    "名前",
    "e\u0301",
    "a_1",
    "$x",
    "ns:key",
    "first name",
    "a.0.b",
  ]) {
    const { tags, faults } = scanTags(`{{${name}}}`);
    assert.deepEqual([tags[0]?.name, faults], [name, []], name);
  }
});

test("anything else between the braces is refused at its place", () => {
  for (const [inner, offset] of [
    ["a b  c", 6],
    ["a+b", 3],
    ["<%= x %>", 2],
    ["#if x", 2],
    ["> partial", 2],
    ["a|raw", 3],
    ["a()", 3],
    ["a['b']", 3],
    ["a\nb", 3],
    ["&nbsp;a", 2],
    ["{a}", 2],
    ["😀", 2],
    ["a\u0000", 3],
    ["", 2],
    ["  ", 2],
  ] as const) {
    const { tags, faults } = scanTags(`{{${inner}}}`);
    assert.equal(tags.length, 0, inner);
    assert.equal(faults[0]?.offset, offset, JSON.stringify(inner));
  }
});

test("a control character is named by its code", () => {
  assert.match(scanTags("{{a\u0007}}").faults[0]?.message ?? "", /^U\+0007 is not allowed/);
});

test("an unclosed tag is refused where it begins", () => {
  assert.deepEqual(scanTags("ab {{ name }").faults, [
    { offset: 3, message: "this tag is not closed: }} is missing" },
  ]);
});

test("single braces and closing braces are text", () => {
  assert.deepEqual(scanTags("{ a } }} { {x} .a{b:c}}"), { tags: [], faults: [] });
});
