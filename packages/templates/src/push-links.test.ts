import assert from "node:assert/strict";
import { test } from "node:test";
import { rendered } from "../test/compiled.ts";
import { compileTemplate } from "./compile.ts";
import { createRenderer } from "./render.ts";
import type { PushLinks } from "./source.ts";

async function compiledWith(links: PushLinks) {
  return await compileTemplate(
    { kind: "notification", title: "t", content: "b", ...links },
    { owner: "t" },
  );
}

async function renderWith(links: PushLinks, variables: Record<string, unknown>) {
  const source = { kind: "notification", title: "t", content: "b", ...links } as const;
  const { url, actions, linksLeftOut, missing } = await rendered(source, variables);
  return { url, actions, linksLeftOut, missing };
}

const NO_ADDRESS = "neither https nor a path";
/** A template's url, the value of `x`, and what is published; undefined: it is left out. */
const ADDRESSES: [template: string, x: unknown, published: string | undefined][] = [
  ["https://shop.example/orders/{{x}}", "A-1", "https://shop.example/orders/A-1"],
  ["/orders/{{x}}", "A-1", "/orders/A-1"],
  ["/", "", "/"],
  ["{{x}}", "https://shop.example/a?b=c&d#e", "https://shop.example/a?b=c&d#e"],
  ["{{x}}", "HTTPS://SHOP.example/", "HTTPS://SHOP.example/"],
  ["{{x}}", "/orders/1", "/orders/1"],
  ["{{x}}/orders", "https://shop.example", "https://shop.example/orders"],
  // Characters that an address cannot hold are encoded, not dropped.
  ["/find/{{x}}", 'a b"c<d>\\e', "/find/a%20b%22c%3Cd%3E%5Ce"],
  ["https://shop.example/?q={{x}}", "a+b&c", "https://shop.example/?q=a%2Bb%26c"],
  ["https://shop.example/?q={{x}}", "a\\b", "https://shop.example/?q=a%5Cb"],
  ["{{x}}", " https://shop.example/a b ", "https://shop.example/a%20b"],
  ["/bücher/{{x}}", "größe 💌", "/b%C3%BCcher/gr%C3%B6%C3%9Fe%20%F0%9F%92%8C"],
  ["/orders/{{x}}", "../../admin", "/orders/../../admin"],
  ["https://{{x}}/a", "shop.example", "https://shop.example/a"],
  // Schemes other than https, and texts that are no path.
  ...[
    ...[
      "javascript:alert(1)",
      "JavaScript:alert(1)",
      " javascript:alert(1)",
      "java\tscript:alert(1)",
    ],
    ...[
      "java\nscript:alert(1)",
      "\u0001javascript:alert(1)",
      "javascript://shop.example/%0aalert(1)",
    ],
    ...["data:text/html,<script>", "vbscript:x", "blob:https://a/b", "file:///etc/passwd"],
    ...[
      "http://shop.example/",
      "http:shop",
      "https:shop.example",
      "https:/shop.example",
      "ftp://a/",
    ],
    ...["mailto:a@b.example", "tel:+1", "//host/a", "/\\host/a", "\\/host", "\\\\host", "orders/1"],
    ...[
      "/\\/host",
      "?a=b",
      "#a",
      "https://",
      "https://?a",
      "https://a\\@b.example/",
      "www.a.example",
    ],
    ...["https://a b.example/", "x https://a.example/", "https ://a.example", "\u200bjavascript:x"],
    ...["/\t/host", "/ /host"].map((path) => path.replace(/[\t ]/, "")),
  ].map((x): [string, unknown, undefined] => ["{{x}}", x, undefined]),
  // A value completes what the template began.
  ["/{{x}}", "/host", undefined],
  ["/{{x}}", "\\host", undefined],
  ["/{{x}}/", "", undefined],
  ["https://{{x}}", "a.example\\@b.example", undefined],
  ["https://{{x}}/", "", undefined],
  ["{{x}}://a.example", "javascript", undefined],
  ["{{x}}//a.example", "http:", undefined],
  ["{{x}}//host", "/", undefined],
  ["{{x}}cript:alert(1)", "javas", undefined],
];

