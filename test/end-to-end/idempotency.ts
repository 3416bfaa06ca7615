import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { assertHas } from "@belfry/testing/assert-has";
import { outcomeOf } from "./outcome.ts";
import { freshKey, type Stack, trigger } from "./stack.ts";

/** Specification 4.1 rules 1 and 2. */
export function idempotencyTests(stack: Stack): void {
  const [api] = stack.apiUrls;

  const counted = async (tenantId: string) => {
    const { rows } = await stack.pool.query(
      `select (select count(*) from events where tenant_id = $1)::integer as events,
              (select count(*) from deliveries where tenant_id = $1)::integer as deliveries,
              (select count(*) from outbox where tenant_id = $1)::integer as sent,
              (select count(*) from notifications where tenant_id = $1)::integer as notifications`,
      [tenantId],
    );
    return rows[0];
  };

  test("an identical request is answered the same and delivered once", async () => {
    const tenant = await stack.createReadyTenant();
    const first = await trigger(api, tenant.apiKey);
    const eventId = first.headers.get("x-event-id") ?? "";
    const second = await trigger(stack.apiUrls[1], tenant.apiKey, {
      variables: { name: "Bob" },
      eventId: "another",
    });
    assertHas(second, { status: 200, body: first.body });
    assert.equal(second.headers.get("idempotency-replayed"), "true");
    assert.equal(second.headers.get("x-event-id"), eventId);
    await outcomeOf(stack, eventId);
    assert.deepEqual(await counted(tenant.id), {
      events: 1,
      deliveries: 2,
      sent: 2,
      notifications: 1,
    });
  });

  test("another payload, or variables where the tenant says so, is another event", async () => {
    const tenant = await stack.createReadyTenant();
    await trigger(api, tenant.apiKey);
    const other = await trigger(api, tenant.apiKey, {
      payload: { userId: "user-1", recipientEmail: "other@example.com" },
    });
    assert.equal(other.headers.get("idempotency-replayed"), null);
    const careful = await stack.createReadyTenant({ dedupIncludesVariables: true });
    await trigger(api, careful.apiKey, { variables: { n: 1 } });
    const changed = await trigger(api, careful.apiKey, { variables: { n: 2 } });
    assert.equal(changed.headers.get("idempotency-replayed"), null);
    const same = await trigger(api, careful.apiKey, { variables: { n: 2 } });
    assert.equal(same.headers.get("idempotency-replayed"), "true");
  });

  test("an explicit key takes the place of the automatic one: new key, new delivery; same key, first answer", async () => {
    const tenant = await stack.createReadyTenant({}, { channels: ["PUSH"] });
    const key = freshKey();
    const first = await trigger(api, tenant.apiKey, {}, key);
    const resent = await trigger(api, tenant.apiKey, {}, freshKey());
    assert.notEqual(first.headers.get("x-event-id"), resent.headers.get("x-event-id"));
    const replay = await trigger(api, tenant.apiKey, { eventType: "something.else" }, key);
    assert.deepEqual(replay.body, first.body);
    assert.equal(replay.headers.get("idempotency-replayed"), "true");
  });

  test("50 at once over two replicas make one event", async () => {
    const tenant = await stack.createReadyTenant();
    const key = freshKey();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => trigger(stack.apiUrls[i % 2]!, tenant.apiKey, {}, key)),
    );
    assert.ok(answers.every((answer) => answer.status === 200));
    assert.equal(answers.filter((a) => a.headers.get("idempotency-replayed") === null).length, 1);
    assert.equal(new Set(answers.map((a) => a.headers.get("x-event-id"))).size, 1);
    await outcomeOf(stack, answers[0]?.headers.get("x-event-id") ?? "");
    const { events, sent, notifications } = await counted(tenant.id);
    assert.deepEqual({ events, sent, notifications }, { events: 1, sent: 2, notifications: 1 });
  });

  test("a key is free again after 24 hours and not sooner", async () => {
    const tenant = await stack.createReadyTenant();
    const key = freshKey();
    await trigger(api, tenant.apiKey, {}, key);
    const age = (seconds: number) =>
      stack.pool.query(
        "update dedup_keys set accepted_at = accepted_at - make_interval(secs => $1) where tenant_id = $2",
        [seconds, tenant.id],
      );
    await age(24 * 3600 - 60);
    const before = await trigger(api, tenant.apiKey, {}, key);
    assert.equal(before.headers.get("idempotency-replayed"), "true");
    await age(60);
    const after = await trigger(api, tenant.apiKey, {}, key);
    assert.equal(after.status, 200);
    assert.equal(after.headers.get("idempotency-replayed"), null);
  });

  test("a request that was answered 4xx is not remembered", async () => {
    const tenant = await stack.createReadyTenant();
    const key = { "x-idempotency-key": randomUUID() };
    assert.equal((await trigger(api, tenant.apiKey, { eventType: 7 }, key)).status, 422);
    const answer = await trigger(api, tenant.apiKey, {}, key);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("idempotency-replayed"), null);
  });

  test("one poisoned body among 99 good ones gives 99 × 200", async () => {
    const tenant = await stack.createReadyTenant({}, { channels: ["PUSH"] });
    // The API refuses bodies that Postgres cannot store, so a database trigger simulates an unforeseen fault.
    await stack.pool.query(`
      create function refuse_poison() returns trigger language plpgsql as
        $$ begin if new.reference = 'poison' then raise sqlstate '22000'; end if; return new; end $$;
      create trigger poison before insert on events for each row execute function refuse_poison()`);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        trigger(
          api,
          tenant.apiKey,
          {
            eventId: i === 50 ? "poison" : `good-${i}`,
            variables: { odd: "\u0000 \ud800 1e400000" },
          },
          freshKey(),
        ),
      ),
    );
    await stack.pool.query("drop trigger poison on events");
    const statuses = answers.map((answer) => answer.status);
    assert.equal(statuses.filter((status) => status === 200).length, 99);
    assert.equal(statuses[50], 500);
  });
}
