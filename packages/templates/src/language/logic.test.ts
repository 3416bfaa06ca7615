import assert from "node:assert/strict";
import { test } from "node:test";
import { compiled, mailSource, message } from "../../test/compiled.ts";
import { createRenderer, type RenderSettings } from "../render.ts";
import { parseVariables } from "./event-variables.ts";

async function sms(content: string, variables = "{}", settings?: RenderSettings, locale?: string) {
  const template = await compiled({ kind: "text", content }, { locale });
  return message(template, parseVariables(variables) ?? {}, settings);
}

async function mail(content: string, variables: string, subject = "S") {
  const template = await compiled(mailSource(content, { subject }));
  return message(template, parseVariables(variables) ?? {});
}

test("conditions, loops and filters in a short message", async () => {
  const content =
    'Hi {{ name | default: "you" }}:{% for item in items limit: 2 %} {{ forloop.index }}. {{ item.title | upcase }}' +
    "{% unless forloop.last %},{% endunless %}{% else %} nothing{% endfor %}" +
    "{% if total > 20 and vip %} free{% elsif total == 0 %} none{% else %} 5{% endif %}";
  const items = '[{"title":"tea"},{"title":"jam"},{"title":"milk"}]';
  const full = await sms(content, `{"name":"Ann","items":${items},"total":20.50,"vip":true}`);
  assert.equal(full.text, "Hi Ann: 1. TEA, 2. JAM free");
  assert.equal((await sms(content, '{"items":[],"total":0}')).text, "Hi you: nothing none");
});

test("blanks are trimmed where a block's tag says so", async () => {
  const content = "a {%- if x %} b {% else -%} c {%- endif -%} \n d {{ x }}";
  assert.equal((await sms(content, '{"x":1}')).text, "a b d 1");
  assert.equal((await sms(content)).text, "acd ");
});

test("a loop's item hides a variable of its name, and is gone behind its loop", async () => {
  const content =
    "{% for x in a %}{% for x in x %}{{ x }}{{ forloop.last }}{% endfor %}{{ forloop.first }}{% endfor %}{{ x }}";
  const { text } = await sms(content, '{"a":[["1"],["2"]],"x":"outer","x.y":"whole"}');
  assert.equal(text, "1truetrue2truefalseouter");
  const whole = await sms(
    "{% for x in a %}{{ x.y }}{{ x.y.z }}{% endfor %}{{ x.y }}",
    '{"a":[{"y.z":1,"y":2}],"x.y":"w"}',
  );
  assert.equal(whole.text, "21w");
});

test("numbers are compared as numbers and written as they stand", async () => {
  const content =
    "{{ n }}{% if n == 10.1 %}a{% endif %}{% if n < 1e2 or big > 1 %}b{% endif %}{{ big }}{{ n | default: 2.50 }}{{ gone | default: 2.50 }}";
  const { text } = await sms(
    content.replace("1e2", "100"),
    '{"n":10.10,"big":123456789012345678901234567890}',
  );
  assert.equal(text, "10.10ab12345678901234567890123456789010.102.50");
});

test("a condition is true of 0 and of an empty text, as in Liquid", async () => {
  const content =
    "{% if z %}0{% endif %}{% if e %}e{% endif %}{% if e == blank %}b{% endif %}{% if f or n or gone %}no{% endif %}";
  assert.equal((await sms(content, '{"z":0,"e":"","f":false,"n":null}')).text, "0eb");
});

test("names that were written without a value are told, and only those", async () => {
  const content =
    '{{ a }}{{ b | upcase }}{{ c | default: "x" }}{% if d %}{{ e }}{% endif %}{% for x in l %}{{ x.f }}{% endfor %}{{ n }}{{ "t" | size }}';
  assert.deepEqual((await sms(content, '{"l":[{}],"n":null}')).missing, ["a", "b", "x.f"]);
});

