import assert from "node:assert/strict";
import { test } from "node:test";
import { readEvent } from "@belfry/administration/events/event-report";
import { actsIn } from "@belfry/administration/test/acts";
import { assignCategory, putCategory } from "@belfry/administration/users/categories";
import { outboxOfTenant } from "@belfry/database/outbox";
import { assertEach } from "@belfry/testing/assert-each";
import { eventually } from "@belfry/testing/eventually";
import { outboxOf, outcomeOf, SENT, settled } from "./outcome.ts";
import { call, type Stack, triggered } from "./stack.ts";

/** Tests of preferences, from the API and a mail's link to the sent messages and the timeline. */
export function preferenceTests(stack: Stack): void {
  const [api] = stack.apiUrls;
  const ONE_CLICK = "List-Unsubscribe=One-Click";

  async function tenantWithOffers(required = false) {
    const tenant = await stack.createReadyTenant();
    const run = actsIn(stack.db, tenant.id);
    await run(putCategory, { key: "offers", label: { "": "Offers" }, required });
    await run(assignCategory, { eventType: "order.confirmed", category: "offers" });
    return tenant;
  }

  const send = (apiKey: string, over?: Record<string, unknown>) => triggered(stack, apiKey, over);

  /** The message as `outbox list` shows it. */
  const outbox = (tenantId: string) => outboxOfTenant(stack.db, tenantId, { limit: 200 });

  test("a POST to a mail's own link is all it takes: the next event is skipped, and says why", async () => {
    const tenant = await tenantWithOffers();
    const id = await send(tenant.apiKey);
    assert.deepEqual(await outcomeOf(stack, id), SENT);
    const messages = await outbox(tenant.id);
    const mail = messages.find(({ channel }) => channel === "EMAIL");
    const { "List-Unsubscribe": listed = "", ...others } = mail?.headers ?? {};
    assert.deepEqual(others, {
      "Auto-Submitted": "auto-generated",
      "List-Unsubscribe-Post": ONE_CLICK,
      "List-Id": `<offers.${tenant.id}.127.0.0.1>`,
    });
    assert.ok(messages.some(({ channel, headers }) => channel === "SMS" && !headers));
    const url = listed.slice(1, -1);
    assert.equal((await fetch(url)).status, 200);
    assert.deepEqual(await outcomeOf(stack, await send(tenant.apiKey)), SENT, "GET does nothing");

    const body = new URLSearchParams(ONE_CLICK);
    assert.equal((await fetch(url, { method: "POST", body, redirect: "error" })).status, 200);
    const next = await send(tenant.apiKey);
    const { EMAIL = "", ...sent } = await outcomeOf(stack, next);
    assert.match(
      EMAIL,
      /^skipped: turned off by the user for Offers on EMAIL, .*, unsubscribe link$/,
    );
    assert.deepEqual(sent, { SMS: "accepted", PUSH: "published" });
    const { timeline } = await settled(stack, next);
    assert.ok(timeline.some(({ channel, what }) => channel === "EMAIL" && what === EMAIL));
    assertEach(await outboxOf(stack, next), ({ channel }) => channel, ["SMS"]);
  });

  test("a mail of a required category has no such link, and is sent whatever is turned off", async () => {
    const tenant = await tenantWithOffers(true);
    const changed = await call(`${api}/api/v1/users/user-1/preferences`, {
      ...{ method: "PATCH", apiKey: tenant.apiKey },
      body: { preferences: [{ category: "*", channel: "*", enabled: false }] },
    });
    assert.equal(changed.status, 200);
    assert.deepEqual(await outcomeOf(stack, await send(tenant.apiKey)), SENT);
    const messages = await outbox(tenant.id);
    assertEach(messages, ({ headers }) => headers?.["List-Unsubscribe"] ?? null, [null, null]);
  });

  test("the very first preference and the very first user bind the next event", async () => {
    const tenant = await stack.createReadyTenant();
    const payload = { userId: "bob" };
    const nowhere = {
      ...{ EMAIL: "skipped: no recipientEmail", SMS: "skipped: no recipientPhone" },
      PUSH: "published",
    };
    assert.deepEqual(await outcomeOf(stack, await send(tenant.apiKey, { payload })), nowhere);
    const user = `${api}/api/v1/users/bob`;
    const body = { email: "bob@example.com", phone: "+12025550199" };
    await call(user, { method: "PUT", apiKey: tenant.apiKey, body });
    const id = await send(tenant.apiKey, { payload });
    assert.deepEqual(await outcomeOf(stack, id), SENT);
    const [email, sms] = await outboxOf(stack, id);
    assert.deepEqual([email?.recipient, sms?.recipient], [body.email, body.phone]);
    const off = { category: "*", channel: "PUSH", enabled: false };
    await call(`${user}/preferences`, {
      ...{ method: "PATCH", apiKey: tenant.apiKey, body: { preferences: [off] } },
    });
    const { PUSH = "" } = await outcomeOf(stack, await send(tenant.apiKey, { payload }));
    assert.match(PUSH, /^skipped: turned off by the user on PUSH, .*, api$/);
  });

  test("quiet hours of the user hold up what makes a noise, and the timeline says until when", async () => {
    const tenant = await stack.createReadyTenant();
    const { rows } = await stack.pool.query("select clock_timestamp() as now");
    const minute = Math.floor(rows[0].now.getTime() / 60_000) * 60_000;
    const at = (minutes: number) => new Date(minute + minutes * 60_000).toISOString();
    const quietHours = { from: at(-60).slice(11, 16), to: at(60).slice(11, 16) };
    await call(`${api}/api/v1/users/user-1`, {
      ...{ method: "PUT", apiKey: tenant.apiKey, body: { quietHours } },
    });
    const id = await send(tenant.apiKey);
    const { channels, timeline } = await eventually(async () => {
      const report = await readEvent(stack.db, id);
      assert.equal(report.status, "dispatched");
      return report;
    });
    assert.equal(channels.PUSH?.status, "published");
    for (const channel of ["EMAIL", "SMS"] as const) {
      const reason = channels[channel]?.reason ?? "";
      assert.equal(channels[channel]?.status, "queued");
      assert.equal(channels[channel]?.delivery?.dueAt, at(60));
      assert.ok(reason.startsWith(`quiet hours until ${quietHours.to}, `), reason);
      const said = timeline.filter((entry) => entry.channel === channel).map(({ what }) => what);
      assert.ok(said.includes(`waits: ${reason}`), JSON.stringify(said));
    }
  });
}
