import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_RENDER_STEPS, MAX_RENDER_WORK_CHARACTERS } from "./bounds.ts";
import { beginRendering, type Rendering } from "./rendering.ts";
import { includesText } from "./values.ts";
import { createWriter, type WriterOptions } from "./writer.ts";

interface Ended {
  text: string | undefined;
  rendering: Rendering;
  /** Characters that the writer cleaned and its slots read. */
  characters: number;
}

function write(template: string, variables: object, limit = 512 * 1024): Ended {
  let characters = 0;
  const options: WriterOptions = {
    clean: (text) => text,
    measure: (text) => text.length,
    limit,
    slots: (_, tags) =>
      tags.map(() => ({
        longest: Number.POSITIVE_INFINITY,
        write: (value) => {
          characters += value.length;
          return value;
        },
      })),
  };
  const writer = createWriter(template, options);
  assert.ok(writer !== undefined, template);
  const rendering = beginRendering();
  const text = writer(variables as Record<string, unknown>, rendering);
  return { text, rendering, characters };
}

/** A list or an object that counts how often something in it is read. */
function counted<T extends object>(value: T): { value: T; reads: () => number } {
  let reads = 0;
  const proxy = new Proxy(value, {
    get: (target, key) => {
      reads += 1;
      return Reflect.get(target, key);
    },
    getOwnPropertyDescriptor: (target, key) => {
      reads += 1;
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    ownKeys: (target) => {
      const keys = Reflect.ownKeys(target);
      reads += keys.length;
      return keys;
    },
  });
  return { value: proxy, reads: () => reads };
}

const WORDS = [
  "constructor",
  "constructor.prototype",
  "constructor.constructor",
  "__proto__",
  "__proto__.toString",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "prototype",
  "__defineGetter__",
  "isPrototypeOf",
];

/** Every place where a name can stand; each writes "!" or the value where the name is something. */
const PLACES = [
  "{{ NAME }}",
  "{{ NAME | upcase }}",
  "{{ NAME | join: NAME }}",
  "{{ gone | default: NAME }}",
  '{{ gone | plural: one: "a", other: NAME }}',
  "{% if NAME %}!{% endif %}",
  "{% if NAME == nil %}{% else %}!{% endif %}",
  "{% unless NAME == gone %}!{% endunless %}",
  "{% if list contains NAME %}!{% endif %}",
  "{% for y in NAME %}!{% endfor %}",
  "{% for y in list limit: 1 %}{{ NAME }}{% if NAME %}!{% endif %}{% endfor %}",
  "{% if true %}{% for y in list limit: 1 %}{% unless NAME %}{{ NAME | first }}{% else %}!{% endunless %}{% endfor %}{% endif %}",
];

test("what every object inherits is nothing, in every place", () => {
  const variables = JSON.parse('{"o":{},"list":[[],{},"text",1,true],"s":"text","n":1.5,"t":true}');
  for (const place of PLACES) {
    for (const word of WORDS) {
      for (const root of ["o.", "s.", "n.", "t.", "list.", "list.first.", ""]) {
        const template = place.replaceAll("NAME", root + word);
        assert.equal(write(template, variables).text, "", template);
      }
      const inLoop = `{% for x in list %}${place.replaceAll("NAME", `x.${word}`)}{% endfor %}`;
      assert.equal(write(inLoop, variables).text, "", inLoop);
    }
  }
});

test("what a tenant sent under such a name is its value, and changes nothing else", () => {
  const json = '{"constructor":"c","__proto__":{"polluted":"p"},"list":[{"__proto__":"q"}]}';
  const template =
    "{{ constructor | upcase }}{{ __proto__.polluted }}{% for x in list %}{{ x.__proto__ }}{{ x.polluted }}{% endfor %}{{ polluted }}";
  assert.equal(write(template, JSON.parse(json)).text, "Cpq");
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
});

test("forloop is the loop's, whatever a tenant sends", () => {
  const variables = { forloop: { index: "mine", last: "mine" }, list: [1, 2] };
  const template =
    "{{ forloop.index }}{% for x in list %}{{ forloop.index }}{{ forloop.last }}{% endfor %}{{ forloop.last }}";
  assert.equal(write(template, variables).text, "mine1false2truemine");
});

test("a value is never read as a template, whatever a filter makes of it", () => {
  const variables = { a: "{% if x %}", b: "{{ c }}", l: ["{{", "c }}"], c: "secret" };
  const template =
    '{{ a }}{{ b | downcase }}{{ l | join: " " }}{% for x in l %}{{ x }}{% endfor %}{{ gone | default: "{{ c" | append }}'.replace(
      " | append",
      "",
    );
  assert.equal(write(template, variables).text, "{% if x %}{{ c }}{{ c }}{{c }}{{ c");
});

test("loops in loops end by their steps, and read no more than so many items", () => {
  for (const [template, perStep] of [
    ["{% for a in l %}{% for b in l %}{% for c in l %}{% endfor %}{% endfor %}{% endfor %}", 4],
    ["{% for a in l %}{% if l contains gone %}{% endif %}{% endfor %}", 3],
    ["{% for a in l %}{% if l == m %}{% endif %}{% endfor %}", 4],
    ["{% for a in l %}{{ l | join | size }}{% endfor %}", 3],
    [
      "{% for a in l %}{% for b in l limit: 1 %}{{ l.first }}{{ l.last }}{{ l.9 }}{{ l.size }}{% endfor %}{% endfor %}",
      4,
    ],
  ] as const) {
    const l = counted(Array.from({ length: 100_000 }, () => 7));
    const { text, rendering } = write(template, { l: l.value, m: Array.from(l.value) });
    assert.equal(text, undefined, template);
    assert.ok(rendering.stepsLeft < 0, template);
    const reads = l.reads() - 200_001;
    assert.ok(reads <= perStep * MAX_RENDER_STEPS, `${template} ${reads}`);
  }
});

test("the keys of an object are read once a message", () => {
  const keys = 10_000;
  const o = counted(Object.fromEntries(Array.from({ length: keys }, (_, at) => [`k${at}`, 1])));
  const l = Array.from({ length: 1_000 }, () => 1);
  const template =
    "{% for a in l %}{% for p in o limit: 1 %}{{ o.size }}{% endfor %}{% if o == empty %}{% endif %}{% endfor %}";
  const { text } = write(template, { o: o.value, l });
  assert.equal(text, String(keys).repeat(1_000));
  assert.ok(o.reads() < 10 * keys, `${o.reads()}`);
});

test("each dot of a name is a step", () => {
  let x: object = { a: 1 };
  for (let depth = 0; depth < 100; depth++) x = { a: x };
  const name = `x${".a".repeat(100)}`;
  const l = Array.from({ length: 2_000 }, () => x);
  for (const template of [
    `{% for y in l %}{% if ${name} %}{% endif %}{% endfor %}`,
    `{% for x in l %}{% if ${name} %}{% endif %}{% endfor %}`,
    `{% for x in l %}{{ "a" | default: ${name}.size }}{% endfor %}`,
  ]) {
    const { text, rendering } = write(template, { x, l });
    assert.deepEqual([text, rendering.stepsLeft < 0], [undefined, true], template);
  }
});

test("filters on huge values end by their steps, in whatever order they stand", () => {
  const l = Array.from({ length: 20_000 }, () => 1);
  const x = "&é".repeat(60_000);
  for (const filters of [
    "escape | escape | escape | escape | escape",
    "url_encode | url_encode | url_encode | url_encode",
    "upcase | downcase | capitalize",
    "truncate: 200000",
    'truncate: 3, "…"',
    "join | size",
    "default: x | size | upcase",
  ]) {
    const once = write(`{{ x | ${filters} | size }}`, { x });
    const { text, rendering } = write(`{% for y in l %}{{ x | ${filters} | size }}{% endfor %}`, {
      x,
      l,
    });
    assert.ok(text === undefined && rendering.stepsLeft < 0, filters);
    // One filter may exceed the bound, by at most the steps that were left before it.
    assert.ok(rendering.stepsLeft > -12 * MAX_RENDER_STEPS, filters);
    assert.ok(once.rendering.stepsLeft < MAX_RENDER_STEPS, filters);
  }
});

test("a join of many items by a long text is counted before it is built", () => {
  const l = Array.from({ length: 60_000 }, () => "");
  const { text, rendering } = write("{{ l | join: s | size }}", { l, s: "s".repeat(100_000) });
  assert.equal(text, undefined);
  // It ends at the first item that is too much.
  assert.ok(rendering.stepsLeft < 0 && rendering.stepsLeft > -1_600, `${rendering.stepsLeft}`);
});

test("a loop that writes the same large value again ends at the limit of its text", () => {
  const l = Array.from({ length: 20_000 }, () => 1);
  const { text, characters } = write("{% for y in l %}{{ x }}{% endfor %}", {
    x: "a".repeat(100_000),
    l,
  });
  assert.equal(text, undefined);
  assert.ok(characters <= 600_000, `${characters}`);
});

test("values that are read and left out again end as too costly, in a loop as well", () => {
  const l = Array.from({ length: 20_000 }, () => 1);
  const { text, rendering, characters } = write(
    "{% for y in l %}{% if x == y %}{% endif %}{{ x | first }}{{ x | truncate: 0, e }}{{ x }}{% endfor %}",
    { x: "a".repeat(9_000), e: "", l },
    10_000_000,
  );
  assert.equal(text, undefined);
  assert.ok(rendering.workLeft < 0);
  assert.ok(characters <= MAX_RENDER_WORK_CHARACTERS, `${characters}`);
});

test("values that are deep in themselves end as too costly, or are compared without recursion", () => {
  const deep = (depth: number) => JSON.parse("[".repeat(depth) + "]".repeat(depth));
  for (const template of [
    "{{ x }}",
    "{{ x | upcase }}",
    '{{ l | join: "" }}',
    "{{ gone | default: x }}",
    "{% for y in l %}{{ y }}{% endfor %}",
    "{% for y in l %}{% for z in y %}{{ z | size }}{{ z }}{% endfor %}{% endfor %}",
  ]) {
    const { text, rendering } = write(template, { x: deep(100_000), l: [deep(100_000)] });
    assert.deepEqual([text, rendering.workLeft < 0], [undefined, true], template);
  }
  const equal = write("{% if x == y %}same{% endif %}", { x: deep(50_000), y: deep(50_000) });
  assert.equal(equal.text, "same");
  assert.equal(write("{{ x }}", { x: deep(100) }).text, "[".repeat(100) + "]".repeat(100));
});

test("numbers as long as a request are work in every place", () => {
  const x = JSON.rawJSON("1".repeat(200_000));
  const l = Array.from({ length: 20_000 }, () => 1);
  for (const place of [
    "{% if x > 5 %}{% endif %}",
    "{% if x == 5 %}{% endif %}",
    "{{ x | upcase | first }}",
    "{{ x | number | size }}",
    "{% for z in l limit: x %}{% endfor %}",
    '{{ "a" | truncate: x }}',
  ]) {
    const { text, rendering } = write(`{% for y in l %}${place}{% endfor %}`, { x, l });
    assert.deepEqual([text, rendering.stepsLeft < 0], [undefined, true], place);
  }
});

test("a long text is looked for in a longer one in one reading", () => {
  const half = "a".repeat(60_000);
  const l = Array.from({ length: 1_000 }, () => 1);
  const { rendering } = write("{% for y in l %}{% if x contains s %}{% endif %}{% endfor %}", {
    x: half + half,
    s: `${half}b`,
    l,
  });
  assert.ok(rendering.stepsLeft < 0);
  for (const [text, sought] of [
    ["abcabcabd".repeat(20), `${"abcabcabd".repeat(4)}abca`],
    ["abcabcabd".repeat(20), `${"abcabcabd".repeat(4)}abcb`],
    ["a".repeat(100), `${"a".repeat(50)}b`],
    [`${"a".repeat(100)}b`, `${"a".repeat(50)}b`],
    [`${"ab".repeat(50)}a`, `${"ba".repeat(30)}b`],
    ["x", "x".repeat(40)],
  ] as const) {
    assert.equal(includesText(text, sought), text.includes(sought), sought);
  }
});

test("what is unclosed is no template", () => {
  const options = {
    clean: (text: string) => text,
    measure: (text: string) => text.length,
    limit: 9,
  };
  for (const template of [
    "{% if a %}",
    "{% for x in a %}",
    "{{ a",
    "{% if a",
    "{% endif %}",
    "{{ 'a }}",
    "{{ a | }}",
    "{% if a %}{% else %}",
    "{% for x in a %}{% else %}{% endif %}",
  ]) {
    for (const around of ["X", "{% if b %}X{% endif %}", "{% for y in b %}X{% endfor %}"]) {
      assert.equal(createWriter(around.replace("X", template), options), undefined, template);
    }
  }
});
