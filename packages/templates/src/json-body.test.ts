import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { createJsonBody, jsonBodyFaults } from "./json-body.ts";

const NAMES = ["to", "text", "count", "list", "isUrgent", "none"];

/** Ends a text in quotes, a tag or an object, or names what every object has. */
const HOSTILE = [
  ...[
    '"}',
    '",\n"to": "+1',
    "\\",
    '\\"',
    "\\u",
    "{{ to }}",
    "{% if to %}",
    "</script>",
    "a\u0000b",
  ],
  ...["constructor", "__proto__", "toString", "null", "1e999", "\u202e", "\ud800", "\udc00\ud800"],
];

const written = (body: string, values: Record<string, unknown>) => {
  const result = createJsonBody(body)(values);
  assert.ok(result.ok, JSON.stringify(result));
  return result.text;
};
const parsed = (body: string, values: Record<string, unknown>) => JSON.parse(written(body, values));

/** Everywhere that a value may stand. */
const PLACES = `{
  "alone": {{ text }}, "in": "{{ text }}", "between": "a{{ text }}b", "twice": ["{{ text }}{{ text }}", {{ text }}],
  "{{ text }}name": 1, "trimmed": [ {{- text -}} ],
  "if": {% if text %}{{ text }}{% else %}{{ text }}{% endif %}, "quoted": "{% if isUrgent %}!{% endif %}{{ text }}"
}`;

const writePlaces = createJsonBody(PLACES);

function assertWritten(value: unknown): void {
  const text = typeof value === "string" ? value : (JSON.stringify(value ?? "") ?? "");
  const inText = value === null || value === undefined ? "" : text;
  const back: unknown = JSON.parse(JSON.stringify(value ?? null));
  const result = writePlaces({ text: value, isUrgent: true });
  assert.ok(result.ok);
  const all = JSON.parse(result.text);
  assert.deepEqual(all.alone, back);
  assert.deepEqual(all.trimmed, [back]);
  assert.deepEqual(all.if, back);
  assert.equal(all.in, inText);
  assert.equal(all.between, `a${inText}b`);
  assert.deepEqual(all.twice, [`${inText}${inText}`, back]);
  assert.equal(all[`${inText}name`], 1);
  assert.equal(all.quoted, `!${inText}`);
}

test("100,000 generated values are written as JSON that reads as these values, in every place", () => {
  const values = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    // Lone surrogates, line separators, quotes, backslashes and braces, close together.
    fc.string({
      unit: fc.constantFrom(...'\\"{}%/u0041\u0000\u001f\u2028\ud800\udc00\n\r\té€🎉'.split("")),
    }),
    fc.constantFrom(...HOSTILE),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.boolean(),
    fc.constant(null),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const bunch = fc.array(values, { minLength: 100, maxLength: 100 });
  let count = 0;
  fc.assert(
    fc.property(bunch, (some) => {
      for (const value of some) assertWritten(value);
      count += some.length;
    }),
    { numRuns: 1000 },
  );
  assert.equal(count, 100_000);
});

test("a text is quoted, a number and an object are as they are, and what is missing is null", () => {
  const body =
    '{"text":{{ text }},"count":{{ count }},"list":{{ list }},"none":{{ none }},"in":"{{ none }}"}';
  const values = { text: "5", count: 5, list: [{ a: "<b>" }] };
  assert.equal(
    written(body, values),
    '{"text":"5","count":5,"list":[{"a":"<b>"}],"none":null,"in":""}',
  );
  assert.equal(
    written('[{{ text | upcase }}, {{ text | size }}, {{ "a" }}]', { text: "é" }),
    '["É", 1, "a"]',
  );
});

test("a loop writes a list, with its commas, of any length", () => {
  const body =
    '{"all":[{% for x in list %}{"n":{{ x }}}{% unless forloop.last %},{% endunless %}{% endfor %}]}';
  assert.deepEqual(jsonBodyFaults(body, NAMES), []);
  for (const list of [[], ["a"], ["a", 2, "c"]]) {
    assert.deepEqual(parsed(body, { list }), { all: list.map((n) => ({ n })) });
  }
});

