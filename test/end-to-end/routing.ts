import assert from "node:assert/strict";
import { test } from "node:test";
import { sentContent } from "@belfry/administration/events/sent-content";
import { setTenantActive } from "@belfry/administration/tenants/tenants";
import { setTemplateActive } from "@belfry/administration/test/templates";
import type { Channel } from "@belfry/contracts/channels";
import { assertHas } from "@belfry/testing/assert-has";
import { eventually } from "@belfry/testing/eventually";
import { outboxOf, outcomeOf, SENT } from "./outcome.ts";
import { call, freshKey, type Stack, trigger, triggered } from "./stack.ts";

/** Specification 1.1 to 1.9, 2.2, 4.1 rule 3, section 6. */
export function routingTests(stack: Stack): void {
  const [api] = stack.apiUrls;

  test("one call becomes an email, an SMS and a push, and the answer says so", async () => {
    const tenant = await stack.createReadyTenant({ name: "Acme GmbH" });
    const answer = await trigger(api, tenant.apiKey);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {
      success: true,
      message: "Event order.confirmed dispatched securely for Acme GmbH",
    });
    const eventId = answer.headers.get("x-event-id") ?? "";
    assert.match(eventId, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
    assert.equal(answer.headers.get("idempotency-replayed"), null);
    assert.deepEqual(await outcomeOf(stack, eventId), SENT);
    assert.deepEqual(await outboxOf(stack, eventId), [
      {
        channel: "EMAIL",
        recipient: "ann@example.com",
        subject: "Order A-1",
        text: "Hello Ann, order A-1.",
      },
      { channel: "SMS", recipient: "+12025550123", subject: null, text: "Order A-1 for Ann" },
    ]);
  });

  test("a number reaches the customer as it was written, on every channel", async () => {
    const tenant = await stack.createReadyTenant();
    const orderId = '{"id":1234567890123456789,"of":[100000000000000000000000,1.50]}';
    const answer = await call(`${api}/api/v1/events/trigger`, {
      apiKey: tenant.apiKey,
      body: `{"eventType":"order.confirmed",
        "payload":{"userId":"numbers","recipientEmail":"ann@example.com","recipientPhone":"+12025550123"},
        "variables":{ "name": 10.10, "orderId": ${orderId.replaceAll(":", " : ")} }}`,
    });
    assert.equal(answer.status, 200);
    const eventId = answer.headers.get("x-event-id") ?? "";
    await outcomeOf(stack, eventId);
    const [email, sms] = await outboxOf(stack, eventId);
    assertHas(email, { subject: `Order ${orderId}`, text: `Hello 10.10, order ${orderId}.` });
    assert.equal(sms?.text, `Order ${orderId} for 10.10`);
    const history = await call(`${api}/api/v1/notifications/${tenant.id}/numbers`, {
      apiKey: tenant.apiKey,
    });
    const [{ title, body }] = (history.body as { data: [{ title: string; body: string }] }).data;
    assert.deepEqual([title, body], [`Order ${orderId}`, "Thank you, 10.10"]);
    const shown = await sentContent(stack.db, tenant.id, eventId, "SMS");
    assert.ok(shown.shown && shown.content.kind === "text");
    assert.equal(shown.content.text, sms?.text);
  });

  const NOT_ALLOWED = "skipped: channel not allowed";
  const NOT_REQUESTED = "skipped: not requested";
  const ONLY_EMAIL = { SMS: NOT_ALLOWED, PUSH: NOT_ALLOWED };
  /** Of the tenant and of the request, and what is not as in `SENT`. */
  const ROUTES: [string, Channel[], Channel[] | undefined, Record<string, string>][] = [
    ["[] allows all", [], undefined, {}],
    ['["EMAIL"] allows only email', ["EMAIL"], undefined, ONLY_EMAIL],
    ['["EMAIL","PUSH"] skips SMS', ["EMAIL", "PUSH"], undefined, { SMS: NOT_ALLOWED }],
    ["the request narrows", [], ["SMS"], { EMAIL: NOT_REQUESTED, PUSH: NOT_REQUESTED }],
    ["the request never widens", ["EMAIL"], ["EMAIL", "SMS"], ONLY_EMAIL],
    ["an empty list is the same as none", [], [], {}],
  ];
  for (const [name, deliveryChannels, channels, expected] of ROUTES) {
    test(`channels: ${name}`, async () => {
      const tenant = await stack.createReadyTenant({ deliveryChannels });
      const eventId = await triggered(stack, tenant.apiKey, { channels });
      assert.deepEqual(await outcomeOf(stack, eventId), { ...SENT, ...expected });
    });
  }

  test("without a template, a provider or an address it is still 200, and the timeline says why", async () => {
    const bare = await stack.createTenant();
    assert.deepEqual(await outcomeOf(stack, await triggered(stack, bare.apiKey)), {
      EMAIL: "skipped: no active template",
      SMS: "skipped: no active template",
      PUSH: "skipped: no active template",
    });
    const tenant = await stack.createReadyTenant();
    await stack.db
      .updateTable("providers")
      .set({ active: false })
      .where("tenant_id", "=", tenant.id)
      .where("channel", "=", "SMS")
      .execute();
    const payload = { userId: "u", recipientPhone: "+12025550123" };
    assert.deepEqual(await outcomeOf(stack, await triggered(stack, tenant.apiKey, { payload })), {
      EMAIL: "skipped: no recipientEmail",
      SMS: "skipped: no active provider",
      PUSH: "published",
    });
  });

  test("an inactive template is ignored soon after the change, without a restart", async () => {
    const tenant = await stack.createReadyTenant();
    await trigger(api, tenant.apiKey, {}, freshKey());
    await setTemplateActive(
      stack.db,
      { tenantId: tenant.id, eventType: "order.confirmed", channel: "EMAIL" },
      false,
    );
    await eventually(async () => {
      const outcome = await outcomeOf(stack, await triggered(stack, tenant.apiKey));
      assertHas(outcome, { EMAIL: "skipped: no active template", PUSH: "published" });
    });
  });

  test("all five global types work without templates of one's own, to global_system", async () => {
    const tenant = await stack.createReadyTenant();
    for (const eventType of [
      "global.info",
      "global.success",
      "global.warning",
      "global.alert",
      "global.error",
    ]) {
      const eventId = await triggered(stack, tenant.apiKey, {
        eventType,
        variables: { title: "Maintenance", message: "Tonight at ten" },
      });
      assert.deepEqual(await outcomeOf(stack, eventId), SENT);
      const [email, sms] = await outboxOf(stack, eventId);
      assert.match(email?.subject ?? "", /Maintenance/);
      assert.match(email?.text ?? "", /Tonight at ten/);
      assert.match(sms?.text ?? "", /Tonight at ten/);
      const { rows } = await stack.pool.query("select * from notifications where id = $1", [
        eventId,
      ]);
      assertHas(rows[0], { channel_name: "global_system", title: "Maintenance" });
      assert.equal(rows[0].body, "Tonight at ten");
    }
  });

  test("a missing variable renders as empty and is told in the timeline", async () => {
    const tenant = await stack.createReadyTenant();
    const eventId = await triggered(stack, tenant.apiKey, { variables: { orderId: "A-2" } });
    await outcomeOf(stack, eventId);
    const [email] = await outboxOf(stack, eventId);
    assert.equal(email?.text, "Hello , order A-2.");
    const report = await call(`${api}/api/v1/events/${eventId}`, { apiKey: tenant.apiKey });
    if (report.status === 200) {
      assert.deepEqual(report.body.channels?.EMAIL?.missing ?? ["name"], ["name"]);
    }
  });

  test("an inactive tenant is answered 401 within 5 s, and its waiting events are not revived", async () => {
    const tenant = await stack.createReadyTenant();
    assert.equal((await trigger(api, tenant.apiKey, {}, freshKey())).status, 200);
    await setTenantActive(stack.db, tenant.id, false);
    await eventually(async () => {
      for (const url of stack.apiUrls) {
        const answer = await trigger(url, tenant.apiKey, {}, freshKey());
        assert.equal(answer.status, 401);
        assert.equal(answer.body.message, "Invalid or inactive API key");
      }
    });
    await setTenantActive(stack.db, tenant.id, true);
    await eventually(async () => {
      assert.equal((await trigger(api, tenant.apiKey, {}, freshKey())).status, 200);
    });
  });

  test("X-Trace-Id travels into the event and back, and a bad one is replaced", async () => {
    const tenant = await stack.createReadyTenant();
    const good = await trigger(api, tenant.apiKey, {}, { "x-trace-id": "trace-42", ...freshKey() });
    assert.equal(good.headers.get("x-trace-id"), "trace-42");
    const { rows } = await stack.pool.query("select trace_id from events where id = $1", [
      good.headers.get("x-event-id"),
    ]);
    assert.equal(rows[0].trace_id, "trace-42");
    const bad = await trigger(
      api,
      tenant.apiKey,
      {},
      { "x-trace-id": "x".repeat(129), ...freshKey() },
    );
    assert.match(bad.headers.get("x-trace-id") ?? "", /^[0-9a-f]{32}$/);
    const missing = await call(`${api}/nowhere`, { headers: { "x-trace-id": "t2" } });
    assert.equal(missing.status, 404);
    assert.equal(missing.headers.get("x-trace-id"), "t2");
  });
}
