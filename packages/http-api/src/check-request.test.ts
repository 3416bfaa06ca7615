import assert from "node:assert/strict";
import { test } from "node:test";
import { integerText, oneOf, text } from "@belfry/contracts/fields";
import { Problem } from "@belfry/contracts/problems";
import { checkOf } from "@belfry/contracts/schema-faults";
import { Type } from "@sinclair/typebox";
import fastify from "fastify";
import { checkRoutes } from "./check-request.ts";

function createApp() {
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
  const post = createApp();
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

test("what has no fault passes, whatever else it brings, and the answer leaves as it is", async () => {
  const post = createApp();
  const good = { body: { word: "a", more: [] }, words: ["b"], constructor: 1 };
  assert.deepEqual(await post("/u?limit=9&more=1", good), { ok: true, beyond: "the schema" });
});

test("a schema that nothing checks is refused when its route is made", () => {
  assert.throws(() => checkOf(Type.Object({ at: Type.Date() })), /no check for a Date/);
});
