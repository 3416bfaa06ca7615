import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { type ClientRequest, request } from "node:http";
import { test } from "node:test";
import { createPlatformKey } from "@belfry/administration/people/platform-keys";
import { createKey } from "@belfry/administration/tenants/tenant-credentials";
import { updateTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import type { KeyRole } from "@belfry/contracts/key-roles";
import { startForTenant } from "../test/start-admin.ts";

const MANAGE = "/api/v1/manage";

const NOW_MS = 1_764_000_000_000;

async function world(t: test.TestContext, nowMs: () => number = Date.now) {
  const { admin, operator, id } = await startForTenant(t, { nowMs });
  const keyOf = async (role: KeyRole, name = "pipeline") =>
    (await actsIn(admin.db, id)(createKey, { role, name })).apiKey;
  const key = await keyOf("manage");
  const ask = async (call: string, body?: unknown, headers: Record<string, string> = {}) => {
    const [method = "", path = ""] = call.split(" ");
    const answer = await fetch(`${admin.url}${path.startsWith("/api") ? path : MANAGE + path}`, {
      method,
      headers: {
        "x-api-key": key,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text && JSON.parse(text) };
  };
  return { admin, operator, id, ask, keyOf };
}

test("a key changes what its tenant has, and the audit log names the key", async (t) => {
  const { admin, ask, id } = await world(t);
  const label = { "": "Offers" };
  const put = await ask("PUT /categories/offers", { label, key: "offers" });
  assert.deepEqual([put.status, put.body.success, put.body.data.key], [200, true, "offers"]);
  assert.match(put.headers.get("x-trace-id") ?? "", /^[0-9a-f]{32}$/);
  assert.deepEqual((await ask("GET /categories")).body, { success: true, data: [put.body.data] });
  const audited = await admin.db
    .selectFrom("audit_log")
    .select(["tenant_id", "person", "person_id", "address", "action", "target"])
    .where("person", "!=", "a test")
    .execute();
  assert.deepEqual(audited, [
    {
      tenant_id: id,
      person: "key pipeline",
      person_id: null,
      address: "127.0.0.1",
      action: "category.create",
      target: "offers",
    },
  ]);
});

test("every fault is told together, in the client's words, whether it is in the path, the query or the body", async (t) => {
  const { ask } = await world(t);
  const put = await ask("PUT /categories/NO%20KEY", { position: "1", required: 1 });
  assert.equal(put.status, 422);
  assert.match(put.body.message[0], /^key must /);
  assert.deepEqual(put.body.message.slice(1), [
    "required must be true or false",
    "position must be an integer from 0 to 1000000",
  ]);
  const query = await ask("GET /digests?limit=many");
  assert.deepEqual(query.body.message, ["limit must be an integer from 1 to 1000"]);
  assert.equal((await ask("GET /digests?limit=7")).status, 200);
  assert.deepEqual((await ask("PUT /categories/offers", [])).body.message, [
    "body must be an object",
  ]);
  assert.deepEqual((await ask("PUT /categories/offers")).body.message, [
    "label must name the category: the default text is missing",
  ]);
  assert.equal((await ask("PUT /categories/offers", "{")).status, 400);
  const objects = { textColor: { toString: 1 }, address: { a: 1 } };
  assert.deepEqual((await ask("PUT /layout", objects)).body.message, [
    "textColor must be a text",
    "address must be a text",
  ]);
  const gone = await ask("DELETE /categories/none");
  assert.deepEqual(
    [gone.status, gone.body.message],
    [404, 'key: the tenant has no category "none"'],
  );
});

test("the scope knows no cookies and no pages: errors are JSON, and a session cookie opens nothing", async (t) => {
  const { ask, operator } = await world(t);
  const cookie = `belfry_session=${operator.cookies.get("belfry_session")}`;
  const signedIn = await ask("GET /categories", undefined, { cookie, "x-api-key": "" });
  assert.deepEqual([signedIn.status, signedIn.headers.get("set-cookie")], [401, null]);
  assert.equal(signedIn.headers.get("content-security-policy"), null);
  for (const [call, status] of [
    ["GET /nothing", 404],
    ["POST /nothing", 404],
    ["GET /api/v1/manage/", 404],
    ["GET /categories/offers", 405],
    ["POST /digests", 405],
  ] as const) {
    const answer = await ask(call);
    assert.deepEqual([answer.status, answer.body.statusCode], [status, status], call);
  }
  assert.equal((await ask("POST /digests")).headers.get("allow"), "GET, HEAD");
  const form = { "content-type": "application/x-www-form-urlencoded" };
  assert.equal((await ask("PUT /categories/offers", "label=x", form)).status, 415);
  const large = await ask("PUT /categories/offers", { label: "x".repeat(1024 * 1024) });
  assert.equal(large.status, 413);
});

test("a tenant with a webhook secret signs time, method, path, query and body of every call", async (t) => {
  const webhookSecret = "a secret of the tenant";
  const { ask, admin, id } = await world(t, () => NOW_MS);
  const signed = (call: string, body = "", over: { at?: string; call?: string } = {}) => {
    const { at = String(NOW_MS / 1000) } = over;
    const [method, path] = (over.call ?? call).split(" ");
    const text = `${at}.${method}.${MANAGE}${path}.${body}`;
    const signature = createHmac("sha256", webhookSecret).update(text).digest("hex");
    const headers = { "x-service-timestamp": at, "x-service-signature": signature };
    return ask(call, body === "" ? undefined : body, headers);
  };
  await updateTenant(admin.db, id, { webhookSecret }, admin.keys);
  const body = JSON.stringify({ label: { "": "Offers" } });
  assert.equal((await signed("GET /categories")).status, 200);
  assert.equal((await signed("GET /digests?limit=7")).status, 200);
  assert.equal((await signed("PUT /categories/offers", body)).status, 200);
  for (const seconds of [-300, 300]) {
    const at = String(NOW_MS / 1000 + seconds);
    assert.equal((await signed("GET /categories", "", { at })).status, 200, at);
  }
  const refused: [answer: ReturnType<typeof ask>, words: RegExp][] = [
    [ask("GET /categories"), /X-Service-Timestamp must be the Unix seconds/],
    [ask("GET /categories", undefined, { "x-service-timestamp": "now" }), /Unix seconds/],
    [
      ask("GET /categories", undefined, { "x-service-timestamp": String(NOW_MS / 1000) }),
      /X-Service-Signature is missing/,
    ],
    [
      signed("GET /categories", "", { at: String(NOW_MS / 1000 - 301) }),
      /within 5 minutes of this server's 1764000000/,
    ],
    [signed("GET /categories", "", { at: String(NOW_MS / 1000 + 301) }), /within 5 minutes/],
    [signed("DELETE /categories/offers", "", { call: "GET /categories/offers" }), /not that of/],
    [signed("GET /digests?limit=8", "", { call: "GET /digests?limit=7" }), /not that of/],
    [signed("GET /digests", "", { call: "GET /categories" }), /not that of/],
  ];
  for (const [answer, words] of refused) {
    const { status, body: problem, headers } = await answer;
    assert.equal(status, 401, String(words));
    assert.match(problem.message, words);
    assert.match(headers.get("www-authenticate") ?? "", /error="(missing|invalid)"/);
  }
});

test("a key of another role is refused, and told which one it takes; a tenant's calls are counted by key", async (t) => {
  const { ask, keyOf, admin } = await world(t);
  for (const role of ["all", "trigger", "read"] as const) {
    const answer = await ask("GET /categories", undefined, { "x-api-key": await keyOf(role) });
    const message = `This API key has the role ${role}; this call needs the role manage or provision`;
    assert.deepEqual([answer.status, answer.body.message], [403, message]);
  }
  const limits = { unknownKeysPerMinute: 1, otherPerMinute: 2 };
  const url = await admin.replica({ limits });
  const statusOf = async (key: string) =>
    (await fetch(`${url}${MANAGE}/categories`, { headers: { "x-api-key": key } })).status;
  const [one, two] = [await keyOf("manage"), await keyOf("provision")];
  assert.deepEqual(
    [await statusOf(one), await statusOf(one), await statusOf(one), await statusOf(two)],
    [200, 200, 429, 200],
  );
  assert.deepEqual([await statusOf("x"), await statusOf("x")], [401, 429]);
});

test("a platform key runs operators' acts, and no tenant's; a tenant's key runs none of them", async (t) => {
  const { admin, ask, id } = await world(t);
  const { key } = await actsIn(admin.db, "")(createPlatformKey, { name: "provisioning" });
  const as = { "x-api-key": key };
  const made = await ask("POST /tenants", { name: "Made by a program" }, as);
  assert.equal(made.status, 200, JSON.stringify(made.body));
  assert.match(made.body.data.apiKey, /^bf_/);
  const path = `/tenants/${made.body.data.id}`;
  const listed = await ask("GET /tenants", undefined, as);
  assert.deepEqual(
    listed.body.data.map((one: { name: string }) => one.name),
    [(await ask(`GET /tenants/${id}`, undefined, as)).body.data.name, "Made by a program"],
  );
  const environment = { family: "shop", environment: "live", locked: true };
  const set = await ask(`PUT ${path}/environment`, environment, as);
  assert.deepEqual([set.status, set.body.data.locked], [200, true], JSON.stringify(set.body));
  assert.equal((await ask("PUT /tenants/nobody/environment", environment, as)).status, 404);
  assert.equal((await ask("GET /tenants/nobody", undefined, as)).status, 404);
  const audited = await admin.db
    .selectFrom("audit_log")
    .select(["action", "tenant_id", "person"])
    .where("person", "!=", "a test")
    .orderBy("id")
    .execute();
  const person = "platform key provisioning";
  assert.deepEqual(audited, [
    { action: "tenant.create", tenant_id: made.body.data.id, person },
    { action: "tenant.environment", tenant_id: made.body.data.id, person },
  ]);
  for (const call of ["GET /categories", "PUT /categories/offers", "GET /bundle"]) {
    assert.equal((await ask(call, call.startsWith("PUT") ? {} : undefined, as)).status, 401, call);
  }
  for (const call of ["GET /tenants", `GET /tenants/${id}`, "GET /operators", "GET /audit"]) {
    assert.equal((await ask(call)).status, 401, call);
  }
  await admin.pool.query("delete from platform_keys");
  assert.equal((await ask("GET /tenants", undefined, as)).status, 401);
});

test("the same call with the same Idempotency-Key does nothing again and gets the first answer", async (t) => {
  const { admin, ask, id } = await world(t);
  const key = { "idempotency-key": "deploy-1" };
  const create = { eventType: "sale", channels: ["SMS"] };
  const [first, second] = await Promise.all([
    ask("POST /templates", create, key),
    ask("POST /templates", create, key),
  ]);
  const [made, other] = first.status === 200 ? [first, second] : [second, first];
  assert.deepEqual([made.status, [200, 409].includes(other.status)], [200, true]);
  const again = await ask("POST /templates", create, key);
  assert.deepEqual([again.status, again.body], [200, made.body]);
  assert.equal(again.headers.get("idempotency-replayed"), "true");
  // A repetition without the key finds the templates there already.
  assert.equal((await ask("POST /templates", create)).status, 422);
  const reused = await ask("POST /templates", { ...create, eventType: "other" }, key);
  assert.deepEqual(
    [reused.status, reused.body.message],
    [422, ["Idempotency-Key was used for another call: give each call a key of its own"]],
  );
  assert.equal((await ask("POST /templates", create, { "idempotency-key": "" })).status, 422);
  // A refused call changed nothing and may be repeated.
  const refused = { "idempotency-key": "deploy-2" };
  assert.equal((await ask("POST /templates", create, refused)).status, 422);
  await admin.pool.query("delete from templates where tenant_id = $1", [id]);
  assert.equal((await ask("POST /templates", create, refused)).status, 200);
  // Nobody knows how a call ended whose process was killed.
  await admin.pool.query("update repeated_calls set answer = null where key = 'deploy-2'");
  assert.equal((await ask("POST /templates", create, refused)).status, 409);
  await admin.pool.query("update repeated_calls set created_at = now() - interval '25 hours'");
  assert.equal((await ask("POST /templates", create, refused)).status, 422);
  const left = await admin.pool.query("select from repeated_calls where key = 'deploy-2'");
  assert.equal(left.rowCount, 0, "yesterday's is forgotten");
});

test("a large body waits for its turn before it is read, and must not hold millions of values", async (t) => {
  const { admin, ask, keyOf } = await world(t);
  const key = await keyOf("manage");
  const begun: ClientRequest[] = [];
  const begin = async () =>
    await new Promise<number>((resolve) => {
      const sent = request(`${admin.url}${MANAGE}/bundle`, {
        method: "POST",
        headers: {
          "x-api-key": key,
          "content-type": "application/json",
          "content-length": 8 * 1024 * 1024,
        },
      });
      sent.on("error", () => undefined).on("response", ({ statusCode = 0 }) => resolve(statusCode));
      sent.flushHeaders();
      begun.push(sent);
    });
  // No body is ever sent: an answer is a refusal.
  assert.equal(await Promise.race(Array.from({ length: 3 }, begin)), 429);
  assert.equal((await ask("GET /bundle")).status, 200, "other calls go on");
  for (const one of begun) one.destroy();

  const large = (files: object, values: string) =>
    `{"files":${JSON.stringify(files)},"more":${values}}`;
  const text = '[{,:\\"'.repeat(400_000);
  const good = await ask("POST /bundle?dryRun=true", large({}, JSON.stringify(text)));
  assert.deepEqual([good.status, good.body.message], [422, ["more is not a field"]]);
  const bad = await ask("POST /bundle?dryRun=true", large({}, `[${"[],".repeat(400_000)}1]`));
  assert.deepEqual([bad.status, bad.body.message], [422, ["body must hold at most 100000 values"]]);
});
