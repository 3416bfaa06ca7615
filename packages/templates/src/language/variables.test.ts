import assert from "node:assert/strict";
import { test } from "node:test";
import { findVariable, variableText } from "./values.ts";

const find = (json: string, name: string): unknown =>
  findVariable(JSON.parse(json), name, name.split("."));

test("a whole own key wins over a walk along its dots", () => {
  assert.equal(find('{"a.b":1,"a":{"b":2}}', "a.b"), 1);
  assert.equal(find('{"a":{"b":2}}', "a.b"), 2);
  assert.equal(find('{"order-id":3}', "order-id"), 3);
});

test("arrays are walked by index", () => {
  assert.equal(find('{"items":[{"n":"x"},{"n":"y"}]}', "items.1.n"), "y");
  assert.equal(find('{"items":[1]}', "items.5"), undefined);
});

test("constructor and __proto__ are found only where a tenant sent them", () => {
  assert.equal(find('{"constructor":"c"}', "constructor"), "c");
  assert.equal(find('{"__proto__":"p"}', "__proto__"), "p");
  assert.equal(find('{"a":{"__proto__":{"b":7}}}', "a.__proto__.b"), 7);
  for (const name of [
    "constructor",
    "__proto__",
    "toString",
    "a.constructor",
    "a.constructor.name",
    "a.__proto__.toString",
    "s.length",
    "hasOwnProperty",
  ]) {
    assert.equal(find('{"a":{},"s":"text"}', name), undefined, name);
  }
});

test("walking through null, a string or a number finds nothing", () => {
  assert.equal(find('{"a":null,"s":"x","n":1}', "a.b"), undefined);
  assert.equal(find('{"s":"x"}', "s.0"), undefined);
  assert.equal(find('{"n":1}', "n.toFixed"), undefined);
});

test("values read as text: objects as JSON, numbers and booleans as they are, null as nothing", () => {
  assert.equal(variableText({ a: [1, "x"] }), '{"a":[1,"x"]}');
  assert.equal(variableText([1, null]), "[1,null]");
  assert.equal(variableText(1.5), "1.5");
  assert.equal(variableText(0), "0");
  assert.equal(variableText(false), "false");
  assert.equal(variableText(null), "");
  assert.equal(variableText(undefined), "");
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  assert.equal(variableText(cycle), "");
  assert.equal(
    variableText(() => 1),
    "",
  );
});
