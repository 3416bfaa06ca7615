import { hash } from "node:crypto";
import { escapeHtml } from "@belfry/templates/html/escape-html";
import type { FastifyReply } from "fastify";
import { PAGE_CSS } from "./page-style.ts";
import type { PageWords } from "./page-words.ts";

/** In whose name a page speaks. */
export interface Brand {
  name: string;
  /** `#rrggbb`, or null. */
  primaryColor: string | null;
  backgroundColor: string | null;
}

/** HTML, everything of others in it escaped. */
export type Html = string;

export interface Page {
  status?: number;
  title: string;
  /** What stands in the card, below the name. */
  content: Html;
}

const COLOR = /^#[0-9a-f]{6}$/i;
const NO_BRAND: Brand = { name: "", primaryColor: null, backgroundColor: null };

/** A tenant's text within ours: whatever direction it is written in ends with it. */
export function theirs(text: string): Html {
  return `<bdi>${escapeHtml(text)}</bdi>`;
}

/** A sentence with its places filled; `parts` are HTML. Where one is empty the blank before it goes, too. */
export function filled(sentence: string, parts: Readonly<Record<string, Html>>): Html {
  return escapeHtml(sentence).replace(/( ?)\{(\w+)\}/g, (place, blank: string, name: string) => {
    const part = parts[name];
    if (part === undefined) return place;
    return part === "" ? "" : blank + part;
  });
}

/** Answers with a page: no script, nothing from elsewhere, framed by nobody, found by no search engine. */
export function sendPage(
  reply: FastifyReply,
  words: PageWords,
  brand: Brand | undefined,
  page: Page,
): FastifyReply {
  const { name, ...colors } = brand ?? NO_BRAND;
  const style = PAGE_CSS + colorRules(colors);
  const head = name === "" ? "" : `<p class="name">${theirs(name)}</p>`;
  const title = [page.title, name].filter(Boolean).map(escapeHtml).join(" – ");
  const html = `<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
${head}
${page.content}
</main>
</body>
</html>
`;
  return reply
    .code(page.status ?? 200)
    .headers({
      "content-type": "text/html; charset=utf-8",
      "content-language": words.language,
      "content-security-policy": [
        "default-src 'none'",
        `style-src 'sha256-${hash("sha256", style, "base64")}'`,
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join("; "),
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "x-robots-tag": "noindex, nofollow",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": "camera=(), microphone=(), geolocation=(), interest-cohort=()",
      "cache-control": "no-store",
      vary: "accept-language",
    })
    .send(html);
}

/** The tenant's colours; in the dark its background stays ours. */
function colorRules({ primaryColor, backgroundColor }: Omit<Brand, "name">): string {
  const rules: string[] = [];
  if (primaryColor !== null && COLOR.test(primaryColor)) {
    rules.push(`:root{--brand:${primaryColor};--on-brand:${readableOn(primaryColor)}}`);
  }
  if (backgroundColor !== null && COLOR.test(backgroundColor)) {
    rules.push(`@media not (prefers-color-scheme:dark){:root{--paper:${backgroundColor}}}`);
  }
  return rules.join("");
}

/** Black or white, whichever stands out more (WCAG 2.2, relative luminance). */
function readableOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.179 ? "#000000" : "#ffffff";
}
