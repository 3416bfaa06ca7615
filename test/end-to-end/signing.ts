import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { rotateKey } from "@belfry/administration/tenants/tenant-credentials";
import { updateTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import { eventually } from "@belfry/testing/eventually";
import { call, freshKey, type Stack, trigger } from "./stack.ts";

const UNAUTHORIZED = {
  statusCode: 401,
  error: "Unauthorized",
  message: "Invalid or inactive API key",
};

/** Specification section 5. */
export function signingTests(stack: Stack): void {
  const [api] = stack.apiUrls;
  const secret = "whsec-test";
  const sign = (body: string) => createHmac("sha256", secret).update(body).digest("hex");
  const send = (apiKey: string, body: string, headers: Record<string, string>) =>
    call(`${api}/api/v1/events/trigger`, {
      apiKey,
      body,
      headers: { ...freshKey(), ...headers },
    });

  test("the key is checked before the body, and the signature before its fields", async () => {
    const broken = await call(`${api}/api/v1/events/trigger`, {
      body: "{",
      headers: { "x-api-key": "no" },
    });
    assert.equal(broken.status, 401);
    const tenant = await stack.createReadyTenant({ webhookSecret: secret });
    const unsigned = await send(tenant.apiKey, "{", {});
    assert.equal(unsigned.status, 401);
    assert.equal(unsigned.headers.get("www-authenticate"), 'X-Service-Signature error="missing"');
    const signed = await send(tenant.apiKey, "{", { "x-service-signature": sign("{") });
    assert.equal(signed.status, 400);
  });

  test("the signature is over the raw body, byte for byte", async () => {
    const tenant = await stack.createReadyTenant({ webhookSecret: secret });
    const body = '{ "eventType":"order.confirmed",\n "payload" : {"userId":"ü\\u0041"} }';
    const good = await send(tenant.apiKey, body, { "x-service-signature": sign(body) });
    assert.equal(good.status, 200);
    const compact = JSON.stringify(JSON.parse(body));
    const wrong: Record<string, string> = {
      "of another text": sign(compact),
      "of another secret": createHmac("sha256", "other").update(body).digest("hex"),
      "in upper case": sign(body).toUpperCase(),
      "cut short": sign(body).slice(1),
      empty: "",
    };
    for (const [name, signature] of Object.entries(wrong)) {
      const answer = await send(tenant.apiKey, body, { "x-service-signature": signature });
      assert.equal(answer.status, 401, name);
      assert.deepEqual(answer.body, UNAUTHORIZED);
      assert.equal(answer.headers.get("www-authenticate"), 'X-Service-Signature error="invalid"');
    }
  });

  test("a new webhook secret and a rotated key are in force within 5 s; the old key overlaps", async () => {
    const tenant = await stack.createReadyTenant();
    await trigger(api, tenant.apiKey, {}, freshKey());
    const rotated = await actsIn(stack.db, tenant.id)(rotateKey, { overlapSeconds: 3600 });
    for (const key of [tenant.apiKey, rotated.apiKey]) {
      assert.equal((await trigger(api, key, {}, freshKey())).status, 200);
    }
    await actsIn(stack.db, tenant.id)(rotateKey, { overlapSeconds: 0 });
    await eventually(async () => {
      assert.equal((await trigger(api, tenant.apiKey, {}, freshKey())).status, 401);
    });
    const other = await stack.createReadyTenant();
    await trigger(api, other.apiKey, {}, freshKey());
    await updateTenant(stack.db, other.id, { webhookSecret: secret }, stack.keys);
    await eventually(async () => {
      assert.equal((await trigger(api, other.apiKey, {}, freshKey())).status, 401);
    });
  });
}
