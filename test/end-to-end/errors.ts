import assert from "node:assert/strict";
import { test } from "node:test";
import { call, type Stack, trigger } from "./stack.ts";

/** Specification section 7: one shape for every error. */
export function errorTests(stack: () => Stack): void {
  const api = () => stack().apiUrls[0];

  test("every error has statusCode, error and message, and nothing of the inside", async () => {
    const { apiKey, id } = await stack().createReadyTenant();
    const url = `${api()}/api/v1/events/trigger`;
    const cases: [number, string, Promise<{ status: number; body: Record<string, unknown> }>][] = [
      [400, "Bad Request", call(url, { apiKey, body: "{not json" })],
      [400, "Bad Request", call(url, { apiKey, body: "", method: "POST" })],
      [401, "Unauthorized", call(url, { body: {} })],
      [403, "Forbidden", call(`${api()}/api/v1/notifications/other/u`, { apiKey })],
      [404, "Not Found", call(`${api()}/api/v1/nothing`)],
      [
        404,
        "Not Found",
        call(`${api()}/api/v1/notifications/${id}/u/x/read`, { method: "PUT", apiKey }),
      ],
      [405, "Method Not Allowed", call(url, { method: "DELETE", apiKey })],
      [413, "Payload Too Large", call(url, { apiKey, body: `"${"x".repeat(256 * 1024)}"` })],
      [
        415,
        "Unsupported Media Type",
        call(url, { apiKey, body: "{}", headers: { "content-type": "text/plain" } }),
      ],
      [422, "Validation Error", call(url, { apiKey, body: {} })],
    ];
    for (const [status, error, answer] of cases) {
      const { status: actual, body } = await answer;
      assert.equal(actual, status, JSON.stringify(body));
      assert.deepEqual(Object.keys(body).sort(), ["error", "message", "statusCode"]);
      assert.equal(body.statusCode, status);
      assert.equal(body.error, error);
      assert.doesNotMatch(
        JSON.stringify(body),
        /fastify|FST_|kysely|postgres|node_modules|\bat \//i,
      );
    }
  });

  test("405 says which methods there are", async () => {
    const answer = await call(`${api()}/api/v1/events/trigger`, { method: "GET" });
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.get("allow"), "POST");
  });

  test("422 lists every fault, each naming its field", async () => {
    const { apiKey } = await stack().createTenant();
    const { body } = await trigger(api(), apiKey, {
      eventType: undefined,
      payload: {},
      channels: ["FAX"],
    });
    assert.deepEqual(body.message, [
      "eventType must be a string",
      "channels[0] must be one of EMAIL, SMS, PUSH",
      "payload.userId must be a string",
    ]);
  });
}
