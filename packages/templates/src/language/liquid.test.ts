import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultOperators, Liquid } from "liquidjs";
import { compiled } from "../../test/compiled.ts";
import { chance, liquidCase } from "../../test/liquid-cases.ts";
import { createRenderer } from "../render.ts";
import { variableText } from "./values.ts";

/** Other templates than the ones that are always tried: `LIQUID_SEED=… node test/run.ts …`. */
// biome-ignore lint/style/noProcessEnv: set by who runs the test
const SEED = Number(process.env.LIQUID_SEED ?? 13);
const CASES = 100_000;

/**
 * Intended differences from LiquidJS: an example that both render, and the reason. The code below adapts LiquidJS
 * to those that generated templates meet, each under the name it has here.
 */
const DIFFERENCES: {
  name: string;
  template: string;
  variables: Record<string, unknown>;
  ours: string;
  theirs: string;
  why: string;
}[] = [
  {
    name: "whole keys",
    template: "{{ a.b }}{% if a.b %}!{% endif %}",
    variables: { "a.b": "whole", a: { b: "step" } },
    ours: "whole!",
    theirs: "step!",
    why: "a name is looked up whole first: tenants send such keys",
  },
  {
    name: "words and numbers alone are names",
    template: "{{ true }}{{ 1 }}{% if x %}{% endif %}",
    variables: {},
    ours: "",
    theirs: "true1",
    why: "tenants have variables of these names; nobody writes a literal alone",
  },
  {
    name: "lists and objects as text",
    template: '{{ l }} {{ o }} {{ l | upcase }} {{ m | join: "," }}',
    variables: { l: ["a", 1], o: { k: 1 }, m: [["b"], { k: 1 }] },
    ours: '["a",1] {"k":1} ["A",1] ["b"],{"k":1}',
    theirs: "a1 [object Object] A1 b,[object Object]",
    why: "they are JSON as in every template before, and [object Object] helps nobody",
  },
  {
    name: "order of what has none",
    template: "{% if z < 1 %}a{% endif %}{% if l > 3 %}b{% endif %}",
    variables: { z: null, l: [5] },
    ours: "",
    theirs: "ab",
    why: "null and lists stand before and behind nothing, as in Ruby's Liquid; JavaScript makes them numbers",
  },
  {
    name: "null and what is missing",
    template:
      "{% if z == gone %}a{% endif %}{% if l contains gone %}b{% endif %}{{ s | truncate: 4, z }}{% for x in l limit: z %}c{% endfor %}",
    variables: { z: null, l: [null], s: "abcde" },
    ours: "aba...c",
    theirs: "abcd",
    why: "both are nil, as in Ruby's Liquid; an argument that is nil is as if it were not there",
  },
  {
    name: "contains",
    template: "{% if s contains gone %}a{% endif %}{% if s contains o %}b{% endif %}",
    variables: { s: "undefined [object Object]", o: {} },
    ours: "",
    theirs: "ab",
    why: "a text contains no missing value and no list or object; LiquidJS looks for their JavaScript names",
  },
  {
    name: "whole characters",
    template: "{{ s | first }}{{ s | last }}",
    variables: { s: "😀b😀" },
    ours: "😀😀",
    theirs: "\ud83d\ude00",
    why: "half of a character cannot be sent",
  },
  {
    name: "inside a text",
    template: "{{ s.0 }}",
    variables: { s: "abc" },
    ours: "",
    theirs: "a",
    why: "a text has nothing inside, as in templates before",
  },
  {
    name: "limits that are no number",
    template:
      "{% for x in l limit: n %}{{ x }}{% endfor %}{% for x in l limit: t %}{{ x }}{% endfor %}",
    variables: { l: [1, 2, 3], n: -1, t: true },
    ours: "",
    theirs: "121",
    why: "a limit below 0, or none at all, leaves nothing; JavaScript counts from the end",
  },
  {
    name: "lengths that are no number",
    template: "{{ s | truncate: t }}{{ s | truncate: l }}",
    variables: { s: "a", t: true, l: [5] },
    ours: "......",
    theirs: "aa",
    why: "a length that is no number is 0; JavaScript makes a number of a list",
  },
  {
    name: "braces in quotes",
    template: '{{ "{%" }}{{ "{{" }}',
    variables: {},
    ours: "{%{{",
    theirs: "{%{{",
    why: "no difference: how braces are written as text",
  },
];

