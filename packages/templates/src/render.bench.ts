/**
 * How long rendering a compiled template takes. Prints one JSON line: microseconds of CPU a message, and
 * milliseconds of CPU until the most expensive templates that there can be are ended by their counters.
 */

import { compileTemplate } from "./compile.ts";
import { cpuMicros, EXPENSIVE } from "./language/test-expensive-templates.ts";
import { createRenderer } from "./render.ts";
import type { TemplateSource } from "./source.ts";

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
  // The first one finds cold code: that is what an attack meets, too.
  const first = cpuMicros(() => render(values));
  const others = Array.from({ length: 5 }, () => cpuMicros(() => render(values)));
  if (render(values).ok) throw new Error(`${name} was not ended`);
  result[`${name}FirstMs`] = Math.round(first / 100) / 10;
  result[`${name}Ms`] = Math.round(Math.max(...others) / 100) / 10;
}
process.stdout.write(`${JSON.stringify({ bench: "templates", ...result })}\n`);
