import assert from "node:assert/strict";
import { test } from "node:test";
import { breakMarksOfHtml, breakMarksOfText } from "./vendor-marks.ts";

const BRACES = /\{(?=[{%#])/g;

test("a mark in a text or an attribute is read as it was, and is none for the vendor", () => {
  const html = '<a href="https://x.example/{{id}}">{{contact.EMAIL}} {% if x %}{#c#} { {</a>';
  const broken = breakMarksOfHtml(html, BRACES);
  assert.equal(
    broken,
    '<a href="https://x.example/&#123;{id}}">&#123;{contact.EMAIL}} &#123;% if x %}&#123;#c#} { {</a>',
  );
  assert.equal(broken.replaceAll("&#123;", "{"), html);
  assert.equal(breakMarksOfHtml("{{{{x", BRACES), "&#123;&#123;&#123;{x");
});

test("a style sheet stays one: there a space breaks the mark", () => {
  const html =
    "<style>@media print{#a{top:0}}</style>{{a}}<STYLE type='x'>@media print{#b{}}</STYLE ><p>{#c</p>";
  assert.equal(
    breakMarksOfHtml(html, BRACES),
    "<style>@media print{ #a{top:0}}</style>&#123;{a}}<STYLE type='x'>@media print{ #b{}}</STYLE ><p>&#123;#c</p>",
  );
});

test("in a text a character that is not seen breaks the mark", () => {
  assert.equal(breakMarksOfText("Hi {{name}}", BRACES), "Hi {\u2060{name}}");
  assert.equal(breakMarksOfText("Hi { name }", BRACES), "Hi { name }");
});

test("many style elements without an end cost no more than their length", () => {
  const html = "<style>{{".repeat(100_000);
  assert.equal(breakMarksOfHtml(html, BRACES).length, html.length + 100_000);
});