for (const [template, x, published] of ADDRESSES) {
  test(`${template} with ${JSON.stringify(x)} leads to ${published ?? "nowhere"}`, async () => {
    const links = { url: template, actions: [{ label: "Open", url: template }] };
    const made = await renderWith(links, { x });
    if (published !== undefined) {
      const actions = [{ label: "Open", url: published }];
      assert.deepEqual(made, { url: published, actions, linksLeftOut: undefined, missing: [] });
      return;
    }
    const linksLeftOut = [`url (${NO_ADDRESS})`, `action 1 (${NO_ADDRESS})`];
    assert.deepEqual(made, { url: undefined, actions: undefined, linksLeftOut, missing: [] });
  });
}

test("whatever a value holds, a browser stays on the page's site or goes to https", async () => {
  const templates = ["{{x}}", "/{{x}}", "/a/{{x}}", "https://{{x}}", "{{y}}{{x}}", "{{x}}{{y}}"];
  const parts = [
    "/",
    "\\",
    ":",
    "javascript",
    "https",
    "http",
    "data",
    "a.example",
    "?",
    "#",
    "@",
    "%5c",
  ];
  const odd = [
    "\t",
    "\n",
    "\r",
    " ",
    "\u0000",
    "\u00a0",
    "\u200b",
    "\ufeff",
    "\u2028",
    "\ud800",
    "{{x}}",
  ];
  const all = [...parts, ...odd];
  const page = "https://page.example/a/b";
  let shown = 0;
  let state = 13;
  const next = (below: number) => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  const value = () => Array.from({ length: 1 + next(7) }, () => all[next(all.length)]).join("");
  for (const template of templates) {
    const result = await compiledWith({ url: template });
    assert.ok(result.ok);
    const render = createRenderer(result.compiled);
    for (let n = 0; n < 20_000; n += 1) {
      const rendered = render({ x: value(), y: value() });
      assert.ok(rendered.ok && rendered.kind === "notification");
      const { url } = rendered;
      if (url === undefined) continue;
      shown += 1;
      const address = new URL(url, page);
      assert.equal(address.protocol, "https:", url);
      if (url.startsWith("/")) assert.equal(address.origin, "https://page.example", url);
    }
  }
  assert.ok(shown > 10_000, `${shown} shown`);
});

test("a link without its value is told as missing; one that is nothing at all is none", async () => {
  assert.deepEqual(await renderWith({ url: "/orders/{{id}}" }, {}), {
    ...{ url: "/orders/", actions: undefined, linksLeftOut: undefined },
    missing: ["id"],
  });
  assert.deepEqual(await renderWith({ url: "{{link}}" }, {}), {
    ...{ url: undefined, actions: undefined, linksLeftOut: undefined },
    missing: ["link"],
  });
});

test("two buttons with labels of 40 characters; what is longer is left out and told", async () => {
  const actions = [
    { label: "{{a}}", url: "/a" },
    { label: " Track {{b}}", url: "{{c}}" },
  ];
  assert.deepEqual(await renderWith({ actions }, { a: "💌".repeat(40), b: "it", c: "/c" }), {
    url: undefined,
    actions: [
      { label: "💌".repeat(40), url: "/a" },
      { label: "Track it", url: "/c" },
    ],
    ...{ linksLeftOut: undefined, missing: [] },
  });
  const long = await renderWith(
    { actions },
    { a: "x".repeat(41), b: "it", c: `/${"c".repeat(2048)}` },
  );
  assert.equal(long.actions, undefined);
  assert.deepEqual(long.linksLeftOut, [
    "action 1 (a label longer than 40 characters)",
    "action 2 (longer than 2048 characters)",
  ]);
  const empty = await renderWith({ actions }, { a: " \n", b: "it", c: "" });
  assert.deepEqual(empty.linksLeftOut, ["action 1 (empty)", "action 2 (empty)"]);
  const longest = `/${"c".repeat(2047)}`;
  assert.equal((await renderWith({ url: "{{c}}" }, { c: longest })).url, longest);
  // Each becomes three characters: too long only when it is encoded.
  const wide = await renderWith({ url: "/{{c}}" }, { c: '"'.repeat(2000) });
  assert.deepEqual(wide.linksLeftOut, ["url (longer than 2048 characters)"]);
  const letters = await renderWith({ url: "/{{c}}" }, { c: "é".repeat(400) });
  assert.deepEqual(letters.linksLeftOut, ["url (longer than 2048 characters)"]);
});

