import assert from "node:assert/strict";
import { test } from "node:test";
import { createRenderer } from "../render.ts";
import { hasChangingNumber, parseAsWritten, parseVariables } from "./event-variables.ts";

const KEPT = ["0", "7", "-7", "10", "123456789012345", "1234567890123456", "0.5", "-0.25", "19.99"];
const MORE_KEPT = ["100.01", "0.000001", "1e+21", "1.5e-7", "123456.789012", "-9007199254740991"];
const CHANGED = ["-0", "0.0", "10.10", "1.0", "-2.50", "1e3", "1E3", "1.5e3", "1e400", "0.0000001"];
const MORE_CHANGED = ["1234567890123456789", "100000000000000000000000", "0.12345678901234567891"];

const printed = (json: string) => JSON.stringify(parseAsWritten(json));

test("a number is written again as it stood, wherever it stands", () => {
  for (const number of [...KEPT, ...MORE_KEPT, ...CHANGED, ...MORE_CHANGED]) {
    for (const json of [number, `[${number}]`, `{"a":[1,{"b":${number}}],"c":"d"}`]) {
      assert.equal(printed(json), json);
    }
    const spaced = ` { "a" :\n${number}\t, "b": [ ${number} ] } `;
    assert.equal(printed(spaced), `{"a":${number},"b":[${number}]}`);
  }
});

test("text whose numbers would not change is parsed as ever, once", (t) => {
  const parse = t.mock.method(JSON, "parse");
  const raw = t.mock.method(JSON, "rawJSON");
  for (const number of [...KEPT, ...MORE_KEPT]) {
    assert.equal(hasChangingNumber(`{"a":${number}}`), false, number);
    parseAsWritten(`{"a":[${number}]}`);
  }
  // In a string a number is text.
  const quoted = JSON.stringify({
    a: '"10.10',
    b: "\\",
    c: '\\"1e3\\',
    "1.0": "x: 2.50",
    d: [1.5],
  });
  assert.equal(printed(quoted), quoted);
  assert.equal(parse.mock.callCount(), KEPT.length + MORE_KEPT.length + 1);
  assert.equal(raw.mock.callCount(), 0);
  for (const number of [...CHANGED, ...MORE_CHANGED]) {
    assert.equal(hasChangingNumber(`{"a":"\\"","b":${number}}`), true, number);
  }
});

test("all but the numbers is what JSON.parse makes of it", () => {
  for (const json of [
    ' { "a" : [ true , false , null , "" , {} , [ ] ] , "b\\n\\u00e9" : "\\"}]" , "n" : 1.0 } ',
    '{"__proto__":{"x":1.0},"constructor":[2],"a":1,"a":{"b":3}}',
    '["\\\\","\\\\\\"",-0,"\\ud83d\\ude00"]',
    "[[[[1.0]]],[],{}]",
  ]) {
    const value = parseAsWritten(json);
    assert.equal(
      JSON.stringify(JSON.parse(JSON.stringify(value))),
      JSON.stringify(JSON.parse(json)),
    );
    assert.equal(Object.getPrototypeOf(value), Object.getPrototypeOf(JSON.parse(json)));
  }
  for (const json of ["[1.0", '{"a":1.0,}', "[1.0,]", "01.0", '["\n",1.0]', "1.0 x"]) {
    assert.throws(() => parseAsWritten(json), SyntaxError);
  }
});

test("what is found is what differs, for numbers of every form", () => {
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const digits = (most: number) =>
    Array.from({ length: 1 + random(most) }, () => random(10)).join("");
  for (let i = 0; i < 20_000; i += 1) {
    const integer = random(3) === 0 ? "0" : `${1 + random(9)}${random(2) === 0 ? "" : digits(20)}`;
    const fraction = random(2) === 0 ? "" : `.${digits(12)}`;
    const exponent =
      random(4) > 0 ? "" : `${random(2) ? "e" : "E"}${["", "+", "-"][random(3)]}${digits(2)}`;
    const number = `${random(4) === 0 ? "-" : ""}${integer}${fraction}${exponent}`;
    assert.equal(hasChangingNumber(`[${number}]`), String(Number(number)) !== number, number);
  }
});

test("a kept number shows as written in a message, alone and in a list, and has nothing inside", () => {
  const render = createRenderer({
    kind: "text",
    text: "{{price}} {{order.id}} {{list}} [{{price.rawJSON}}]",
    variables: [],
  });
  const variables = parseVariables(
    '{"price":10.10,"order":{"id":1234567890123456789},"list":[1.50,"x"]}',
  );
  const rendered = render(variables!);
  assert.equal(
    rendered.ok && rendered.kind === "text" && rendered.text,
    '10.10 1234567890123456789 [1.50,"x"] []',
  );
  for (const none of ["1.0", "[1.0]", "null", "{", ""])
    assert.equal(parseVariables(none), undefined);
});
