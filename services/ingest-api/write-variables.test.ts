import assert from "node:assert/strict";
import { test } from "node:test";
import { automaticKey, readTrigger } from "./read-trigger.ts";
import { writeVariables } from "./write-variables.ts";

function write(variables: string, more = "") {
  const body = `{"eventType":"t","payload":{"userId":"u"},"variables":${variables}${more}}`;
  const trigger = readTrigger(JSON.parse(body));
  return { text: writeVariables(trigger, body), key: automaticKey("a", trigger, true) };
}

test("numbers are stored as they were written", () => {
  assert.equal(write('{"a":10.10,"b":"10.10"}').text, '{"a":10.10,"b":"10.10"}');
  assert.equal(
    write('{ "id" : 1234567890123456789, "l" : [1e3, 1] }').text,
    '{"id":1234567890123456789,"l":[1e3,1]}',
  );
  assert.equal(
    write('{"__proto__":1.0,"constructor":2}').text,
    '{"__proto__":1.0,"constructor":2}',
  );
  assert.equal(write('{"a":1}', ',"surplus":1.0').text, '{"a":1}');
});

test("a body without such numbers is parsed once", (t) => {
  const parse = t.mock.method(JSON, "parse");
  for (const variables of ["{}", '{"a":1,"b":19.99}', '{ "a": [1, 2.5], "b": "1.0" }']) {
    assert.equal(write(variables).text, JSON.stringify(JSON.parse(variables)));
  }
  // Ours, and the test's own.
  assert.equal(parse.mock.callCount(), 6);
});

test("with variables in the deduplication key, numbers count as written", () => {
  assert.equal(write('{"a":1,"b":2}').key, write('{ "b": 2, "a": 1 }').key);
  assert.equal(write('{"a":10.10}').key, write('{ "a": 10.10 }').key);
  assert.notEqual(write('{"a":10.10}').key, write('{"a":10.1}').key);
  assert.notEqual(write('{"a":10.10}').key, write('{"a":{"rawJSON":"10.10"}}').key);
  assert.notEqual(
    write('{"a":1234567890123456789}').key,
    write('{"a":1234567890123456788}').key,
    "these were one event",
  );
});
