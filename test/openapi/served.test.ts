import assert from "node:assert/strict";
import { hash, randomUUID } from "node:crypto";
import { test } from "node:test";
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
