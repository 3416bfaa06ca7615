import assert from "node:assert/strict";
import { test } from "node:test";
import { assertHas } from "@belfry/testing/assert-has";
import { eventually } from "@belfry/testing/eventually";
import { call, freshKey, type Stack, trigger } from "./stack.ts";

interface Tenant {
  id: string;
  apiKey: string;
}

/** Specification 2.5, 3.1, 4.4 and 4.5. */
export function historyTests(stack: Stack): void {
  const [api] = stack.apiUrls;
  const list = ({ id, apiKey }: Tenant, query = "", userId = "user-1") =>
    call(`${api}/api/v1/notifications/${id}/${encodeURIComponent(userId)}${query}`, { apiKey });
  const mark = (tenantId: string, apiKey: string, id: string, options: object = {}) =>
    call(`${api}/api/v1/notifications/${tenantId}/user-1/${id}/read`, {
      method: "PUT",
      apiKey,
      ...options,
    });

  const tenantWith = async (count: number) => {
    const tenant = await stack.createReadyTenant({}, { channels: ["PUSH"] });
    for (let i = 1; i <= count; i += 1) {
      await trigger(api, tenant.apiKey, { variables: { orderId: i, name: "Ann" } }, freshKey());
    }
    await eventually(async () => {
      assert.equal((await list(tenant)).body.data.length, count);
    });
    return tenant;
  };

  test("push notifications are listed newest first, with the fields of the specification", async () => {
    const tenant = await tenantWith(3);
    const { status, body } = await list(tenant);
    assert.equal(status, 200);
    assert.equal(body.success, true);
    const [first] = body.data;
    assert.deepEqual(Object.keys(first).sort(), [
      "body",
      "created_at",
      "id",
      "status",
      "title",
      "type",
    ]);
    assertHas(first, { type: "order.confirmed", body: "Thank you, Ann", status: "UNREAD" });
    assert.match(first.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    // The database orders by microseconds, so items of the same millisecond may come in any order.
    const order = body.data.map((item: { created_at: string }) => item.created_at);
    assert.deepEqual(order, [...order].sort().reverse());
    assert.deepEqual(
      new Set(body.data.map((item: { title: string }) => item.title)),
      new Set(["Order 1", "Order 2", "Order 3"]),
    );
  });

  test("limit and offset page", async () => {
    const tenant = await tenantWith(3);
    const all = (await list(tenant)).body.data;
    assert.deepEqual((await list(tenant, "?limit=2")).body.data, all.slice(0, 2));
    assert.deepEqual((await list(tenant, "?limit=2&offset=2")).body.data, all.slice(2));
    assert.deepEqual((await list(tenant, "?offset=99")).body.data, []);
    assert.equal((await list(tenant, "?limit=1000")).status, 200);
  });

  test("marking reads the item, once and again, with or without an empty body", async () => {
    const tenant = await tenantWith(1);
    const [item] = (await list(tenant)).body.data;
    const marked = await mark(tenant.id, tenant.apiKey, item.id);
    assertHas(marked, { status: 200, body: { success: true } });
    assert.equal((await list(tenant)).body.data[0].status, "READ");
    const again = await mark(tenant.id, tenant.apiKey, item.id, {
      headers: { "content-type": "application/json" },
    });
    assert.equal(again.status, 200);
  });

  test("an unknown item, another user's and no id at all are 404", async () => {
    const tenant = await tenantWith(1);
    const [item] = (await list(tenant)).body.data;
    for (const id of ["0198c0de-0000-7000-8000-000000000000", "not-an-id", "1", "a%2fb"]) {
      assert.equal((await mark(tenant.id, tenant.apiKey, id)).status, 404, id);
    }
    const stranger = await call(`${api}/api/v1/notifications/${tenant.id}/user-2/${item.id}/read`, {
      method: "PUT",
      apiKey: tenant.apiKey,
    });
    assert.equal(stranger.status, 404);
    assert.equal((await list(tenant)).body.data[0].status, "UNREAD");
  });

  test("another tenant's path is 403, and equal user ids do not meet", async () => {
    const [a, b] = [await tenantWith(1), await stack.createReadyTenant()];
    const { status, body } = await list({ ...a, apiKey: b.apiKey });
    assert.equal(status, 403);
    assert.equal(body.error, "Forbidden");
    const [item] = (await list(a)).body.data;
    assert.equal((await mark(a.id, b.apiKey, item.id)).status, 403);
    assert.equal((await mark(b.id, b.apiKey, item.id)).status, 404);
    assert.deepEqual((await list(b)).body.data, []);
  });

  test("user ids may be anything that is text", async () => {
    const tenant = await stack.createReadyTenant({}, { channels: ["PUSH"] });
    for (const userId of [
      "a b",
      "a/b",
      "*",
      ">",
      "a#b",
      "1,2",
      "ü 💌",
      "..",
      "%2f",
      "x".repeat(255),
    ]) {
      await trigger(api, tenant.apiKey, { payload: { userId } });
      await eventually(async () => {
        const { body } = await list(tenant, "", userId === ".." ? "user-0" : userId);
        assert.equal(body.data.length, userId === ".." ? 0 : 1, userId);
      });
    }
    assert.equal((await list(tenant, "", "a\u0000b")).status, 422);
  });
}
