/** Templates and variables, as large as they may be, that cost most until their counters end them. */

import type { TemplateSource } from "../source.ts";

const BYTES = 256 * 1024;

/** Microseconds of CPU, of all threads, that some work takes. */
export function cpuMicros(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** A mail of one construct again and again, in a loop, up to the largest source. */
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

/** A list of one JSON text again and again, up to the largest variables. */
function list(json: string, share = 1): unknown[] {
  const count = Math.floor((BYTES * share) / (json.length + 1));
  return JSON.parse(`[${Array.from({ length: count }, () => json).join(",")}]`);
}

export const EXPENSIVE: Record<
  string,
  { source: TemplateSource; variables: () => Record<string, unknown> }
> = {
  // JSON again and again, until no more characters may be read.
  expensiveJson: {
    source: mail("{{ x | upcase | first }}{{ a | upcase | last }}"),
    variables: () => ({ x: list('{"a":1}', 0.5), l: list("{}", 0.5) }),
  },
  // Each step a comparison, a look-up, a filter.
  expensiveSteps: {
    source: mail("{% if a.b.c == x or a.b.d contains y %}{% endif %}{{ a.b.c | capitalize }}"),
    variables: () => ({ l: list('{"b":{"c":"k","d":["y"]}}'), x: "kk", y: "z" }),
  },
  // Formatters, each currency with one of its own.
  expensiveFormats: {
    source: mail('{{ n | money: a }}{{ n | date: "full", "full" }}{{ n | number: 20 }}'),
    variables: () => ({
      n: "1763805600",
      l: Array.from({ length: 40 }, () => Intl.supportedValuesOf("currency")).flat(),
    }),
  },
  // Addresses that are read and left out, up to all characters, then filters that make texts longer.
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
