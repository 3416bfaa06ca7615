import assert from "node:assert/strict";
import { test } from "node:test";
import { markedHtml, unfilledMark } from "./unfilled-marks.ts";

test("a mark is an element in a mail's text, and its name alone in a tag, a title and a comment", () => {
  const name = unfilledMark("name");
  const html = `<TITLE>${name}</title><!-- ${name} --><a title="${name}">${name}</a><style>b{}</style>${name}`;
  assert.equal(
    String(markedHtml(html)).replace(/<style>\n[\s\S]*$/, ""),
    '<TITLE>name</title><!-- name --><a title="name"><mark class="belfry-unfilled" title="no value">name</mark></a>' +
      '<style>b{}</style><mark class="belfry-unfilled" title="no value">name</mark>',
  );
});

test("the words of the marks are in the reader's language", () => {
  const german = markedHtml(`${unfilledMark("name")}<a href="#">See it</a>`).in("de");
  assert.match(german, /<mark class="belfry-unfilled" title="kein Wert">name<\/mark>/);
  assert.match(german, /content:" keine Adresse"/);
});

test("letters that have no small form of one length move no mark", () => {
  const html = `${"\u0130".repeat(5)}<TITLE>a</TITLE>${unfilledMark("name")}`;
  assert.match(String(markedHtml(html)), /<TITLE>a<\/TITLE><mark [^>]*>name<\/mark>/);
});
