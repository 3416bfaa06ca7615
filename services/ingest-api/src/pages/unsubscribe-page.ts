import { ANY, isPreferenceChannel } from "@belfry/contracts/preferences";
import type { Database } from "@belfry/database/connection";
import type { Link } from "@belfry/database/link-token";
import { type Category, setPreferences } from "@belfry/database/preferences";
import { escapeHtml } from "@belfry/templates/language/characters";
import { sql } from "kysely";
import {
  filled,
  type Html,
  type LinkPage,
  type LinkVisit,
  type Page,
  tenantText,
} from "./page-frame.ts";
import { channelWords, textFor } from "./page-words.ts";

/** The form field that mailbox providers (RFC 8058) and our own button post. */
const ONE_CLICK = { name: "List-Unsubscribe", value: "One-Click" } as const;
const AGAIN = { name: "action", value: "subscribe" } as const;

/** The page that turns one preference (a category on a channel) off with one POST, and on again with another. */
export const unsubscribePage: LinkPage = {
  purpose: "unsubscribe",
  async show(visit) {
    const { category, enabled } = await readCell(visit.db, visit.link);
    if (enabled === false && category?.required !== true) return unsubscribed(visit, category);
    return category?.required === true ? requiredPage(visit, category) : asked(visit, category);
  },
  async change(visit, form) {
    const { db, link } = visit;
    const enabled = form.get(AGAIN.name) === AGAIN.value;
    const isKnown = enabled || form.get(ONE_CLICK.name) === ONE_CLICK.value;
    // Any other form changes nothing.
    if (!isKnown) return { ...(await unsubscribePage.show(visit)), status: 400 };
    const { category, channel } = link;
    if (isPreferenceChannel(channel)) {
      const cells = [{ category, channel, enabled }];
      const changed = await setPreferences(db, link, "unsubscribe link", cells);
      if (changed > 0) visit.announceChanged();
    }
    const { category: found } = await readCell(db, link);
    if (found?.required === true) return requiredPage(visit, found);
    return enabled ? subscribed(visit, found) : unsubscribed(visit, found);
  },
};

function asked(visit: LinkVisit, category: CellCategory | undefined): Page {
  const { words } = visit;
  const button = `<button class="main" ${pair(ONE_CLICK)}>${escapeHtml(words.unsubscribe)}</button>`;
  return drawn(visit, category, words.unsubscribe, words.ask, button);
}

function unsubscribed(visit: LinkVisit, category: CellCategory | undefined): Page {
  const { words } = visit;
  const button = `<button ${pair(AGAIN)}>${escapeHtml(words.subscribeAgain)}</button>`;
  return drawn(visit, category, words.unsubscribed, words.noMore, button);
}

function subscribed(visit: LinkVisit, category: CellCategory | undefined): Page {
  const { words } = visit;
  const button = `<button ${pair(ONE_CLICK)}>${escapeHtml(words.unsubscribe)}</button>`;
  return drawn(visit, category, words.subscribed, words.asBefore, button);
}

function requiredPage(visit: LinkVisit, category: CellCategory): Page {
  return drawn(visit, category, visit.words.required, visit.words.requiredWhy, "");
}

function drawn(
  visit: LinkVisit,
  category: CellCategory | undefined,
  title: string,
  sentence: string,
  button: Html,
): Page {
  const { words, link, name } = visit;
  const by = isPreferenceChannel(link.channel) ? channelWords(words, link.channel).by : "";
  const parts = { name, what: whatIs(visit, category), by: escapeHtml(by) };
  const form = button === "" ? "" : `\n<form method="post">${button}</form>`;
  const content = `<h1>${escapeHtml(title)}</h1>\n<p>${filled(sentence, parts)}</p>${form}`;
  return { title, content };
}

function whatIs({ words, link, languages }: LinkVisit, category: CellCategory | undefined): Html {
  if (link.category === ANY) return escapeHtml(words.everything);
  const label = category === undefined ? "" : textFor(category.label, languages);
  if (label === "") return escapeHtml(words.these);
  return filled(words.quoted, { what: tenantText(label) });
}

function pair({ name, value }: { name: string; value: string }): Html {
  return `name="${name}" value="${value}"`;
}

type CellCategory = Pick<Category, "label" | "required">;

/**
 * Reads the category of a link and the user's choice. `category` is undefined if it was deleted or if the link is for
 * all categories.
 */
async function readCell(
  db: Database,
  { tenantId, userId, category, channel }: Link,
): Promise<{ category: CellCategory | undefined; enabled: boolean | undefined }> {
  const found = await db
    .selectFrom("categories")
    .select(["label", "required"])
    .where("tenant_id", "=", tenantId)
    .where("key", "=", category)
    .executeTakeFirst();
  const said = await db
    .selectFrom("preferences")
    .select("enabled")
    .where("tenant_id", "=", tenantId)
    .where("user_id", "=", userId)
    .where("category", "=", category)
    .where(sql<boolean>`channel = ${channel}`)
    .executeTakeFirst();
  return { category: found, enabled: said?.enabled };
}
