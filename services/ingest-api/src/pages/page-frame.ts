import { hash } from "node:crypto";
import type { LinkPurpose } from "@belfry/contracts/message-links";
import type { Database } from "@belfry/database/connection";
import type { Link } from "@belfry/database/link-token";
import { escapeHtml } from "@belfry/templates/language/characters";
import type { FastifyReply } from "fastify";
import type { PageWords } from "./page-words.ts";

/** The tenant's name and colours on a page. */
export interface Brand {
  name: string;
  /** `#rrggbb`, or null. */
  primaryColor: string | null;
  backgroundColor: string | null;
}

/** HTML in which all texts of tenants and users are escaped. */
export type Html = string;

export interface Page {
  status?: number;
  title: string;
  /** The content of the card, below the name. */
  content: Html;
}

/** A request to a page with a valid link. */
export interface LinkVisit {
  db: Database;
  link: Link;
  /** Notifies the user's open pages that the preferences changed; best effort. */
  announceChanged(): void;
  /** The reader's languages in lower case, the preferred one first. */
  languages: readonly string[];
  words: PageWords;
  /** The tenant's name as HTML, to insert into a sentence. */
  name: Html;
}

export interface LinkPage {
  purpose: LinkPurpose;
  /** Returns the page. Changes nothing, because mail scanners also follow links. */
  show(visit: LinkVisit): Promise<Page>;
  /** Carries out a posted form and returns the page that follows. */
  change(visit: LinkVisit, form: URLSearchParams): Promise<Page>;
}

const COLOR = /^#[0-9a-f]{6}$/i;
const NO_BRAND: Brand = { name: "", primaryColor: null, backgroundColor: null };

/** Returns a tenant's text for use inside Belfry's texts; `bdi` isolates the text's writing direction. */
export function tenantText(text: string): Html {
  return `<bdi>${escapeHtml(text)}</bdi>`;
}

/**
 * Replaces each `{name}` in a sentence by the HTML in `parts`. If the HTML is empty, removes the space before it, too.
 */
export function filled(sentence: string, parts: Readonly<Record<string, Html>>): Html {
  return escapeHtml(sentence).replace(/( ?)\{(\w+)\}/g, (place, blank: string, name: string) => {
    const part = parts[name];
    if (part === undefined) return place;
    return part === "" ? "" : blank + part;
  });
}

/** Sends a page that runs no script, loads nothing from other servers, and cannot be framed or indexed. */
export function sendPage(
  reply: FastifyReply,
  words: PageWords,
  brand: Brand | undefined,
  page: Page,
): FastifyReply {
  const { name, ...colors } = brand ?? NO_BRAND;
  const style = PAGE_CSS + colorRules(colors);
  const head = name === "" ? "" : `<p class="name">${tenantText(name)}</p>`;
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

/** Returns CSS for the tenant's colours. In dark mode the background colour stays ours. */
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

/** Returns black or white, whichever has the higher contrast to the colour (WCAG 2.2, relative luminance). */
function readableOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.179 ? "#000000" : "#ffffff";
}

/** The style of the pages that links in messages open: one card, designed for phones first. */
const PAGE_CSS = `
:root{color-scheme:light dark;--paper:#f3f4f6;--card:#ffffff;--ink:#1c1f23;--soft:#54595f;--line:#d5d8dc;
--edge:#7b8188;--brand:#1f2933;--on-brand:#ffffff;--good:#11603c;--good-wash:#e4f4ea}
@media (prefers-color-scheme:dark){:root{--paper:#111315;--card:#1b1e21;--ink:#eceef0;--soft:#aab0b6;--line:#33383d;
--edge:#7d858d;--brand:#e3e6e9;--on-brand:#15181b;--good:#8ddcb0;--good-wash:#17301f}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:34rem;margin:0 auto;padding:1.75rem 1.25rem 2rem;background:var(--card);min-height:100vh;
border-top:6px solid var(--brand);overflow-wrap:anywhere}
@media (min-width:38rem){main{margin:4rem auto;padding:2.25rem 2.5rem 2.5rem;min-height:0;border-radius:12px;
box-shadow:0 1px 3px rgb(0 0 0/12%)}}
.name{margin:0 0 1.5rem;font-weight:600;color:var(--soft)}
h1{margin:0 0 .75rem;font-size:1.6rem;line-height:1.25;letter-spacing:-.01em}
h2{margin:2rem 0 .75rem;font-size:1.15rem}
p{margin:0 0 1.25rem}
.soft{color:var(--soft);font-size:.9rem}
.done{padding:.6rem .9rem;border-radius:8px;background:var(--good-wash);color:var(--good)}
form{margin:0}
form+form{margin-top:.75rem}
button{font:inherit;font-weight:600;padding:.7rem 1.4rem;border-radius:8px;border:1px solid var(--edge);cursor:pointer;
background:transparent;color:var(--ink)}
button.main{background:var(--brand);border-color:var(--edge);color:var(--on-brand)}
:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
.buttons{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.5rem}
@media (max-width:26rem){button{width:100%}}
fieldset{margin:0;padding:1rem 0;border:0;border-top:1px solid var(--line)}
legend{float:left;width:100%;padding:0;font-weight:600}
fieldset p{clear:both;margin:0 0 .35rem}
.choices{clear:both;display:flex;flex-wrap:wrap;gap:.25rem 1.5rem}
label{display:flex;align-items:center;gap:.55rem;min-height:2.75rem}
[role=switch]{position:relative;flex:none;width:2.5rem;height:1.5rem;margin:0;border:2px solid var(--edge);border-radius:99px;
appearance:none;cursor:pointer}
[role=switch]::before{content:"";position:absolute;inset-block-start:.2rem;inset-inline-start:.2rem;width:.85rem;height:.85rem;
border-radius:50%;background:var(--edge)}
[role=switch]:checked{border-color:var(--edge);background:var(--brand)}
[role=switch]:checked::before{inset-inline-start:1.2rem;background:var(--on-brand)}
@media (forced-colors:active){[role=switch]::before{background:ButtonText!important}}
`;
