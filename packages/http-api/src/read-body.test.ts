import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "@belfry/contracts/problems";
import { traceIdOf } from "@belfry/service/trace-id";
import { headerText, parseJson, readText } from "./read-body.ts";

const read = (type: string) =>
  parseJson(readText({ body: Buffer.from('{"a":1}'), headers: { "content-type": type } }));

const isRefused = (type: string) =>
  assert.throws(
    () => read(type),
    (error) => error instanceof Problem && error.body.statusCode === 415,
    JSON.stringify(type.slice(0, 60)),
  );

test("JSON is taken with the one charset that it has, and nothing else is", () => {
  for (const type of [
    "application/json",
    "Application/JSON",
    "application/json;",
    "application/json; charset=utf-8",
    'application/json ; charset = "UTF-8" ;',
    "application/json;charset=utf8",
  ]) {
    assert.deepEqual(read(type), { a: 1 }, type);
  }
  for (const type of [
    "",
    "text/plain",
    "application/json5",
    "application/json charset=utf-8",
    "application/json; charset=latin1",
    "application/json; charset=utf-8; profile=x",
  ]) {
    isRefused(type);
  }
});

// The expression that stood here before took hours for these.
test("what a header costs grows with its length and no faster", { timeout: 60_000 }, () => {
  const million = 1_000_000;
  for (const sign of [" ", ";", "; ", "\t", '"', "charset=", ";charset=", '; charset="utf-8']) {
    isRefused(`application/json${sign.repeat(million)}x`);
  }
  isRefused(`application/json; charset=${" ".repeat(million)}x`);
  for (const sign of ["-", "0", "00-", " ", "\u00e9"]) {
    const header = sign.repeat(million);
    assert.match(traceIdOf({ "x-trace-id": header, traceparent: header }), /^[0-9a-f]{32}$/);
    assert.equal(headerText(header), header);
  }
});

test("a header sent as UTF-8 and one sent as Latin-1 are the same text", () => {
  for (const text of ["plain ~", "Übung", "größe", "À"]) {
    assert.equal(headerText(Buffer.from(text, "utf8").toString("latin1")), text);
    assert.equal(headerText(Buffer.from(text, "latin1").toString("latin1")), text);
  }
  assert.equal(headerText(Buffer.from("日本😀").toString("latin1")), "日本😀");
});
