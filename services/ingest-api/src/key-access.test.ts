import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "@belfry/administration/tenants/tenant-credentials";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import { KEY_ROLES, type KeyRole } from "@belfry/contracts/key-roles";
import type { AbuseLimits } from "@belfry/http-api/abuse-limits";
import { guardKeyedRoutes } from "@belfry/http-api/authenticate";
import { connectedDatabase } from "@belfry/testing/database";
import { wholeFile } from "@belfry/testing/whole-file";
import fastify, { type FastifySchema } from "fastify";
import { appUnderTest } from "../test/app-under-test.ts";
import type { AppDeps } from "./app.ts";

/** Roles of each changing call, listed here a second time so that no call is added by accident. */
const CHANGES: readonly [path: RegExp, roles: string][] = [
  [/\/attachments$/, "trigger or all"],
  [/events\/(trigger|trigger-batch|cancel|\{eventId\})$/, "trigger or all"],
  [/\/broadcasts/, "trigger or all"],
  [/\/devices\//, "all"],
  [/\/(users|topics)/, "manage, provision or all"],
  [/\/webhooks/, "provision or all"],
];

const used: string[] = [];

const cleanup = wholeFile();
const { db } = await connectedDatabase(cleanup);
const { app } = await appUnderTest(db, {
  keyUses: { note: (id: string) => void used.push(id) } as unknown as AppDeps["keyUses"],
  signToken: () => Promise.resolve("token"),
});
cleanup.after(() => app.close());
const { id } = await createTenant(db, { name: "Acme" });
const made = KEY_ROLES.map(async (role) => [
  role,
  (await actsIn(db, id)(createKey, { role })).apiKey,
]);
const keys: Record<KeyRole, string> = Object.fromEntries(await Promise.all(made));

interface Operation {
  security: { apiKey?: [] }[];
  responses: Record<string, unknown>;
}

async function call(operation: string, role: KeyRole) {
  const [method = "", path = ""] = operation.split(" ");
  const { statusCode, body } = await app.inject({
    method: method as "GET",
    url: path.replaceAll(/\{\w+\}/g, "none"),
    headers: {
      "x-api-key": keys[role],
      "x-file-name": "a",
      ...(method !== "GET" && method !== "HEAD" ? { "content-type": "application/json" } : {}),
    },
    ...(["GET", "HEAD"].includes(method) ? {} : { payload: "{}" }),
  });
  const text = method === "HEAD" ? "" : String(JSON.parse(body).message);
  return { statusCode, isRefused: statusCode === 403 && /has the role/.test(text), text };
}

test("a key may make the calls of its role: read every GET, trigger five calls; a refusal names the key's role", async () => {
  const paths: Record<string, Record<string, Operation>> = (
    await app.inject("/openapi.json")
  ).json().paths;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({
      ...one,
      name: `${method.toUpperCase()} ${path}`,
    })),
  );
  const keyed = operations.filter(({ security }) => security.some((one) => one.apiKey));
  assert.ok(keyed.length > 20, String(keyed.length));
  for (const { name, responses } of keyed) {
    const [, change = "all"] = CHANGES.find(([path]) => path.test(name)) ?? [];
    const enough = name.startsWith("GET") ? "read, manage, provision or all" : change;
    assert.ok(responses[403], `${name} documents 403`);
    for (const role of KEY_ROLES) {
      const answer = await call(name, role);
      const may = enough.split(/, | or /).includes(role);
      assert.equal(answer.isRefused, !may, `${name} by ${role}: ${answer.text}`);
      if (!answer.isRefused) continue;
      const told = `This API key has the role ${role}; this call needs the role ${enough}`;
      assert.equal(answer.text, told, name);
    }
  }
  assert.equal(used.length, keyed.length * KEY_ROLES.length, "a refused call is a use of its key");
});

test("HEAD is a GET for every role; an unknown key is 401 for every call", async () => {
  assert.equal((await call("HEAD /api/v1/webhooks", "read")).statusCode, 200);
  assert.equal((await call("HEAD /api/v1/webhooks", "trigger")).statusCode, 403);
  const headers = { "x-api-key": "bf_stranger" };
  assert.equal((await app.inject({ url: "/api/v1/webhooks", headers })).statusCode, 401);
});

test("a route that needs a key and has no role cannot be registered", async () => {
  await using bare = fastify();
  guardKeyedRoutes(bare, {}, {} as AbuseLimits);
  const register = (schema: FastifySchema) => bare.post("/api/v1/new", { schema }, () => "");
  assert.throws(
    () => register({ security: [{ apiKey: [] }] }),
    /no key need is known of POST \/api\/v1\/new/,
  );
  register({ security: [] });
});