test("a required variable that is missing, null or blank ends the message by its name", async () => {
  const render = createRenderer(await compiled({ kind: "text", content: "{{ a }}" }));
  const required = ["a", "user.name"];
  for (const [variables, name] of [
    ["{}", "a"],
    ['{"a":null}', "a"],
    ['{"a":" \\n"}', "a"],
    ['{"a":1}', "user.name"],
    ['{"a":1,"user":{"name":""}}', "user.name"],
  ] as const) {
    assert.deepEqual(render(JSON.parse(variables), { required }), {
      ok: false,
      code: "variable-missing",
      args: { name },
      reason: `variable missing: ${name}`,
    });
  }
  for (const variables of ['{"a":0,"user.name":"x"}', '{"a":false,"user":{"name":"x"}}']) {
    assert.ok(render(JSON.parse(variables), { required }).ok, variables);
  }
});

test("a system's value is there by its name, and a tenant's own one wins", async () => {
  const settings = { system: { $url: "https://x.io", $items: [{ a: 1 }, { a: 2 }], plain: "no" } };
  const plain = "{{ $url }}{{ plain }}";
  const logic = "{{ $url }}{{ plain }}{% for x in $items %}{{ x.a }}{% endfor %}{{ $items.size }}";
  assert.equal((await sms(plain, "{}", settings)).text, "https://x.io");
  assert.equal((await sms(logic, "{}", settings)).text, "https://x.io122");
  assert.equal((await sms(logic, '{"$url":"mine","$items":[]}', settings)).text, "mine0");
  assert.equal((await sms(plain)).text, "");
});

test("escape and newline_to_br do what the place needs", async () => {
  const variables = '{"x":"<a>\\n&"}';
  const html = await mail(
    '<p title="{{ x | escape }}">{{ x | escape | newline_to_br }}</p>',
    variables,
    "{{ x | escape }}",
  );
  assert.equal(html.html, '<p title="&lt;a&gt;\n&amp;">&lt;a&gt;<br />\n&amp;</p>');
  assert.equal(html.text, "<a>\n&");
  assert.equal(html.subject, "&lt;a&gt; &amp;");
  assert.equal((await sms("{{ x | escape }}", variables)).text, "&lt;a&gt;\n&amp;");
});

test("an address of the text part is left out where its value is refused, in a loop and with filters", async () => {
  const content =
    '{% for x in l %}<p>Go <a href="{{ x | default: d }}/{{ y }}">there</a>.</p>{% endfor %}';
  const { text } = await mail(
    content,
    '{"l":["https://x.io","javascript:x",null],"d":"https://d.io","y":1}',
  );
  assert.equal(text, "Go there [https://x.io/1].\n\nGo there.\n\nGo there [https://d.io/1].");
});

test("a translation's language wins over the tenant's", async () => {
  const german = await sms("{{ n | number }}", '{"n":1234.50}', { locale: "fr" }, "de");
  assert.equal(german.text, "1.234,50");
  assert.equal((await sms("{{ n | number }}", '{"n":1234.50}', { locale: "fr" })).text, "1 234,50");
  assert.equal((await sms("{{ n | number }}", '{"n":1234.50}')).text, "1,234.50");
});

test("a word in quotes is a text, whatever it means without them", async () => {
  const content = `{% if a == "not" or "and" == a or a contains "or" %}{{ 'nil' }}{% endif %}{{ "in" | default: "empty" }}`;
  assert.equal((await sms(content, '{"a":"not"}')).text, "nilin");
});

test("braces are written as texts in quotes", async () => {
  assert.equal((await sms(`{{ "{{ x" }} }} {{ '{%' }} %}`)).text, "{{ x }} {% %}");
});

test("a stored text that no template was made of is written by nobody", () => {
  const stored = { kind: "text", text: "{% if x %}a", variables: [] } as const;
  const rendered = createRenderer({ ...stored, variables: [] })({});
  assert.deepEqual(rendered, {
    ok: false,
    code: "template-unreadable",
    reason: "the stored template cannot be read",
  });
});

test("lists in lists are the work that writing them as JSON is", async () => {
  const deep = JSON.parse(`{"d":${"[".repeat(1000)}${"]".repeat(1000)}}`);
  const render = async (count: number) => {
    const content = `<p>${"{{ d | upcase | size }}".repeat(count)}</p>`;
    return createRenderer(await compiled(mailSource(content)))(deep);
  };
  assert.ok((await render(1)).ok);
  const often = await render(3);
  assert.equal(!often.ok && often.reason, "too costly to render");
});
