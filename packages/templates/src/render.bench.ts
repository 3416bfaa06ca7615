/**
 * Measures how long rendering takes. Prints one line of JSON: the CPU time per message in microseconds, and for the
 * most expensive templates within the limits, the CPU time in milliseconds until the counters end rendering.
 */

import { compileTemplate } from "./compile.ts";
import { createRenderer } from "./render.ts";
import type { TemplateSource } from "./source.ts";

const BYTES = 256 * 1024;

/** Returns the CPU time of `work` in microseconds, over all threads. */
export function cpuMicros(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Returns a mail that repeats one construct in a loop, up to the largest source and almost as many tags as allowed. */
function mail(construct: string, before = "", after = ""): TemplateSource {
  const frame = `<p>${before}{% for a in l %}{% endfor %}${after}</p>`;
  const most = Math.floor((BYTES - frame.length) / construct.length);
  const tags = construct.split(/\{[{%]/).length - 1;
  const times = Math.min(most, Math.floor(9_700 / tags));
  const body = construct.repeat(times);
  return {
    kind: "email",
    subject: "S",
    content: `<p>${before}{% for a in l %}${body}{% endfor %}${after}</p>`,
  };
}

/** Returns a list that repeats one JSON text, up to a share of the largest variables. */
function list(json: string, share = 1): unknown[] {
  const count = Math.floor((BYTES * share) / (json.length + 1));
  return JSON.parse(`[${Array.from({ length: count }, () => json).join(",")}]`);
}

export const EXPENSIVE: Record<
  string,
  { source: TemplateSource; variables: () => Record<string, unknown> }
> = {
  // Writes JSON until no more characters may be read.
  expensiveJson: {
    source: mail("{{ x | upcase | first }}{{ a | upcase | last }}"),
    variables: () => ({ x: list('{"a":1}', 0.5), l: list("{}", 0.5) }),
  },
  // Uses the steps for comparisons, look-ups and filters.
  expensiveSteps: {
    source: mail("{% if a.b.c == x or a.b.d contains y %}{% endif %}{{ a.b.c | capitalize }}"),
    variables: () => ({ l: list('{"b":{"c":"k","d":["y"]}}'), x: "kk", y: "z" }),
  },
  // Uses formatters. Each currency needs its own.
  expensiveFormats: {
    source: mail('{{ n | money: a }}{{ n | date: "full", "full" }}{{ n | number: 20 }}'),
    variables: () => ({
      n: "1763805600",
      l: Array.from({ length: 40 }, () => Intl.supportedValuesOf("currency")).flat(),
    }),
  },
  // URLs that are read and left out, until all characters are used, and filters that make texts longer.
  expensiveTexts: {
    source: mail(
      `{{ x | escape | url_encode | last }}<a href="{{ u }}" title="{{ e }}">a</a>`,
      '<a href="{{ u }}">a</a>'.repeat(110),
    ),
    variables: () => ({
      x: "&é".repeat(40_000),
      u: `javascript:${"\t ".repeat(4_000)}b`,
      e: "",
      l: list("1", 0.1),
    }),
  },
};

const SECTION = `<mj-section><mj-column><mj-text>Hello {{ user.name }}, order {{ order-id }} has shipped.</mj-text>
  <mj-button href="{{ link }}">Track {{ parcel }}</mj-button></mj-column></mj-section>`;

const SOURCES: Record<string, TemplateSource> = {
  mjml: {
    kind: "email",
    subject: "Order {{ order-id }}",
    content: `<mjml><mj-body>${SECTION.repeat(10)}</mj-body></mjml>`,
  },
  html: {
    kind: "email",
    subject: "Order {{ order-id }}",
    content: '<p>Hello {{ user.name }}, <a href="{{ link }}">track {{ parcel }}</a></p>',
  },
  sms: {
    kind: "text",
    content: "Hello {{ user.name }}, order {{ order-id }} has shipped: {{ link }}",
  },
  receipt: {
    kind: "email",
    subject: "Receipt {{ order-id }}",
    content:
      "<p>Hello {{ user.name }}</p><table>{% for item in items %}<tr><td>{{ item.title | truncate: 20 }}</td>" +
      '<td>{{ item.price | money: "EUR" }}</td></tr>{% endfor %}</table>',
  },
  receiptSms: {
    kind: "text",
    content:
      'Hello {{ user.name }}{% for item in items %}\n{{ item.title | truncate: 20 }} {{ item.price | money: "EUR" }}{% endfor %}',
  },
  push: {
    kind: "notification",
    title: "Order {{ order-id }}",
    content: "{{ user.name }}: {{ parcel }}",
  },
};

const VARIABLES = {
  user: { name: "Zoë <O'Hara>" },
  "order-id": "A-1001",
  link: "https://example.com/track?id=1001&lang=en",
  parcel: "P 77",
  items: Array.from({ length: 20 }, (_, at) => ({ title: `Tea no. ${at}`, price: at + 0.95 })),
};

const MEASURE_MS = 300;
const result: Record<string, number> = {};
for (const [name, source] of Object.entries(SOURCES)) {
  const compileStart = performance.now();
  const compiled = await compileTemplate(source, { owner: "acme" });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
  const prepareStart = performance.now();
  const render = createRenderer(compiled.compiled);
  const prepared = performance.now();
  for (let i = 0; i < 2_000; i++) render(VARIABLES);
  let count = 0;
  const micros = cpuMicros(() => {
    const start = performance.now();
    while (performance.now() - start < MEASURE_MS) {
      for (let i = 0; i < 100; i++) render(VARIABLES);
      count += 100;
    }
  });
  result[`${name}Micros`] = Math.round((micros / count) * 100) / 100;
  result[`${name}CompileMs`] = Math.round(prepareStart - compileStart);
  result[`${name}PrepareMs`] = Math.round((prepared - prepareStart) * 10) / 10;
}
for (const [name, { source, variables }] of Object.entries(EXPENSIVE)) {
  const compiled = await compileTemplate(source, { owner: "acme" });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
  const render = createRenderer(compiled.compiled);
  const values = variables();
  // The first call runs cold code, as an attack does.
  const first = cpuMicros(() => render(values));
  const others = Array.from({ length: 5 }, () => cpuMicros(() => render(values)));
  if (render(values).ok) throw new Error(`${name} was not ended`);
  result[`${name}FirstMs`] = Math.round(first / 100) / 10;
  result[`${name}Ms`] = Math.round(Math.max(...others) / 100) / 10;
}
process.stdout.write(`${JSON.stringify({ bench: "templates", ...result })}\n`);
