import assert from "node:assert/strict";
import { test } from "node:test";
import { type Catalogue, catalogueOf, LANGUAGES, type Language } from "@belfry/admin/page/language";
import { startForOperator } from "@belfry/admin/test/start-admin";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { needlessExclusions } from "@belfry/testing/needless-exclusions";
import { emptyPages, PLATFORM_PAGES, tenantPages } from "./admin-pages.ts";
import { SAMPLES } from "./sample-day.ts";
import { sampleFacts } from "./sample-facts.ts";
import { sampleTenant } from "./sample-tenant.ts";

const OTHERS = (Object.keys(LANGUAGES) as Language[]).filter((one) => one !== "en");

/** Words of English that neither German nor French has. */
const ENGLISH =
  /(?<![\w.@/’'-])(?:the|of|is|are|and|this|that|with|from|for|by|to|has|have|were|it|its|not|your|you|be|been|only|each|which|every|yes|hours?|seconds|days?|last|ago|until|since)(?![\w@/’'-]|\.\w)/i;

/** English that no page translates: what the sample tenant wrote, and what a vendor or an endpoint said. */
const DATA = [
  "Your order A-1001",
  "Northwind: order A-1001 is confirmed",
  "It leaves our shelves",
  "We have your order",
  "See your order",
  "Your parcel arrives",
  "The shop: shows in the order",
  "SendGrid refused the key",
  "SendGrid accepted the message",
  "The sandbox accepted the message",
  "Vonage refused the key",
  "from orders@books.example.com",
  "Northwind",
  "Offers",
];

for (const language of OTHERS) {
  test(`no page of the Admin UI in ${LANGUAGES[language]} shows an English text`, async (t) => {
    const { admin, operator } = await startForOperator(t, { facts: sampleFacts() });
    const tenant = await sampleTenant(admin);
    await admin.pool.query(
      `insert into receipts (tenant_id, provider_kind, vendor_event, delivery_id, kind, vendor_status)
       select tenant_id, 'sendgrid', id, id, 'deferred', '451' from deliveries where event_id = $1`,
      [tenant.failedEventId],
    );
    const { id: emptyId } = await createTenant(admin.db, { name: "Nothing Yet" });
    await operator.post("/account/name", { name: "Olga Operator", language }, { from: "/account" });
    const pages = { ...tenantPages(tenant), ...PLATFORM_PAGES, ...emptyPages(emptyId) };
    const catalogue = catalogueOf(language);
    const english: string[] = [];
    const all = new Set<string>();
    for (const [name, path] of Object.entries(pages)) {
      for (const text of textsOf(await operator.text(path))) {
        if (all.has(text)) continue;
        all.add(text);
        const isData = DATA.some((one) => text.includes(one)) || SAMPLES.includes(text);
        if (!isData && isEnglish(text, catalogue)) english.push(`${name}: ${text}`);
      }
    }
    assert.deepEqual(english, []);
    if (language === "de") {
      const matching = DATA.filter((one) => [...all].some((text) => text.includes(one)));
      assert.deepEqual(needlessExclusions(DATA, matching), []);
    }
  });
}

function isEnglish(text: string, catalogue: Catalogue): boolean {
  const term = /^[\s(:,–·]*(.*?)[\s):,.]*$/.exec(text)?.[1] ?? "";
  const said = Object.hasOwn(catalogue, text) ? text : term;
  const translated = Object.hasOwn(catalogue, said) ? catalogue[said] : said;
  // A translation may be the source of another text: "Format" is a word of both languages.
  return translated !== said ? !Object.values(catalogue).includes(said) : ENGLISH.test(text);
}

/** Code, values of fields and messages as they were sent are no texts of the Admin UI. */
const NO_TEXT =
  /<(script|style|pre|textarea|code|svg|ins|del|blockquote)\b.*?<\/\1>|<p class="said">.*?<\/p>|<!--.*?-->/gs;
const ATTRIBUTE = /\s(?:title|placeholder|aria-label|alt|label|data-confirm|data-label)="([^"]*)"/g;

/** The visible texts of a page, and those that a screen reader tells. */
function textsOf(html: string): string[] {
  const page = html.replaceAll(NO_TEXT, "<code>");
  const attributes = [...page.matchAll(ATTRIBUTE)].map(([, text = ""]) => text);
  return [...page.split(/<[^>]*>/), ...attributes]
    .map((text) => text.replaceAll(/\s+/g, " ").trim())
    .filter((text) => /\p{L}{2}/u.test(text));
}