test("a template without links compiles and renders as before", async () => {
  const result = await compiledWith({});
  assert.ok(result.ok);
  const compiled = { kind: "notification", title: "t", body: "b", variables: [] };
  assert.equal(JSON.stringify(result.compiled), JSON.stringify(compiled));
  const rendered = { ok: true, kind: "notification", title: "t", body: "b", missing: [] };
  assert.equal(JSON.stringify(createRenderer(result.compiled)({})), JSON.stringify(rendered));
});

const BEGINS =
  "an address begins with https://, one / (a path of the page's own site) or a variable";
const CANNOT = "spaces, quotes, backslashes and brackets < > cannot stand in an address";
const BAD: [url: string, column: number, message: string][] = [
  ...["http://a.example", "javascript:alert(1)", "java{{x}}", "//host", "/\\host", "orders/1"].map(
    (url): [string, number, string] => [url, 1, BEGINS],
  ),
  ...["https:", "https:/{{x}}", " https://a.example", "data:,", "HTTP://a.example", "\\{{x}}"].map(
    (url): [string, number, string] => [url, 1, BEGINS],
  ),
  ["/a b", 3, CANNOT],
  ['/a"', 3, CANNOT],
  ["/{{x}}\\a", 7, CANNOT],
  ["{{x}} {{y}}", 6, CANNOT],
  ["https://", 1, "this is no address"],
  ["https://[::1", 1, "this is no address"],
  ["", 1, "is empty"],
  ["/a\n", 1, "a line end or control character cannot stand here"],
  [`/${"x".repeat(2048)}`, 1, "longer than 2048 characters"],
  ["/{{x", 2, "this tag is not closed: }} is missing"],
];

for (const [url, column, message] of BAD) {
  test(`a template is refused whose address is ${JSON.stringify(url.slice(0, 30))}`, async () => {
    const result = await compiledWith({ url, actions: [{ label: "Open", url }] });
    assert.ok(!result.ok);
    assert.deepEqual(result.faults, [
      { field: "url", line: 1, column, message },
      { field: "actions", line: 1, column, message: `url: ${message}` },
    ]);
  });
}

test("a third action, an empty label and a long one are refused with their places", async () => {
  const action = { label: "Open", url: "/" };
  const actions = [{ label: "x".repeat(41), url: "/" }, { label: " ", url: "/" }, action];
  const result = await compiledWith({ actions });
  assert.ok(!result.ok);
  assert.deepEqual(result.faults, [
    { field: "actions", line: 1, column: 1, message: "label: longer than 40 characters" },
    { field: "actions", line: 2, column: 1, message: "label: is empty" },
    { field: "actions", line: 3, column: 1, message: "at most 2 actions" },
  ]);
});

test("labels and addresses take filters; a block stands in a label, not in an address", async () => {
  const actions = [
    {
      label: '{% if n > 1 %}{{n}} orders{% else %}{{x | default: "Order" | upcase}}{% endif %}',
      url: "/find?q={{x | url_encode}}",
    },
  ];
  const links = { url: '{{to | default: "/home"}}', actions };
  assert.deepEqual(await renderWith(links, { n: 2, x: "a&b c", to: "https://a.example/ b" }), {
    url: "https://a.example/%20b",
    actions: [{ label: "2 orders", url: "/find?q=a%26b+c" }],
    ...{ linksLeftOut: undefined, missing: [] },
  });
  const bare = await renderWith(links, { n: 1 });
  assert.deepEqual([bare.url, bare.actions?.[0]?.label], ["/home", "ORDER"]);
  for (const url of ['{{"javascript:alert(1)"}}', '{{x | default: "//host"}}', "{{y | upcase}}"]) {
    const made = await renderWith({ url }, { y: "javascript:alert(1)" });
    assert.deepEqual([made.url, made.linksLeftOut], [undefined, [`url (${NO_ADDRESS})`]], url);
  }
  const result = await compiledWith({ url: "/a{% if x %}/b{% endif %}" });
  assert.ok(!result.ok);
  assert.deepEqual(result.faults, [
    {
      ...{ field: "url", line: 1, column: 3 },
      message: "an address holds no blocks: {{ … }} with filters may stand in it",
    },
  ]);
});
