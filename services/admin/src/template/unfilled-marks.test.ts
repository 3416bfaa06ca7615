import assert from "node:assert/strict";
import { test } from "node:test";
import { markedHtml, unfilledMark } from "./unfilled-marks.ts";

test("a mark is an element in a mail's text, and its name alone in a tag, a title and a comment", () => {
  const name = unfilledMark("name");
  const html = `<TITLE>${name}</title><!-- ${name} --><a title="${name}">${name}</a><style>b{}</style>${name}`;
  assert.equal(
    markedHtml(html).replace(/<style>\n[\s\S]*$/, ""),
    '<TITLE>name</title><!-- name --><a title="name"><mark class="belfry-unfilled" title="no value">name</mark></a>' +
      '<style>b{}</style><mark class="belfry-unfilled" title="no value">name</mark>',
  );
});

test("letters that have no small form of one length move no mark", () => {
  const html = `${"\u0130".repeat(5)}<TITLE>a</TITLE>${unfilledMark("name")}`;
  assert.match(markedHtml(html), /<TITLE>a<\/TITLE><mark [^>]*>name<\/mark>/);
});
