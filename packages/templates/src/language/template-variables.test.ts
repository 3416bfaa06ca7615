import assert from "node:assert/strict";
import { test } from "node:test";
import { templateNames, templateVariables } from "./template-variables.ts";

test("a variable is a text, a list, an object or a flag by how it is used", () => {
  for (const [text, ...variables] of [
    [
      "{{ name }} {{ first name }}",
      { name: "name", kind: "text" },
      { name: "first name", kind: "text" },
    ],
    ["{{ user.name }}{{ user.city }}", { name: "user", kind: "object", fields: ["name", "city"] }],
    ["{% if vip %}a{% endif %}", { name: "vip", kind: "flag" }],
    ["{% if vip %}{{ vip }}{% endif %}", { name: "vip", kind: "text" }],
    [
      "{% if total > least %}{% endif %}",
      { name: "total", kind: "text" },
      { name: "least", kind: "text" },
    ],
    [
      "{% for item in items %}{{ item.title }}{{ item.price | money: currency }}{% endfor %}",
      { name: "items", kind: "list", fields: ["title", "price"] },
      { name: "currency", kind: "text" },
    ],
    [
      "{% for tag in tags limit: most %}{{ tag }}{% endfor %}",
      { name: "tags", kind: "list" },
      { name: "most", kind: "text" },
    ],
    [
      "{% for x in order.items %}{{ x.title }}{% endfor %}",
      { name: "order", kind: "object", fields: ["items"] },
    ],
    [
      "{% for order in orders %}{% for x in order.items %}{{ x.title }}{% endfor %}{% endfor %}",
      { name: "orders", kind: "list", fields: ["items"] },
    ],
    ["{{ items.size }}{{ items.first.title }}", { name: "items", kind: "list", fields: ["title"] }],
    ['{{ tags | join: ", " }}', { name: "tags", kind: "list" }],
    ['{{ "x" | default: other }}{{ $unsubscribe_url }}', { name: "other", kind: "text" }],
    [
      "{% for x in $items %}{{ x.author }}{{ x.$at }}{{ $count }}{% endfor %}",
      { name: "$items", kind: "list", fields: ["author"] },
    ],
    [
      "{% for x in xs %}{{ x }}{{ forloop.index }}{% else %}{{ x }}{% endfor %}",
      { name: "xs", kind: "list" },
      { name: "x", kind: "text" },
    ],
  ] as const) {
    assert.deepEqual(templateVariables([text]), variables, text);
  }
});

test("what can be read of a text with faults is said", () => {
  const variables = templateVariables(["{{ a }}{% if b %}{{ c | nothing }}{{ d"]);
  assert.deepEqual(
    variables.map(({ name }) => name),
    ["a", "b"],
  );
});

test("the names that a version stores are those of the tenant, as they are written", () => {
  const text = "{% for x in order.lines %}{{ x.a }}{{ $url }}{{ b.c }}{% endfor %}{{ b.c }}";
  assert.deepEqual(templateNames([text]), ["order.lines", "$url", "b.c"]);
});
