import assert from "node:assert/strict";
import { test } from "node:test";
import { allMessages } from "../../test/messages.ts";
import { startForTenant } from "../admin-under-test.ts";
import { acceptedLanguage, catalogueOf, LANGUAGES, type Language, say } from "./language.ts";
import { translateScript, translateView } from "./translate-source.ts";
import { counted, number } from "./words.ts";

const placesIn = (text: string) => (text.match(/\{\d+\}/g) ?? []).sort();

for (const language of (Object.keys(LANGUAGES) as Language[]).filter((one) => one !== "en")) {
  test(`${LANGUAGES[language]} has every text of the pages, with its values, and no other`, async () => {
    const catalogue = catalogueOf(language);
    const messages = await allMessages();
    assert.ok(messages.size > 800, "the texts are found");
    assert.deepEqual(
      [...messages].filter(([text]) => !Object.hasOwn(catalogue, text)),
      [],
      "without a translation",
    );
    const entries = Object.entries(catalogue);
    assert.deepEqual(
      entries.filter(([text]) => !messages.has(text)).map(([text]) => text),
      [],
      "said nowhere",
    );
    const changed = entries.filter(
      ([text, translated]) => String(placesIn(text)) !== String(placesIn(translated)),
    );
    assert.deepEqual(changed, [], "with other values");
    assert.deepEqual(
      entries.filter(([text, translated]) => /[<>]/.test(translated) && !/[<>]/.test(text)),
      [],
      "with markup",
    );
  });
}

test("a view is translated where it says something, and nowhere else", () => {
  const view = `<% const { none } = it; %>
<h1 class="Title"><%~ icon("add") %>New <b>mail</b> for <%= it.name %></h1>
<p title="Now"><% if (it.on) { %>on<% } %> <%= it.on ? "required" : it.name %></p>
<%~ include("./field", { name: "Name", label: "Your name", kind: "wide" }) %>`;
  const catalogue = {
    "New {0}mail{1} for {2}": "Für {2}: neue {0}Mail{1}",
    Now: "Jetzt",
    on: "ein",
    required: "nötig",
    "Your name": "Ihr „Name“",
    Title: "falsch",
    Your: "falsch",
  };
  assert.equal(
    translateView(view, catalogue),
    `<% const { none } = it; %>
<h1 class="Title"><%~ icon("add") %>Für <%= it.name %>: neue <b>Mail</b></h1>
<p title="Jetzt"><% if (it.on) { %>ein<% } %> <%= it.on ? "nötig" : it.name %></p>
<%~ include("./field", { name: "Name", label: "Ihr „Name“", kind: "wide" }) %>`,
  );
  assert.equal(translateView(view, {}), view);
  const script = 'tell(`Saved at ${at}.`, "busy"); // Saved\n';
  const german = { "Saved at {0}.": "Um {0} gespeichert: `$`." };
  assert.equal(
    translateScript(script, german),
    'tell(`Um ${at} gespeichert: \\`\\$\\`.`, "busy"); // Saved\n',
  );
});

test("a phrase is written in its reader's language, with its numbers and plurals", () => {
  assert.equal(number(1234.5).in("de"), "1.234,5");
  assert.equal(String(say`${counted(1, "event")} of ${number(2000)}`), "1 event of 2,000");
  assert.equal(counted(0, "event").in("fr"), "0 événement");
  assert.equal(acceptedLanguage("de-AT,de;q=0.9"), "de");
  assert.equal(acceptedLanguage("xx,fr-CA;q=0.5"), "fr");
  assert.equal(acceptedLanguage(undefined), "en");
});

test("a person chooses the language of the pages, and else the browser does", async (t) => {
  const { operator: browser, id } = await startForTenant(t);
  const base = `/tenants/${id}`;
  const language = async (path: string) => /<html lang="(..)"/.exec(await browser.text(path))?.[1];
  assert.equal(await language(base), "en");
  await browser.post("/account/name", { name: "Ada", language: "de" }, { from: "/account" });
  assert.equal(await language(base), "de");
  assert.match(await browser.text("/account"), /Ihr Konto/);
  const form = await browser.text(`${base}/providers/new?channel=EMAIL&kind=mailgun`);
  assert.match(
    form,
    /Hier zu finden<span class="visually-hidden">: API-Schlüssel<\/span>[\s\S]*Wo die Domain angelegt wurde\./,
  );
  // What a tenant wrote stays as it is, though it may be a word of ours.
  assert.match(await browser.text(`${base}/activity?event=Settings`), /Settings/);
});
