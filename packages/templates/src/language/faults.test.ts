import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf, mailSource } from "../../test/compiled.ts";
import { compileTemplate } from "../compile.ts";
import type { TemplateFault } from "../source.ts";
import { UNSUPPORTED_FILTERS, UNSUPPORTED_TAGS } from "./unsupported.ts";

async function faults(content: string): Promise<TemplateFault[]> {
  const result = await compileTemplate({ kind: "text", content }, { owner: "acme" });
  return result.ok ? [] : result.faults;
}

async function firstFault(content: string): Promise<string> {
  const [fault] = await faults(content);
  return fault === undefined ? "none" : `${fault.line}:${fault.column} ${fault.message}`;
}

test("every tag and filter of Liquid that is not there is named, with what to write instead", async () => {
  for (const [word, instead] of Object.entries(UNSUPPORTED_TAGS)) {
    assert.equal(
      await firstFault(`a\n{% ${word} x %}`),
      `2:1 {% ${word} %} is not supported: ${instead}`,
    );
  }
  for (const [name, instead] of Object.entries(UNSUPPORTED_FILTERS)) {
    const message = `there is no filter ${name}: ${instead}`;
    assert.equal(await firstFault(`a\n {{ x | ${name}: 1 }}`), `2:9 ${message}`);
  }
});

test("names that every object of JavaScript has are no tags, filters, signs or forms", async () => {
  for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"]) {
    assert.match(await firstFault(`{% ${name} %}`), /is not supported: there are if, elsif, else/);
    assert.match(
      await firstFault(`{{ x | ${name} }}`),
      /there is no filter \S+: there are default,/,
    );
    assert.match(
      await firstFault(`{% if x ${name} y %}{% endif %}`),
      /stands where .* is expected$/,
    );
    assert.match(
      await firstFault(`{{ x | plural: ${name}: "a", other: "b" }}`),
      /plural: it takes no/,
    );
    assert.equal(
      await firstFault(`{% if x.${name} == "a" %}{% endif %}{{ ${name} | size }}`),
      "none",
    );
  }
});

test("a fault stands at its place and says what to do", async () => {
  for (const [content, fault] of [
    ["{% if a = b %}{% endif %}", /^1:9 "=" stands .*: write == to compare$/],
    ["{% if a &gt; 1 %}{% endif %}", /^1:9 .* write > itself/],
    ["{% if a | size > 1 %}{% endif %}", /^1:9 .* filters stand only where a value is written/],
    ["{% if (a) %}{% endif %}", /^1:7 .* one \{% if %\} in another instead of brackets/],
    ["{% if not a %}{% endif %}", /^1:7 .* write \{% unless/],
    ["{% if a == “b” %}{% endif %}", /^1:12 “ begins no text: write straight quotes/],
    ["{% if %}{% endif %}", /^1:6 a name, a number or a text in quotes is expected/],
    ["{% if first name %}{% endif %}", /^1:13 "name" stands where and, or/],
    ["{% if a[0] %}{% endif %}", /^1:8 write a dot and the name/],
    ["{% if a.. %}{% endif %}", /^1:7 a name is missing at a dot/],
    ["{% for x in (1..5) %}{% endfor %}", /^1:13 ranges are not supported: send a list/],
    ["{% for x of a %}{% endfor %}", /^1:8 write a loop as \{% for item in list %\}/],
    ["{% for x.y in a %}{% endfor %}", /^1:8 write a loop as .* one word/],
    ["{% for forloop in a %}{% endfor %}", /^1:8 forloop cannot be the name/],
    ["{% for x in a reversed %}{% endfor %}", /^1:15 reversed is not supported/],
    ["{% for x in a limit: 'b' %}{% endfor %}", /^1:22 a limit must be a number/],
    ["{% for x in 'a' %}{% endfor %}", /^1:13 a loop runs over a variable/],
    ["{% for x in a %}{{ forloop.length }}{% endfor %}", /^1:20 of forloop there are/],
    ["{% if a %}b", /^1:1 \{% if %\} has no \{% endif %\}/],
    [
      "{% if a %}{% for x in y %}{% endif %}{% endfor %}",
      /^1:27 \{% endif %\} stands in an open \{% for %\}/,
    ],
    ["a{% endfor %}", /^1:2 \{% endfor %\} ends nothing/],
    ["{% else %}", /^1:1 \{% else %\} stands in no/],
    [
      "{% if a %}{% else %}{% elsif b %}{% endif %}",
      /^1:21 \{% elsif %\} stands behind the \{% else %\}/,
    ],
    ["{% for x in y %}{% elsif b %}{% endfor %}", /^1:17 \{% elsif %\} stands in a \{% for %\}/],
    ["{% if a %}{% else if b %}{% endif %}", /^1:19 write \{% elsif … %\}/],
    ["{% if a %}{% endif a %}", /^1:20 "a" stands where the end of the tag is expected/],
    ["{{ a | default }}", /^1:8 default: it takes one argument/],
    ["{{ a | upcase: 1 }}", /^1:8 upcase: it takes no argument/],
    ["{{ a | date: '%d.%m' }}", /^1:8 date: .*patterns such as/],
    ["{{ a | date: b }}", /^1:8 date: it takes "short"/],
    ["{{ a | number: 21 }}", /^1:8 number: .* from 0 to 20/],
    ["{{ a | money }}", /^1:8 money: it takes one argument/],
    ["{{ a | money: 'EURO' }}", /^1:8 money: .* currency code/],
    ["{{ a | plural: one: 'b' }}", /^1:8 plural: .* the form other is required/],
    ["{{ a | truncate: 'x' }}", /^1:8 truncate: the length must be a number/],
    ["{{ a | }}", /^1:7 the name of a filter is expected/],
    ["{{ a | upcase upcase }}", /^1:15 "upcase" stands where/],
    ["{{ 'a\\q' }}", /^1:4 in a text in quotes a \\ stands only/],
    ["{{ 'a }}", /^1:4 the text that begins with ' is not closed/],
    ["{{ a | newline_to_br }}", /^1:1 newline_to_br is for HTML/],
    [`{% if ${"a or ".repeat(250)} b %}{% endif %}`, /^1:1 a tag is longer than 1000 characters/],
    [`{{ x | default: ${"n".repeat(256)} }}`, /^1:17 a name is longer than 255/],
    [`${"{% if a %}".repeat(9)}${"{% endif %}".repeat(9)}`, /^1:81 blocks stand more than 8 deep/],
  ] as const) {
    assert.match(await firstFault(content), fault, content);
  }
  assert.equal(await firstFault(`${"{% if a %}".repeat(8)}${"{% endif %}".repeat(8)}`), "none");
});

test("newline_to_br is refused where no <br> can be written", async () => {
  for (const content of [
    '<p title="{{ x | newline_to_br }}">a</p>',
    "<title>{{ x | newline_to_br }}</title><p>a</p>",
    "<p>a</p><!--[if mso]>{{ x | newline_to_br }}<![endif]-->",
    "{{ x | newline_to_br }}",
    "<p>{{ x | newline_to_br | upcase }}</p>",
  ]) {
    const [fault] = await faultsOf(mailSource(content));
    assert.match(fault?.message ?? "", /newline_to_br/, content);
  }
});
