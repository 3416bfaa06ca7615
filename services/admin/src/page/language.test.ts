import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { allActs } from "@belfry/administration/acts";
import { ALERT_KINDS, alertWords } from "@belfry/contracts/alerts";
import { faultsOf } from "@belfry/contracts/problems";
import {
  allMessages,
  auditTargets,
  codeSentences,
  faultMessages,
  literalsOf,
  timelineTexts,
} from "../../test/messages.ts";
import { startForTenant } from "../../test/start-admin.ts";
import { TIMELINE_SENTENCES, TIMELINE_STATES } from "../event/timeline-words.ts";
import { AUDIT_TARGETS } from "../platform/audit-pages.ts";
import { faultWords } from "./fault-words.ts";
import {
  acceptedLanguage,
  catalogueOf,
  faultCatalogueOf,
  LANGUAGES,
  type Language,
  say,
} from "./language.ts";
import { formsIn, valuesIn } from "./sentence-forms.ts";
import { translateScript, translateView } from "./translate-source.ts";
import { counted, number } from "./words.ts";

const placesIn = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

const OTHERS = (Object.keys(LANGUAGES) as Language[]).filter((one) => one !== "en");

for (const language of OTHERS) {
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

for (const language of OTHERS) {
  test(`${LANGUAGES[language]} has every fault that a form may show, with its values, and no other`, async () => {
    const catalogue = faultCatalogueOf(language);
    const faults = await faultMessages();
    assert.ok(faults.size > 150, "the faults are found");
    assert.deepEqual(
      [...faults].filter(([text]) => !Object.hasOwn(catalogue, text)),
      [],
      "without a translation",
    );
    const entries = Object.entries(catalogue);
    assert.deepEqual(
      entries.filter(([text]) => !faults.has(text)).map(([text]) => text),
      [],
      "said nowhere",
    );
    const changed = entries.filter(
      ([text, translated]) => String(placesIn(text)) !== String(placesIn(translated)),
    );
    assert.deepEqual(changed, [], "with other values");
  });
}

test("every sentence in the code of the pages is a phrase, which is translated", async () => {
  const [sentences, messages, faults] = await Promise.all([
    codeSentences(),
    allMessages(),
    faultMessages(),
  ]);
  assert.ok(sentences.size > 200, "the sentences are found");
  assert.deepEqual(
    [...sentences].filter(([text]) => !messages.has(text) && !faults.has(text)),
    [],
  );
});

test("every target of the audit log that is no name is translated", async () => {
  const targets = await auditTargets();
  assert.ok(targets.size > 8, "the targets are found");
  const known = Object.values(AUDIT_TARGETS).flat();
  assert.deepEqual(
    [...targets].filter(([text]) => !known.includes(text)),
    [],
  );
});

test("every sentence of an event's timeline is translated", async () => {
  const texts = await timelineTexts();
  assert.ok(texts.length > 50, "the sentences are found");
  const known = [...TIMELINE_SENTENCES, ...TIMELINE_STATES, "{0}, due at {1}"];
  const isPart = (text: string) => {
    const own = text.replaceAll(/^\{0\}: |: \{0\}$/g, "");
    return formsIn([`{0}${own}{0}`]).some((form) => known.some((one) => valuesIn(one, form)));
  };
  assert.deepEqual(
    texts.filter((text) => !isPart(text)),
    [],
  );
});

test("every alert has words in every language", () => {
  for (const kind of ALERT_KINDS) {
    const english = Object.values(alertWords(kind, null));
    for (const language of OTHERS) {
      const words = Object.values(alertWords(kind, language));
      assert.deepEqual(
        words.filter((text) => text === "" || english.includes(text)),
        [],
        `${kind} in ${language}`,
      );
    }
  }
});

test("whatever is wrong with a field of an act is told in the reader's language", async () => {
  const wrong = [
    null,
    1,
    -1,
    1e9,
    1.5,
    true,
    "",
    " ",
    "x".repeat(70_000),
    "\ud800",
    "a\0",
    [],
    {},
    [1],
    ["x"],
    { "": 1 },
  ];
  const english = new Set<string>();
  for (const act of await allActs()) {
    for (const name of Object.keys(act.input.properties)) {
      for (const value of wrong) {
        for (const { message } of faultsOf(act.input, { [name]: value }, "input", "")) {
          if (OTHERS.some((language) => faultWords(message).in(language) === message)) {
            english.add(`${act.name} ${name}: ${message}`);
          }
        }
      }
    }
  }
  assert.deepEqual([...english], []);
});

test("a fault is told with its values, the narrowest sentence first; what somebody typed stays", () => {
  const german = (message: string) => faultWords(message).in("de");
  assert.equal(german("must be at most 255 characters"), "darf höchstens 255 Zeichen haben");
  assert.equal(german("must be EMAIL, SMS or PUSH"), "muss EMAIL, SMS oder PUSH sein");
  assert.equal(
    german("fromEmail: must be an email address"),
    "fromEmail: muss eine E-Mail-Adresse sein",
  );
  assert.equal(
    german('must be * or the key of a category: "is missing"'),
    'muss * oder der Schlüssel einer Kategorie sein: "is missing"',
  );
  assert.equal(german("is nobody's fault"), "is nobody's fault");
  assert.equal(String(faultWords("must be 1")), "must be 1");
  const hostile = `must be one of ${"or for ".repeat(20_000)}`;
  assert.ok(german(hostile).startsWith("muss "));
});

test("the place of a fault, which a script removes, reads as the server writes it", () => {
  for (const language of OTHERS) {
    const place = catalogueOf(language)["line {0}, column {1}: "];
    assert.equal(`${place}{2}`, faultCatalogueOf(language)["line {0}, column {1}: {2}"]);
  }
});

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
  const inScript =
    'state.textContent = isOn ? "on" : "off"; state.className = "soft on"; kind = "on";';
  assert.equal(
    translateScript(inScript, { on: "ein", off: "aus", "soft on": "falsch" }),
    'state.textContent = isOn ? "ein" : "aus"; state.className = "soft on"; kind = "on";',
  );
  const script = 'tell(`Saved at ${at}.`, "busy"); // Saved\n';
  const german = { "Saved at {0}.": "Um {0} gespeichert: `$`." };
  assert.equal(
    translateScript(script, german),
    'tell(`Um ${at} gespeichert: \\`\\$\\`.`, "busy"); // Saved\n',
  );
});

test("the texts of every browser script are found: no template literal stands within another or begins in a pattern", async () => {
  const assets = join(import.meta.dirname, "../assets");
  for await (const file of glob("*.js", { cwd: assets })) {
    const script = await readFile(join(assets, file), "utf8");
    assert.doesNotMatch(script, /\$\{[^}\n]*`/, file);
    assert.deepEqual(
      literalsOf(script).filter(({ text }) => text.includes("\n")),
      [],
      file,
    );
  }
});

test("no style sheet has a text, which no catalogue would translate", async () => {
  const assets = join(import.meta.dirname, "../assets");
  for await (const file of glob("*.css", { cwd: assets })) {
    assert.doesNotMatch(
      await readFile(join(assets, file), "utf8"),
      /content:[^;]*"[^";]*\p{L}/u,
      file,
    );
  }
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
  // A tenant's text stays, even if it equals a word of ours.
  assert.match(await browser.text(`${base}/activity?event=Settings`), /Settings/);
});