/** LiquidJS with our reading of lists and objects, of order and of `contains`: see the table. */
function judge(): Liquid {
  const isPlain = (value: unknown): boolean => typeof value !== "object" || value === null;
  const isDrop = (value: unknown): boolean =>
    typeof value === "object" && value !== null && "equals" in value;
  const isNil = (value: unknown): boolean =>
    value === undefined || value === null || value.constructor.name === "NullDrop";
  const readable = (value: unknown): unknown =>
    isPlain(value) || isDrop(value) ? value : variableText(value);
  type Operator = (...values: unknown[]) => unknown;
  const operators: Record<string, Operator> = { ...(defaultOperators as Record<string, Operator>) };
  for (const sign of ["<", ">", "<=", ">="]) {
    const original = operators[sign] as Operator;
    operators[sign] = (left, right, ...rest) => {
      const hasOrder = [left, right].every(
        (side) => isDrop(side) || (isPlain(side) && side !== null),
      );
      return hasOrder ? original(left, right, ...rest) : false;
    };
  }
  for (const sign of ["==", "!="]) {
    const original = operators[sign] as Operator;
    operators[sign] = (left, right, ...rest) => original(left ?? null, right ?? null, ...rest);
  }
  const contains = operators.contains as Operator;
  operators.contains = (left, right, ...rest) => {
    if (
      (typeof left === "string" || isDrop(left)) &&
      (isNil(right) || !(isPlain(right) || isDrop(right)))
    )
      return false;
    return contains(left, right ?? null, ...rest);
  };
  const engine = new Liquid({
    operators: operators as typeof defaultOperators,
    ownPropertyOnly: true,
    strictFilters: true,
    outputEscape: readable as (value: unknown) => string,
  });
  const wrap = (name: string, wrapped: (original: Operator, ...values: unknown[]) => unknown) => {
    const original = engine.filters[name] as Operator;
    engine.registerFilter(name, function (this: unknown, ...values: unknown[]) {
      return wrapped(original.bind(this), ...values);
    });
  };
  for (const name of ["upcase", "downcase", "capitalize", "escape", "url_encode"]) {
    wrap(name, (original, value) => original(readable(value)));
  }
  wrap("truncate", (original, value, length, ending) => {
    const characters = Array.from(variableText(value)).length;
    // Counts like LiquidJS: a length of 2.5 has room for three.
    const fits = characters <= Math.ceil((isNil(length) ? 50 : length) as number);
    return fits
      ? value
      : original(
          readable(value),
          isNil(length) ? undefined : length,
          isNil(ending) ? undefined : readable(ending),
        );
  });
  wrap("join", (original, value, by) => {
    return original(Array.isArray(value) ? value.map(readable) : readable(value), readable(by));
  });
  for (const [name, at] of [
    ["first", 0],
    ["last", -1],
  ] as const) {
    wrap(name, (original, value) => {
      return typeof value === "string" ? (Array.from(value).at(at) ?? "") : original(value);
    });
  }
  return engine;
}

async function ours(template: string, variables: Record<string, unknown>): Promise<string> {
  const source = { kind: "notification", title: "T", content: template } as const;
  const rendered = createRenderer(await compiled(source))(variables);
  if (rendered.ok && rendered.kind === "notification") return rendered.body;
  return rendered.ok ? rendered.kind : rendered.reason;
}

test("each difference from LiquidJS has an example and a reason", async () => {
  const engine = new Liquid({ ownPropertyOnly: true });
  for (const { name, template, variables, ours: expected, theirs } of DIFFERENCES) {
    assert.equal(await ours(template, variables), expected, name);
    assert.equal(engine.parseAndRenderSync(template, variables), theirs, name);
  }
});

test(`${CASES} generated templates are rendered as LiquidJS renders them`, async (t) => {
  t.diagnostic(`LIQUID_SEED=${SEED}`);
  const random = chance(SEED);
  const engine = judge();
  let tooLarge = 0;
  let empty = 0;
  for (let count = 0; count < CASES; count++) {
    const { template: source, variables } = liquidCase(random);
    const theirs = engine.parseAndRenderSync(source, variables);
    const written = await ours(source, variables);
    if (written === "rendered content too large" && Array.from(theirs).length > 4096) tooLarge += 1;
    else if (written !== theirs) {
      assert.equal(written, theirs, JSON.stringify({ seed: SEED, count, source, variables }));
    }
    if (written.length <= 2) empty += 1;
  }
  // Were hardly anything written, nothing would be compared.
  assert.ok(tooLarge < CASES / 100 && empty < CASES / 3, `${tooLarge} ${empty}`);
});
