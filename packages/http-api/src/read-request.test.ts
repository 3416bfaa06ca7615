import assert from "node:assert/strict";
import { test } from "node:test";
import { integerText, oneOf, text } from "@belfry/contracts/fields";
import { Problem, requireChecks } from "@belfry/contracts/problems";
import { traceIdOf } from "@belfry/service/trace-id";
import { Type } from "@sinclair/typebox";
import fastify from "fastify";
import { checkRoutes, headerText, parseJson, readText } from "./read-request.ts";

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

function checkedApp() {
  const app = fastify();
  checkRoutes(app);
  app.setErrorHandler((error, _request, reply) => {
    reply.code(422).send(error instanceof Problem ? error.body.message : { error });
  });
  const schema = {
    params: Type.Object({ user: text() }),
    querystring: Type.Object({
      limit: Type.Optional(integerText({ minimum: 1, maximum: 9, default: 5 }, {})),
    }),
    body: Type.Object({
      body: Type.Object({ word: oneOf(["a", "b"]) }),
      words: Type.Optional(Type.Array(oneOf(["a", "b"]), { maxItems: 2 })),
    }),
  };
  app.post("/:user", { schema }, async () => ({ ok: true, beyond: "the schema" }));
  return async (url: string, body: unknown) => {
    const answer = await app.inject({
      method: "POST",
      url,
      payload: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    });
    return answer.json();
  };
}

test("the faults of path, query and body are told together, in the schema's order", async () => {
  const post = checkedApp();
  assert.deepEqual(await post("/%00?limit=0", { words: ["a", "c"], body: { word: 1 } }), [
    "user must not contain control characters",
    "limit must be an integer from 1 to 9",
    "body.word must be one of a, b",
    "words[1] must be one of a, b",
  ]);
  assert.deepEqual(await post("/u", {}), [
    "body must be an object",
    "body.word must be one of a, b",
  ]);
  assert.equal(
    (await post("/u", { words: ["a"] })).length,
    2,
    "what is optional makes up for nothing",
  );
  assert.deepEqual(await post("/u", []), ["body must be an object"]);
  assert.deepEqual(await post("/u", { body: { word: "a" }, words: ["a", "b", "c"] }), [
    "words must have at most 2 items",
  ]);
});

test("what has no fault passes, and the answer leaves as it is", async () => {
  const post = checkedApp();
  const good = { body: { word: "a" }, words: ["b"] };
  assert.deepEqual(await post("/u?limit=9", good), { ok: true, beyond: "the schema" });
});

test("an unknown field of a body is refused at any depth, with the name that was probably meant", async () => {
  const post = checkedApp();
  const body = { body: { word: "a", Word: 1 }, word: ["b"], constructor: 1, "a\n b": 1 };
  assert.deepEqual(await post("/u", { ...body, ["x".repeat(300)]: 1 }), [
    "body.Word is not a field; did you mean word?",
    "word is not a field; did you mean words?",
    "constructor is not a field",
    "a??b is not a field",
    `${"x".repeat(64)} is not a field`,
  ]);
});

test("a schema that nothing checks is refused when its route is made", () => {
  assert.throws(() => requireChecks(Type.Object({ at: Type.Date() })), /no check for a Date/);
});
