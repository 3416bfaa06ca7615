/** How long rendering a compiled template takes. Prints one JSON line, microseconds a message. */

import { compileTemplate } from "./compile.ts";
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
};

const MEASURE_MS = 300;
const result: Record<string, number> = {};
for (const [name, source] of Object.entries(SOURCES)) {
  const compileStart = performance.now();
  const compiled = await compileTemplate(source, "acme");
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
  const prepareStart = performance.now();
  const render = createRenderer(compiled.compiled);
  const prepared = performance.now();
  for (let i = 0; i < 2_000; i++) render(VARIABLES);
  const start = performance.now();
  let count = 0;
  while (performance.now() - start < MEASURE_MS) {
    for (let i = 0; i < 100; i++) render(VARIABLES);
    count += 100;
  }
  const perRender = ((performance.now() - start) * 1000) / count;
  result[`${name}Micros`] = Math.round(perRender * 100) / 100;
  result[`${name}CompileMs`] = Math.round(prepareStart - compileStart);
  result[`${name}PrepareMs`] = Math.round((prepared - prepareStart) * 10) / 10;
}
process.stdout.write(`${JSON.stringify({ bench: "templates", ...result })}\n`);
