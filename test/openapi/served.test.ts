import assert from "node:assert/strict";
import { hash, randomUUID } from "node:crypto";
import { test } from "node:test";
import { createClient } from "@belfry/client";
import { HEADERS } from "@belfry/contracts/trigger";
import { wholeFile } from "@belfry/testing/whole-file";
import { startIngest } from "../fuzz/start-ingest.ts";
import { ask } from "./ask.ts";
import { checkResponse } from "./check-response.ts";
import { document } from "./document.ts";

const ingest = await startIngest(wholeFile());

async function get(path: string, headers: Record<string, string> = {}, method = "GET") {
  const response = await fetch(`${ingest.url}${path}`, { method, headers });
  const body = await response.text();
  checkResponse({ method, path, status: response.status, headers: response.headers, body });
  return { status: response.status, headers: response.headers, body };
}

test("/openapi.json is readable from any page", async () => {
  const { headers, body } = await get("/openapi.json");
  assert.deepEqual(JSON.parse(body), document);
  assert.equal(headers.get("access-control-allow-origin"), "*");
});

test("/docs loads nothing from elsewhere and runs nothing but its own", async () => {
  const { headers, body } = await get("/docs");
  const policy = headers.get("content-security-policy") ?? "";
  assert.match(policy, /^default-src 'none'; script-src 'self' 'sha256-[^' ]+'; style-src /);
  assert.doesNotMatch(policy, /https?:|unsafe-eval|\*/);
  const [, inline = ""] = /<script type="text\/javascript">(.*?)<\/script>/s.exec(body) ?? [];
  assert.ok(policy.includes(`'sha256-${hash("sha256", inline, "base64")}'`));
  assert.doesNotMatch(body, /https?:\/\/|style="|onclick/);
  const [, src = ""] = /<script src="([^"]+)"/.exec(body) ?? [];
  const script = await fetch(new URL(src, ingest.url));
  assert.equal(script.headers.get("content-type"), "text/javascript; charset=utf-8");
  assert.match(await script.text(), /createApiReference/);
});

test("HEAD answers as GET does, without the body", async () => {
  for (const path of ["/docs", "/openapi.json"]) {
    const head = await get(path, {}, "HEAD");
    assert.deepEqual([head.status, head.body], [200, ""]);
    assert.equal(
      head.headers.get("content-length"),
      String(Buffer.byteLength((await get(path)).body)),
    );
  }
});

test("an event is found by Belfry's id alone, by its own tenant alone, and shows no variables", async () => {
  const [tenant, other] = [await ingest.createTenant(), await ingest.createTenant()];
  const reference = randomUUID();
  const { headers } = await ask(ingest.url, {
    ...{ method: "POST", path: "/api/v1/events/trigger", key: tenant.apiKey },
    body: {
      ...{ eventType: "login.code", eventId: reference, variables: { code: "very-secret-code" } },
      payload: { userId: "u", recipientEmail: "ann@example.com" },
    },
  });
  const id = headers.get(HEADERS.eventId) ?? "";
  const key = { [HEADERS.apiKey]: tenant.apiKey };
  const { status, body } = await get(`/api/v1/events/${id}`, key);
  assert.equal(status, 200);
  const report = JSON.parse(body);
  assert.deepEqual([report.id, report.eventId, report.status], [id, reference, "accepted"]);
  assert.doesNotMatch(body, /very-secret-code/);
  assert.equal((await get(`/api/v1/events/${id.toUpperCase()}`, key)).body, body);
  assert.equal((await get(`/api/v1/events/${reference}`, key)).status, 404);
  assert.equal((await get(`/api/v1/events/${id}`, { [HEADERS.apiKey]: other.apiKey })).status, 404);
  assert.equal((await get(`/api/v1/events/${id}`)).status, 401);
});

const secret = "a secret of ours";
const ID = "0198c0de-0000-7000-8000-000000000001";
/** What changes nothing that others are told of. */
const NEVER_SIGNED = [
  "delete /api/v1/notifications/{tenantId}/{userId}/{notificationId}",
  "patch /api/v1/notifications/{tenantId}/{userId}/{notificationId}",
  "post /api/v1/auth/realtime-token",
  "put /api/v1/notifications/{tenantId}/{userId}/archived",
  "put /api/v1/notifications/{tenantId}/{userId}/read",
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
