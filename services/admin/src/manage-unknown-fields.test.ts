import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlatformKey } from "@belfry/administration/people/platform-keys";
import { createKey } from "@belfry/administration/tenants/tenant-credentials";
import { actsIn } from "@belfry/administration/test/acts";
import { startForTenant } from "../test/start-admin.ts";

type Paths = Record<string, Record<string, { description: string }>>;

test("a call that changes something refuses each unknown field of its query and its body, and changes nothing", async (t) => {
  const { admin, id } = await startForTenant(t);
  const { key: platform } = await actsIn(admin.db, "")(createPlatformKey, { name: "provisioning" });
  const { apiKey: tenant } = await actsIn(admin.db, id)(createKey, { role: "provision" });
  const ask = async (call: string, body?: unknown, key = tenant) => {
    const [method = "", path = ""] = call.split(" ");
    const answer = await fetch(`${admin.url}${path}`, {
      method,
      headers: {
        "x-api-key": key,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const told = (await answer.json()) as { paths: Paths; message: string[] };
    return { status: answer.status, ...told };
  };
  const { paths } = await ask("GET /api/v1/manage/openapi.json");
  let calls = 0;
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { description }] of Object.entries(methods)) {
      if (method === "get") continue;
      calls += 1;
      const isOfPlatform = /Needs a platform key/.test(description);
      const as = isOfPlatform ? platform : tenant;
      const call = `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "1")}`;
      const body = await ask(call, { strayField: 1 }, as);
      assert.equal(body.status, 422, call);
      assert.ok(body.message.includes("strayField is not a field"), call);
      const query = await ask(`${call}?strayField=1`, undefined, as);
      assert.equal(query.status, 422, call);
      assert.ok(query.message.includes("strayField is not a field"), call);
    }
  }
  assert.ok(calls > 30, String(calls));
  const lable = await ask("PUT /api/v1/manage/categories/offers", { lable: { "": "Offers" } });
  assert.ok(lable.message.includes("lable is not a field; did you mean label?"));
  const { rows } = await admin.pool.query("select from audit_log where person <> 'a test'");
  assert.equal(rows.length, 0);
  assert.equal(
    (await ask("GET /api/v1/manage/categories?strayField=1")).status,
    200,
    "a read ignores it",
  );
});
