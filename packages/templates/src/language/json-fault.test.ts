import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { jsonFault } from "./json-fault.ts";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const PIECES = [
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "\\",
  "u00e9",
  "n",
  "0",
  "1",
  "-",
  ".",
  "e",
  "+",
].concat(
  ...[
    [
      "true",
      "null",
      "fals",
      " ",
      "\n",
      "\t",
      "\u00a0",
      "\u2028",
      "\u0001",
      "a",
      "é",
      '""',
      '"a":',
      "[]",
      "{}",
    ],
  ],
);

test("a text has no fault if and only if the engine reads it as JSON", () => {
  let good = 0;
  const judged = (text: string) => {
    const fault = jsonFault(text);
    assert.equal(fault === undefined, isJson(text), JSON.stringify(text));
    if (fault === undefined) good += 1;
    else assert.ok(fault.offset >= 0 && fault.offset <= text.length);
  };
  const pieces = fc.string({ unit: fc.constantFrom(...PIECES), maxLength: 12 });
  fc.assert(fc.property(pieces, judged), { numRuns: 30_000 });
  // JSON with one character more, less or other.
  const spoiled = fc.tuple(
    fc.jsonValue({ maxDepth: 3 }),
    fc.nat(),
    fc.constantFrom(...PIECES, ""),
    fc.boolean(),
  );
  fc.assert(
    fc.property(spoiled, ([value, place, piece, isPut]) => {
      const text = JSON.stringify(value, null, place % 3);
      judged(text);
      const at = place % (text.length + 1);
      judged(text.slice(0, at) + piece + text.slice(isPut ? at : at + 1));
    }),
    { numRuns: 20_000 },
  );
  assert.ok(good > 20_000);
});
