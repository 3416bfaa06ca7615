import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@belfry/client";
import { wholeFile } from "@belfry/testing/whole-file";
import { startIngest } from "../fuzz/start-ingest.ts";
import { ask } from "./ask.ts";
import { document } from "./document.ts";

const ingest = await startIngest(wholeFile());
const secret = "a secret of ours";
const ID = "0198c0de-0000-7000-8000-000000000001";
/** What changes nothing that others are told of. */
const NEVER_SIGNED = [
  "post /api/v1/auth/realtime-token",
  "put /api/v1/notifications/{tenantId}/{userId}/{notificationId}/read",
];

/** Every call that wants a key, about something that there is not. */
const CALLS = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { security }]) => security.length > 0)
    .map(([method, { parameters }]) => ({
      name: `${method} ${path}`,
      asked: {
        ...{ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, ID) },
        ...(method !== "get" && { body: {} }),
      },
      isSigned: parameters.some(({ name }) => name === "X-Service-Signature"),
    })),
);

test("a missing, wrong or empty key is 401 on every endpoint", async () => {
  assert.ok(CALLS.length > 20, String(CALLS.length));
  for (const { name, asked } of CALLS) {
    for (const key of [undefined, "", "bf_wrong"]) {
      const { status, body } = await ask(ingest.url, { ...asked, key });
      assert.equal(status, 401, name);
      assert.deepEqual(body, {
        ...{ statusCode: 401, error: "Unauthorized", message: "Invalid or inactive API key" },
      });
    }
  }
});

test("with a webhook secret every call that changes something is signed, before anything of it is told, and reading is not", async () => {
  const { apiKey: key } = await ingest.createTenant({ webhookSecret: secret });
  const unsigned = CALLS.filter(({ isSigned }) => !isSigned).map(({ name }) => name);
  assert.deepEqual(unsigned.filter((name) => !name.startsWith("get ")).sort(), NEVER_SIGNED);
  for (const { name, asked, isSigned } of CALLS) {
    const answer = (by?: string) => ask(ingest.url, { ...asked, key, secret: by });
    for (const [by, error] of [
      [undefined, "missing"],
      ["another", "invalid"],
    ] as const) {
      const { status, headers } = await answer(by);
      assert.equal(status === 401, isSigned, `${name} ${error}`);
      const told = isSigned ? `X-Service-Signature error="${error}"` : null;
      assert.equal(headers.get("www-authenticate"), told, name);
    }
    assert.notEqual((await answer(secret)).status, 401, name);
  }
  const client = createClient({ baseUrl: ingest.url, apiKey: key, webhookSecret: secret });
  assert.equal((await client.putUser("bob", { locale: "fr" })).locale, "fr");
  assert.equal((await client.eraseUser("bob")).status, "waiting");
  const { id } = await client.webhooks.put({ url: "https://example.com/hooks" });
  await client.webhooks.rotateSecret(id);
  await client.webhooks.test(id);
  await client.webhooks.delete(id);
});

test("a tenant without a webhook secret signs nothing", async () => {
  const { apiKey: key } = await ingest.createTenant();
  const { status } = await ask(ingest.url, {
    ...{ method: "POST", path: "/api/v1/events/trigger", key, secret },
    body: { eventType: "order.confirmed", payload: { userId: "ann" } },
  });
  assert.equal(status, 200);
});