const FAULTS: readonly (readonly [string, number, number, RegExp])[] = [
  ["", 1, 1, /^no JSON: a value is expected at the end$/],
  ['{"a": {{ text }}', 1, 17, /^no JSON: "," or "}" is expected$/],
  ['{"a": {{ text }},}', 1, 18, /^no JSON: the name of a value in quotes is expected$/],
  ['{\n  "a": {{ text }}\n  "b": 1\n}', 3, 3, /^no JSON: "," or "}" is expected$/],
  ["{'a': 1}", 1, 2, /^no JSON: the name of a value in quotes/],
  ['{"a" 1}', 1, 6, /^no JSON: ":" is expected behind a name$/],
  ["[1, {{ text }}] x", 1, 17, /^no JSON: something stands behind the end$/],
  ["[01]", 1, 2, /^no JSON: a value is expected$/],
  ["[tru]", 1, 2, /^no JSON: a value is expected$/],
  ["[1{{ count }}]", 1, 3, /^no JSON: "," or "]" is expected$/],
  ["[{{ text }}{{ text }}]", 1, 12, /^no JSON: "," or "]" is expected$/],
  ['["a\nb"]', 1, 4, /^no JSON: a line end or control character in quotes/],
  ['["\\x41"]', 1, 3, /^no JSON: behind a \\ stands/],
  ['["{{ text }}]', 1, 2, /^no JSON: this text in quotes is not closed$/],
  ['["\\{{ text }}"]', 1, 4, /^a value stands behind a \\/],
  ['["\\u00{{ text }}"]', 1, 7, /^a value stands behind a \\/],
  ['["\\{% if text %}{% endif %}"]', 1, 4, /^a block stands behind a \\$/],
  ['["{% if text %}"{% endif %}]', 1, 3, /^each part of a block holds whole texts in quotes/],
  ['{"a": {% if text %}1{% endif %}}', 1, 32, /^no JSON: a value is expected$/],
  [
    '{"a": {% if text %}1{% elsif to %}{% else %}2{% endif %}}',
    1,
    57,
    /^no JSON: a value is expected$/,
  ],
  ["[{% for x in list %}{{ x }}{% endfor %}]", 1, 2, /^a loop's values need a comma between/],
  ["[{% for x in list %}{{ x }},{% endfor %}]", 1, 41, /^no JSON: a value is expected$/],
  ['{"a": {{ txt }}}', 1, 10, /^there is no txt here: there are to, text,/],
  ['{"a": {{ $unsubscribe_url }}}', 1, 10, /^there is no \$unsubscribe_url here/],
  ['{"a": "{% if constructor %}b{% endif %}"}', 1, 14, /^there is no constructor here/],
  ['{"a": {{ text | newline_to_br }}}', 1, 7, /^newline_to_br is for HTML/],
  ['{"a": {{ text }', 1, 7, /^this tag is not closed/],
  ['{"a": {{ text | nope }}}', 1, 17, /^there is no filter nope/],
  [
    `${"[".repeat(300)}${"]".repeat(300)}`,
    1,
    201,
    /^no JSON: lists and objects are nested too deep$/,
  ],
];
for (const [body, line, column, message] of FAULTS) {
  test(`a fault has its place and rule: ${JSON.stringify(body).slice(0, 70)}`, () => {
    const [fault, ...others] = jsonBodyFaults(body, NAMES);
    assert.deepEqual(others, []);
    assert.match(fault!.message, message);
    assert.deepEqual([fault!.line, fault!.column], [line, column]);
  });
}

const GOOD: readonly string[] = [
  '{"a": {{ text }}}',
  PLACES.replace('"{{ text }}name": 1, ', ""),
  "{{ text }}",
  '"{{ text }}"',
  "null",
  ' [ -1.5e+3 , true, "\\u00e9\\n" , {} , [] ] ',
  '{{ "a" }}',
  '{"a": "x"{% if text %}, "b": {{ text }}{% endif %}}',
  '["{% if text %}", "{% endif %}"]',
  "[{% for x in list %}{% unless forloop.first %}, {% endunless %}{{ x }}{% else %}0{% endfor %}]",
  '[{% if to == "a" %}1{% elsif to == "b" %}2{% else %}3{% endif %}]',
];
for (const body of GOOD) {
  test(`a body has no fault, and writes JSON: ${body.slice(0, 60)}`, () => {
    assert.deepEqual(jsonBodyFaults(body, NAMES), []);
    for (const values of [{}, { text: '"}', to: "b", list: ["a", "b"], isUrgent: true }]) {
      parsed(body, values);
    }
  });
}

test("a place that only some values fit is told when it is written, and nothing else is", () => {
  const body = "{ {{ text }}: 1 }";
  assert.deepEqual(jsonBodyFaults(body, NAMES), []);
  assert.deepEqual(parsed(body, { text: "a" }), { a: 1 });
  assert.deepEqual(createJsonBody(body)({ text: 1 }), { ok: false, reason: "no JSON" });
});

test("the largest mail fits; what is larger, or written again and again, ends in time", () => {
  const html = `<p>${'"\n'.repeat(128 * 1024)}</p>`;
  const text = "é".repeat(256 * 1024);
  const body = '{"html": {{ html }}, "text": "{{ text }}"}';
  assert.deepEqual(parsed(body, { html, text }), { html, text });
  const tooLarge = { ok: false, reason: "too large" };
  assert.deepEqual(createJsonBody(body)({ html: "\u0001".repeat(512 * 1024) }), tooLarge);
  const many = `[${Array.from({ length: 500 }, () => "{{ text }}").join(", ")}]`;
  assert.deepEqual(createJsonBody(many)({ text }), tooLarge);
  const loops =
    '"{% for a in list %}{% for b in list %}{% for c in list %}x{% endfor %}{% endfor %}{% endfor %}"';
  assert.deepEqual(
    createJsonBody(loops)({ list: Array.from({ length: 1000 }, () => 1) }),
    tooLarge,
  );
});

test("a hostile body is judged to its end", () => {
  for (const body of [
    "[".repeat(200_000),
    `"${"\\\\".repeat(100_000)}"`,
    `[${"1,".repeat(100_000)}1]`,
    `"${"{{ text }}".repeat(9_000)}"`,
    "{% if text %}".repeat(9_000),
  ]) {
    assert.ok(jsonBodyFaults(body, NAMES).length <= 50);
  }
});
