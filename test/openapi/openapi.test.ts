import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cancelFault } from "@belfry/contracts/cancel";
import { EVENT_PATH } from "@belfry/contracts/event-report";
import { textFault } from "@belfry/contracts/identifiers";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Ajv2020 } from "ajv/dist/2020.js";
import { checkResponse } from "./check-response.ts";
import { type Document, document, manageDocument, type Operation } from "./document.ts";

describe("the documents", () => {
  test("have no fault that Redocly knows of", async () => {
    const config = await createConfig({ extends: ["recommended-strict"] });
    for (const one of [document, manageDocument]) {
      const source = JSON.stringify(one);
      const faults = await lintFromString({ source, absoluteRef: "openapi.json", config });
      const told = faults.map(({ ruleId, message, location }) =>
        [ruleId, location[0]?.pointer, message].join(" "),
      );
      assert.deepEqual(told, []);
    }
  });

  for (const [name, one, least] of [
    ["events and users", document, 50],
    ["management", manageDocument, 10],
  ] as const) {
    test(`every example of both directions follows its schema, every reference leads somewhere: ${name}`, () => {
      assert.ok(examplesOf(one) > least);
    });
  }

  const examplesOf = (whole: Document): number => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const { schemas } = whole.components;
    ajv.addSchema({ $id: "api", components: { schemas } });
    let examples = 0;
    const visit = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return;
      const { $ref, schema, examples: shown, example } = node as Record<string, unknown>;
      if (typeof $ref === "string") assert.ok(target(whole, $ref), $ref);
      if (schema !== undefined) {
        const rule = JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/');
        const validate = ajv.compile(JSON.parse(rule));
        const values = Object.values((shown ?? {}) as Record<string, { value: unknown }>);
        for (const value of [
          ...values.map((one) => one.value),
          ...(example === undefined ? [] : [example]),
        ]) {
          examples += 1;
          assert.ok(
            validate(value),
            `${JSON.stringify(value)}: ${ajv.errorsText(validate.errors)}`,
          );
        }
      }
      Object.values(node).forEach(visit);
    };
    visit(whole);
    return examples;
  };

  test("a text, a place in a list and a cancel are allowed as they are taken", () => {
    const { schemas } = document.components;
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const pattern = schemas.RealtimeTokenRequest?.properties?.userId?.pattern ?? "";
    for (const text of ["a", "\u{1f514} é", "\ud83d", "x\udd14", "\udd14\ud83d", "a\n", "\u0085"]) {
      const isTaken = textFault(text) === undefined;
      // Some validators see code points, some see each half of a pair.
      for (const flags of ["u", ""]) {
        assert.equal(new RegExp(pattern, flags).test(text), isTaken, JSON.stringify([text, flags]));
      }
    }
    const cancel = ajv.compile(schemas.CancelRequest ?? {});
    const keys = { cancelKeys: ["k"] };
    const ids = { eventIds: ["e"] };
    for (const body of [keys, ids, { ...keys, ...ids }, {}, { ...keys, userIds: ["u"] }]) {
      assert.equal(cancel(body), cancelFault(body) === undefined, JSON.stringify(body));
    }
    for (const [path, methods] of Object.entries(document.paths)) {
      const after = methods.get?.parameters.find(({ name }) => name === "after");
      if (after !== undefined) assert.ok(after.schema.pattern, path);
    }
  });

  test("a call with a text in its path documents 422, as the text may be empty or too long", () => {
    let seen = 0;
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { parameters, responses }] of Object.entries<Operation>(methods)) {
        if (!parameters.some((one) => one.in === "path" && one.schema.maxLength !== undefined))
          continue;
        seen += 1;
        assert.ok("422" in responses, `${method} ${path}`);
      }
    }
    assert.ok(seen > 10);
  });

  test("generators of clients can read every answer, and no rule is told that a request may break", () => {
    const visit = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return;
      assert.ok(!("const" in node) || typeof node.const === "string", JSON.stringify(node));
      Object.values(node).forEach(visit);
    };
    visit(document);
    for (const { parameters } of Object.values(document.paths).flatMap(Object.values<Operation>)) {
      for (const name of ["X-Trace-Id", "traceparent", "X-Service-Signature"]) {
        const parameter = parameters.find((one) => one.name === name);
        if (parameter === undefined && name === "X-Service-Signature") continue;
        assert.deepEqual(parameter?.schema, { type: "string" }, name);
      }
    }
    const payload = document.components.schemas.TriggerRequest?.properties?.payload;
    assert.equal(payload?.properties?.recipientEmail?.anyOf?.[0]?.format, "idn-email");
  });
});

function target(document: unknown, ref: string): unknown {
  const keys = ref.split("/").slice(1);
  return keys.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document);
}

describe("the response checker", () => {
  const headers = { "x-trace-id": "t", "content-type": "application/json; charset=utf-8" };
  const problem = (statusCode: number, more = {}) =>
    JSON.stringify({ statusCode, error: "E", message: "m", ...more });
  const answer = (over: Record<string, unknown>) => ({
    method: "PUT",
    path: "/api/v1/notifications/t/u/n/read",
    status: 200,
    headers: new Headers(headers),
    body: '{"success":true}',
    ...over,
  });

  test("passes what is documented", () => {
    checkResponse(answer({}));
    checkResponse(answer({ status: 404, body: problem(404) }));
    checkResponse(answer({ path: "/nowhere", status: 404, body: problem(404) }));
  });

  test("throws at any difference", () => {
    const wrong: Record<string, Record<string, unknown>> = {
      "undocumented status": { status: 418, body: problem(418) },
      "undocumented field": { body: '{"success":true,"more":1}' },
      "missing field": { body: "{}" },
      "wrong type": { body: '{"success":"true"}' },
      "no trace id": { headers: new Headers({ "content-type": headers["content-type"] }) },
      "wrong content type": { headers: new Headers({ ...headers, "content-type": "text/html" }) },
      "no JSON": { body: "<html>" },
      "another statusCode": { status: 404, body: problem(403) },
      "429 without Retry-After": { status: 429, body: problem(429, { retryAfter: 3 }) },
      "405 without Allow": { method: "POST", status: 405, body: problem(405) },
      "200 of no path": { path: "/nowhere" },
    };
    for (const [name, over] of Object.entries(wrong)) {
      assert.throws(() => checkResponse(answer(over)), Error, name);
    }
  });

  test("the paths of the code and of the document are the same", () => {
    const path = EVENT_PATH.replace(":eventId", "{eventId}");
    assert.ok(document.paths[path]);
  });
});
