import { join } from "node:path";
import { Eta } from "eta";
import { FORM_TOKEN } from "./cookies.ts";
import { catalogueOf, LANGUAGES, type Language, Phrase, renderedIn } from "./language.ts";
import { offeredLanguages, TIME_ZONES } from "./locale-names.ts";
import { translateView } from "./translate-source.ts";
import * as words from "./words.ts";

const etas = new Map<Language, Eta>();

/** Returns the compiler of the views in a language. Each view is compiled once for each language that is used. */
function etaOf(language: Language): Eta {
  const known = etas.get(language);
  if (known !== undefined) return known;
  const made = new Eta({
    views: join(import.meta.dirname, "../views"),
    cache: true,
    autoEscape: true,
    autoFilter: true,
    functionHeader: PARTS,
    filterFunction: (value) => (value instanceof Phrase ? value.in(language) : (value as string)),
    plugins: [
      {
        processTemplate: (source) => withTokens(translateView(source, catalogueOf(language))),
        processFnString: includesOwnValues,
      },
    ],
  });
  etas.set(language, made);
  return made;
}

/**
 * The functions of views, besides `include`, that add a field, a check box, a button with a form of its own, and the
 * head of a table. A column is its title, or `[title, class]`.
 */
const PARTS = `
const field = (name, label, more) =>
  include("./field", { name, label, value: it.values?.[name], fault: it.faults?.[name], ...more });
const check = (name, label, more) => include("./check", { name, label, checked: it.values?.[name], ...more });
const post = (action, text, more) => include("./post", { action, text, ...more });
const columns = (...all) => include("./columns", { all });`;

/** Matches the tag of a form, whose attributes may have Eta tags. */
const FORM = /<form\b(?:<%[\s\S]*?%>|[^>])*>/g;
const TOKEN = `<input type="hidden" name="${FORM_TOKEN}" value="<%= it.token %>">`;

/** Adds to each form that posts the token without which the router refuses it. */
function withTokens(source: string): string {
  return source.replaceAll(FORM, (tag) => (tag.includes('method="post"') ? tag + TOKEN : tag));
}

/** Eta's code that gives a partial the values of the page in addition to those of its include. */
const MERGED = "{...it, ...(__eta_d ?? {})}";

/**
 * Gives a partial only the values of its include and those that every page has. Otherwise a partial that reads an
 * optional `link` would show the page's `link` if its include has none.
 */
function includesOwnValues(source: string): string {
  if (!source.includes(MERGED)) throw new Error("Eta hands values to partials in another way");
  const own = ["words", "uiLanguage", "uiLanguages", "token", "base"].map(
    (name) => `${name}: it.${name}`,
  );
  return source.replaceAll(MERGED, `{ ${own.join(", ")}, ...__eta_d }`);
}

/** Renders a view. Eta escapes everything that a page shows unless the view uses `<%~`. */
export function renderView(
  view: string,
  data: Record<string, unknown>,
  language: Language = "en",
): string {
  const own = {
    ...data,
    uiLanguage: language,
    uiLanguages: LANGUAGES,
    words: { ...words, icon, TIME_ZONES, offeredLanguages },
  };
  return renderedIn(language, () => etaOf(language).render(`./${view}`, own));
}

/** Outline icons, 24 by 24, in the colour of the text beside them. Screen readers skip them. */
const PATHS: Readonly<Record<string, string>> = {
  overview: "M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-4H4zM14 8h6V4h-6z",
  activity: "M3 12h4l3 8 4-16 3 8h4",
  waiting: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.5 2",
  broadcasts: "M4 10v4h4l8 5V5l-8 5zM19 9.5a4 4 0 0 1 0 5M8 14v5h3",
  templates: "M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h7",
  design:
    "M12 3a9 9 0 0 0 0 18c2 0 2-1.5 1.5-2.5s0-2.5 1.5-2.5h2a4 4 0 0 0 4-4c0-5-4-9-9-9zM7.5 12h.01M10 7.5h.01M15 8h.01",
  providers: "M4 12l16-8-5 17-4-7zM11 14l4-4",
  keys: "M15 9a5 5 0 1 0-4.6 5L12 16h2v2h2v2h4v-4l-5.3-5.3A5 5 0 0 0 15 9zM9 8.5h.01",
  outbox: "M4 13l3-9h10l3 9v7H4zM4 13h5l1 3h4l1-3h5",
  users: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c1-4 4-6 8-6s7 2 8 6",
  members:
    "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21c.5-4 3-6 7-6s6.5 2 7 6M16 3.5a4 4 0 0 1 0 7M18 15c2.5.5 4 2.5 4 6",
  audit: "M5 4h14v17H5zM9 2v4M15 2v4M9 11h6M9 15h6",
  settings: "M4 7h10M18 7h2M4 17h2M10 17h10M14 4v6M6 14v6",
  tenants: "M4 21V5l8-2v18M12 9l8 2v10M3 21h18M8 8h.01M8 12h.01M8 16h.01M16 14h.01M16 18h.01",
  alerts: "M6 16v-6a6 6 0 0 1 12 0v6l2 2H4zM10 21h4",
  system: "M4 5h16v6H4zM4 13h16v6H4zM8 8h.01M8 16h.01",
  dead: "M12 3l10 18H2zM12 10v5M12 18h.01",
  topics: "M4 6h16M4 12h10M4 18h10M18 14v7M14.5 17.5h7",
  suppressions: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM6 6l12 12",
  categories: "M3 12V4h8l10 10-8 8zM7.5 8h.01",
  replies: "M4 5h16v11H9l-5 4zM8 9h8M8 12h5",
  webhooks:
    "M9 17a4 4 0 1 1-4-4M5 17h9M15.5 8.5a4 4 0 1 0-5.6 3.7L7.5 16M12 8l4 6.5a4 4 0 1 1-.6 6",
  find: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5",
  menu: "M4 7h16M4 12h16M4 17h16",
  out: "M15 4h4v16h-4M4 12h11M8 8l-4 4 4 4",
  check: "M5 13l4 4L19 7",
  plus: "M12 5v14M5 12h14",
  up: "M12 19V5M6 11l6-6 6 6",
};

function icon(name: string): string {
  const path = PATHS[name] ?? "";
  return `<svg class="icon" viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${path}"/></svg>`;
}
