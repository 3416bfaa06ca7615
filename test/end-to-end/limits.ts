import assert from "node:assert/strict";
import { test } from "node:test";
import { updateTenant } from "@belfry/administration/tenants/tenants";
import { assertHas } from "@belfry/testing/assert-has";
import { eventually } from "@belfry/testing/eventually";
import { freshKey, type Stack, trigger } from "./stack.ts";

/** Specification sections 7 (429) and 8. */
export function limitTests(stack: Stack): void {
  const [api] = stack.apiUrls;

  test("two replicas share one limit exactly, and 429 says what the specification says", async () => {
    const tenant = await stack.createReadyTenant(
      { name: "Limited", perMinute: 30 },
      { channels: ["PUSH"] },
    );
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, i) =>
        trigger(stack.apiUrls[i % 2]!, tenant.apiKey, {}, freshKey()),
      ),
    );
    assert.equal(answers.filter((answer) => answer.status === 200).length, 30);
    const refused = answers.filter((answer) => answer.status === 429);
    assert.equal(refused.length, 50);
    for (const { body, headers } of refused) {
      assertHas(body, { statusCode: 429, error: "Too Many Requests" });
      assert.equal(body.message, "Rate limit exceeded for tenant Limited. Limit: 30/min");
      assert.ok(Number.isInteger(body.retryAfter) && body.retryAfter >= 1 && body.retryAfter <= 61);
      assert.equal(headers.get("retry-after"), String(body.retryAfter));
      assert.match(headers.get("ratelimit-policy") ?? "", /^"per-minute";q=30;w=60/);
      assert.match(headers.get("ratelimit") ?? "", /^"per-minute";r=0;t=\d+/);
    }
  });

  test("every 200 tells what is left", async () => {
    const tenant = await stack.createReadyTenant(
      { perMinute: 5, dailyCap: 7 },
      { channels: ["PUSH"] },
    );
    const { headers } = await trigger(api, tenant.apiKey);
    assert.equal(headers.get("ratelimit-policy"), '"per-minute";q=5;w=60, "per-day";q=7;w=86400');
    assert.match(headers.get("ratelimit") ?? "", /^"per-minute";r=4;t=\d+, "per-day";r=6;t=\d+$/);
  });

  test("the daily cap resets at midnight UTC", async () => {
    const tenant = await stack.createReadyTenant({ dailyCap: 1 }, { channels: ["PUSH"] });
    assert.equal((await trigger(api, tenant.apiKey, {}, freshKey())).status, 200);
    const toMidnight = () => 86_400 - (Math.floor(Date.now() / 1000) % 86_400);
    const most = toMidnight();
    const { status, body, headers } = await trigger(api, tenant.apiKey, {}, freshKey());
    const least = toMidnight();
    assert.equal(status, 429);
    assert.match(body.message, /Limit: 1\/day$/);
    assert.ok(body.retryAfter >= least - 1 && body.retryAfter <= most + 1, `${body.retryAfter}`);
    assert.equal(headers.get("retry-after"), String(body.retryAfter));
    await stack.pool.query("update tenant_limits set day = day - 1 where tenant_id = $1", [
      tenant.id,
    ]);
    assert.equal((await trigger(api, tenant.apiKey, {}, freshKey())).status, 200);
  });

  test("a malformed body costs nothing", async () => {
    const tenant = await stack.createReadyTenant({ perMinute: 1 }, { channels: ["PUSH"] });
    for (let i = 0; i < 5; i += 1) {
      assert.equal((await trigger(api, tenant.apiKey, { payload: 1 })).status, 422);
    }
    assert.equal((await trigger(api, tenant.apiKey)).status, 200);
  });

  test("a limit that is raised is in force within 5 s, though a replica remembers its no", async () => {
    const tenant = await stack.createReadyTenant({ perMinute: 1 }, { channels: ["PUSH"] });
    await trigger(api, tenant.apiKey, {}, freshKey());
    assert.equal((await trigger(api, tenant.apiKey, {}, freshKey())).status, 429);
    await updateTenant(stack.db, tenant.id, { perMinute: 100 });
    await eventually(async () => {
      assert.equal((await trigger(api, tenant.apiKey, {}, freshKey())).status, 200);
    });
  });
}
