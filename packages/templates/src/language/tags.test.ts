import assert from "node:assert/strict";
import { test } from "node:test";
import { scanTags } from "./tags.ts";

test("a tag's name is the trimmed text between the braces, with its place", () => {
  assert.deepEqual(scanTags("Hi {{ name }}, {{order-id}}{{a.b}}"), {
    tags: [
      { kind: "value", name: "name", code: "name", start: 3, end: 13 },
      { kind: "value", name: "order-id", code: "order-id", start: 15, end: 27 },
      { kind: "value", name: "a.b", code: "a.b", start: 27, end: 34 },
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

test("a value's name ends at its first filter, a block's at its word", () => {
  const text = `{{ first name | upcase | default: "a b" }}{%- if a > 1 -%}{% endif %}{{ "x|y" | size }}`;
  const tags = scanTags(text).tags.map(({ kind, name, code }) => [kind, name, code]);
  assert.deepEqual(tags, [
    ["value", "first name", 'first name | upcase | default: "a b"'],
    ["block", "if", "- if a > 1 -"],
    ["block", "endif", "endif"],
    ["value", "", '"x|y" | size'],
  ]);
});

test("a block's tag that is empty or unclosed is refused at its place", () => {
  assert.equal(scanTags("a {% %}").faults[0]?.offset, 4);
  assert.deepEqual(scanTags("a {% if x }}").faults, [
    { offset: 2, message: "this tag is not closed: %} is missing" },
  ]);
});

test("a - beside the braces of a value trims, and behind a blank it is of the name", () => {
  const found = (text: string) =>
    scanTags(text).tags.map(({ name, code, trims }) => [name, code, trims]);
  assert.deepEqual(found("{{- a -}}"), [["a", "a", "both"]]);
  assert.deepEqual(found("{{-a}} {{b-}}"), [
    ["a", "a", "before"],
    ["b", "b", "behind"],
  ]);
  assert.deepEqual(found('{{- a | upcase -}}{{-"x"-}}'), [
    ["a", "a | upcase", "both"],
    ["", '"x"', "both"],
  ]);
  assert.deepEqual(found("{{ -a- }}"), [["-a-", "-a-", undefined]]);
  assert.deepEqual(found("{{ a-b }}"), [["a-b", "a-b", undefined]]);
  for (const text of ["{{-}}", "{{--}}", "{{- -}}"]) {
    assert.match(scanTags(text).faults[0]?.message ?? "", /no name/, text);
  }
});
