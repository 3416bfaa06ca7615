import assert from "node:assert/strict";
import { test } from "node:test";
import { compiled, mailSource } from "../test/compiled.ts";
import { createRenderer } from "./render.ts";

const TURNS = 2_500;
const long = "a".repeat(20_000);
const list = Array.from({ length: TURNS }, () => 1);
const path = Array.from({ length: 100 }, () => "a").join(".");

/** Costly constructs, each with costly variables and with cheap ones. */
const DEAR: [construct: string, dear: Record<string, unknown>, cheap: Record<string, unknown>][] = [
  ["{% if s contains t %}{% endif %}", { s: long, t: "b" }, { s: "a", t: "b" }],
  ["{% if s contains t %}{% endif %}", { s: list, t: 2 }, { s: [1], t: 2 }],
  ["{% if s == t %}{% endif %}", { s: `${long}a`, t: `${long}b` }, { s: long, t: "b" }],
  ["{% if s == t %}{% endif %}", { s: list, t: [...list] }, { s: list, t: [1] }],
  ["{% if s < t %}{% endif %}", { s: long, t: long }, { s: "a", t: "b" }],
  ["{% if s == blank %}{% endif %}", { s: " ".repeat(20_000) }, { s: " " }],
  ['{{ s | join: "" }}', { s: list.map(() => "") }, { s: [""] }],
  ["{{ s | truncate: 2 | size }}", { s: long }, { s: "abc" }],
  ['{{ "abc" | truncate: 2, s | size }}', { s: long }, { s: "a" }],
  ["{{ s | upcase | size }}", { s: long }, { s: "a" }],
  ["{{ s | url_encode | size }}", { s: long }, { s: "a" }],
  [`{% if ${path} %}{% endif %}`, {}, { [path]: 1, a: 1, TURNS: 10 }],
  ["{{ s | date }}", { s: "2026-01-01" }, { TURNS: 10 }],
  ["{{ s | number }}", { s: 1 }, { TURNS: 10 }],
  ['{{ s | money: "EUR" }}', { s: 1 }, { TURNS: 10 }],
  ['{{ s | plural: other: "" }}', { s: 1 }, { TURNS: 10 }],
];

test("each construct takes the steps of what it reads and writes", async () => {
  for (const [construct, dear, { TURNS: turns = TURNS, ...cheap }] of DEAR) {
    const content = `a{% for turn in turns %}${construct}{% endfor %}`;
    const render = createRenderer(await compiled(mailSource(content, { format: "text" })));
    const ended = render({ ...dear, turns: list });
    assert.equal(!ended.ok && ended.reason, "too costly to render", construct);
    assert.ok(render({ ...cheap, turns: list.slice(0, turns as number) }).ok, construct);
  }
});
