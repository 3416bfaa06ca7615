import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { connectedDatabase } from "@belfry/testing/database";
import { appUnderTest } from "../test/app-under-test.ts";

/** The specification's calls, which ignore what they do not know. */
const OPEN = [
  "POST /api/v1/events/trigger",
  "POST /api/v1/auth/realtime-token",
  "PUT /api/v1/notifications/{tenantId}/{userId}/{notificationId}/read",
];

test("every call that changes something refuses unknown fields, but for the specification's own calls", async (t) => {
  const { db } = await connectedDatabase(t);
  const { app } = await appUnderTest(db, { signToken: () => Promise.resolve("token") });
  t.after(() => app.close());
  const { id, apiKey } = await createTenant(db, { name: "Acme" });
  const ask = async (call: string, body?: unknown) => {
    const [method = "", path = ""] = call.split(" ");
    const url = path
      .replace("{tenantId}", id)
      .replaceAll("{broadcastId}", randomUUID())
      .replaceAll(/\{\w+\}/g, "none");
    const answer = await app.inject({
      method: method as "GET",
      url,
      headers: {
        "x-api-key": apiKey,
        "x-file-name": "a.pdf",
        "content-type": path.includes("/attachments") ? "application/pdf" : "application/json",
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, message: [answer.json().message].flat() };
  };
  const { paths } = (await app.inject("/openapi.json")).json();
  let calls = 0;
  for (const [path, methods] of Object.entries<Record<string, { security: object[] }>>(paths)) {
    for (const [method, { security }] of Object.entries(methods)) {
      if (method === "get" || !security.some((one) => "apiKey" in one)) continue;
      const call = `${method.toUpperCase()} ${path}`;
      const isOpen = OPEN.includes(call);
      calls += isOpen ? 0 : 1;
      const asked = [await ask(`${call}?strayField=1`, {})];
      if (!path.includes("/attachments")) asked.push(await ask(call, { strayField: 1 }));
      for (const { status, message } of asked) {
        const told = message.includes("strayField is not a field");
        assert.deepEqual([told, told && status], isOpen ? [false, false] : [true, 422], call);
      }
    }
  }
  assert.ok(calls > 15, String(calls));
  const all = `PUT /api/v1/notifications/{tenantId}/ann/read`;
  assert.deepEqual((await ask(all, { category: "news" })).message, [
    "category must be in the query",
  ]);
  assert.equal((await ask(all, {})).status, 200);
  assert.equal((await ask("GET /api/v1/topics?strayField=1")).status, 200, "a read ignores it");
  const users = { users: [{ userId: "a", emial: "a@example.com" }, { userId: "b" }] };
  const batch = await app.inject({
    method: "POST",
    url: "/api/v1/users/batch",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    payload: JSON.stringify(users),
  });
  assert.deepEqual(batch.json().results, [
    { userId: "a", success: false, message: ["emial is not a field; did you mean email?"] },
    { userId: "b", success: true },
  ]);
});
