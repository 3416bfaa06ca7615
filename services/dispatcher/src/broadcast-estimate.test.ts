import assert from "node:assert/strict";
import { test } from "node:test";
import { createBroadcast } from "@belfry/administration/broadcasts/create-broadcast";
import { estimateBroadcast } from "@belfry/administration/broadcasts/estimate-broadcast";
import { actsIn } from "@belfry/administration/test/acts";
import { reasonOf } from "@belfry/contracts/reasons";
import { readsAtMost } from "@belfry/testing/rows-read";
import type { Static } from "@sinclair/typebox";
import { broadcastsUnderTest, NEWS } from "../test/broadcasts-under-test.ts";

const USERS = `
  update tenants set uses_preferences = true;
  insert into categories (tenant_id, key, label, description, default_on, position)
  values ('acme', 'offers', '{"": "Offers"}', '{}', true, 1);
  insert into event_type_categories (tenant_id, event_type, category) values ('acme', '${NEWS}', 'offers');
  update recipients set email = null where user_id in ('user-0000001', 'user-0000002');
  insert into suppressions (tenant_id, channel, address, reason)
  values ('acme', 'EMAIL', 'user-0000003@example.com', 'bounced');
  insert into preferences (tenant_id, user_id, category, channel, enabled, source) values
    ('acme', 'user-0000004', 'offers', 'EMAIL', false, 'by hand'),
    ('acme', 'user-0000005', '*', '*', false, 'by hand'),
    ('acme', 'user-0000002', 'offers', 'PUSH', false, 'by hand');`;

test("an estimate tells what dispatching then does, reason by reason", async (t) => {
  const under = await broadcastsUnderTest(t);
  const { pool, db, tenantId } = under;
  await under.members(20);
  await under.members(5, "beta");
  await pool.query(USERS);
  const request = { topics: ["news", "beta"], exceptUserIds: ["user-0000020", "nobody"] };
  const run = actsIn(db, tenantId, { pool });
  const estimate = await run(estimateBroadcast, { ...request, eventType: NEWS });
  assert.deepEqual(estimate, {
    isExact: true,
    lookedAt: 19,
    reachedOfThose: 17,
    people: 19,
    reached: 17,
    channels: [
      {
        channel: "EMAIL",
        reached: 14,
        missed: [
          { reason: "no-address", people: 2 },
          { reason: "turned-off", people: 2 },
          { reason: "suppressed", people: 1 },
        ],
      },
      { channel: "PUSH", reached: 17, missed: [{ reason: "turned-off", people: 2 }] },
    ],
  });

  await under.broadcast(request);
  await under.moveOn();
  const claimed = await under.claim((await under.release()).released.map(({ id }) => id));
  const rows = await pool.sql`select s.key as channel, s.value as reason
    from events, jsonb_each_text(outcome -> 'skipped') s
    where s.value not in ('#no-template')`;
  const skipped = new Map<string, number>();
  const count = (channel: string, code = "") => {
    const miss = code.startsWith("turned-off") ? "turned-off" : code;
    skipped.set(`${channel} ${miss}`, (skipped.get(`${channel} ${miss}`) ?? 0) + 1);
  };
  for (const { channel, reason } of rows) count(channel, reasonOf(reason)?.code);
  for (const { becomes } of claimed) if (becomes === "skipped") count("EMAIL", "suppressed");
  const estimated = estimate.channels.flatMap(({ channel, missed }) =>
    missed.map(({ reason, people }) => [`${channel} ${reason}`, people] as const),
  );
  assert.deepEqual([...skipped].sort(), [...estimated].sort());
  assert.equal(claimed.filter(({ becomes }) => becomes === "sending").length, 14);
  assert.equal(under.sent.pushes.length, 17);
});

test("on a channel of devices only users with a device are reached, and a broadcast names no provider of it", async (t) => {
  const under = await broadcastsUnderTest(t);
  const { pool, db, tenantId } = under;
  await under.members(3);
  await under.templates(tenantId, NEWS, ["DEVICE"]);
  await pool.sql`insert into devices (id, tenant_id, user_id, device_id, kind, token, token_hash)
    values (gen_random_uuid(), ${tenantId}, 'user-0000002', 'phone', 'fcm', '', 'one')`;
  const run = actsIn(db, tenantId, { pool });
  const request = { topics: ["news"], eventType: NEWS, channels: ["DEVICE" as const] };
  const { reached, channels } = await run(estimateBroadcast, request);
  const missed = [{ reason: "no-device", people: 2 }];
  assert.deepEqual([reached, channels], [1, [{ channel: "DEVICE", reached: 1, missed }]]);
  const [{ id: provider }] = await pool.sql`select id from providers where channel = 'DEVICE'`;
  const named = run(createBroadcast, { ...request, provider });
  await assert.rejects(named, /provider is of DEVICE, whose provider each device decides/);
});

test("in chats only users with an address that a provider reaches are counted, as they then get it", async (t) => {
  const under = await broadcastsUnderTest(t);
  const { pool, db, tenantId } = under;
  await under.members(7);
  await under.templates(tenantId, NEWS, ["CHAT"]);
  await pool.query(`
    ${USERS}
    update recipients set chat = case user_id
      when 'user-0000001' then null when 'user-0000002' then 'no kind' when 'user-0000003' then 'discord:ops'
      else 'slack:' || upper(right(user_id, 2)) end;
    insert into preferences (tenant_id, user_id, category, channel, enabled, source)
    values ('acme', 'user-0000004', 'offers', 'CHAT', false, 'by hand');
    insert into suppressions (tenant_id, channel, address, reason) values ('acme', 'CHAT', 'slack:06', 'bounced');`);
  const run = actsIn(db, tenantId, { pool });
  const request = { topics: ["news"], eventType: NEWS, channels: ["CHAT" as const] };
  const ofChat = async () => (await run(estimateBroadcast, request)).channels[0];
  const missed = [
    { reason: "no-address", people: 2 },
    { reason: "turned-off", people: 2 },
    { reason: "suppressed", people: 1 },
  ];
  // The sandbox stands in for all kinds.
  assert.deepEqual(await ofChat(), { channel: "CHAT", reached: 2, missed });
  await pool.query("update providers set kind = 'slack' where channel = 'CHAT'");
  const missedOfSlack = missed.toSpliced(1, 0, { reason: "no-provider", people: 1 });
  assert.deepEqual(await ofChat(), { channel: "CHAT", reached: 1, missed: missedOfSlack });

  await under.broadcast(request);
  await under.moveOn();
  const claims = await under.claim(
    (await under.release("CHAT")).released.map(({ id }) => id),
    "CHAT",
  );
  const rows = await pool.sql`select s.value as reason
    from events, jsonb_each_text(outcome -> 'skipped') s where s.key = 'CHAT'`;
  const reasons = rows.map(({ reason }) =>
    reasonOf(reason)?.code?.replace(/^turned-off-.*/, "turned-off"),
  );
  assert.deepEqual(reasons.sort(), [
    "no-address",
    "no-chat-address",
    "no-provider-of-kind",
    "turned-off",
    "turned-off",
  ]);
  assert.deepEqual(claims.map(({ becomes }) => becomes).sort(), ["sending", "skipped"]);
});

test("without a provider nobody is reached on its channel; a category that is off by default needs a yes", async (t) => {
  const under = await broadcastsUnderTest(t, { providers: [] });
  const { pool, db, tenantId } = under;
  await under.members(4);
  await pool.query(USERS);
  await pool.query("update categories set default_on = false");
  const run = actsIn(db, tenantId, { pool });
  const estimate = await run(estimateBroadcast, { topics: ["news"], eventType: NEWS });
  const [email, push] = estimate.channels;
  assert.deepEqual(email?.missed, [{ reason: "no-provider", people: 4 }]);
  assert.deepEqual(push?.missed, [
    { reason: "turned-off", people: 1 },
    { reason: "not-turned-on", people: 3 },
  ]);
  assert.equal(estimate.reached, 0);
});

test("of more than 10,000 people the first are looked at, and the rest is said to be extrapolated", async (t) => {
  const under = await broadcastsUnderTest(t);
  const { pool, db, tenantId } = under;
  await under.members(16_000);
  await under.members(16_000, "beta");
  await pool.query("update recipients set email = null where user_id like '%0'");
  const request: Static<typeof estimateBroadcast.input> = {
    topics: ["news", "beta"],
    exceptUserIds: ["user-0000001", "user-0015999", "nobody"],
    eventType: NEWS,
    channels: ["EMAIL"],
  };
  const estimate = await actsIn(db, tenantId, { pool })(estimateBroadcast, request);
  assert.deepEqual(estimate, {
    isExact: false,
    lookedAt: 9_999,
    reachedOfThose: 8_999,
    people: 15_998,
    reached: Math.round((15_998 * 8_999) / 9_999),
    channels: [
      { channel: "EMAIL", reached: 8_999, missed: [{ reason: "no-address", people: 1_000 }] },
    ],
  });
  await pool.query("analyze");
  await readsAtMost(pool, 10_000, ["recipients", "suppressions", "preferences"], async (client) => {
    await actsIn(db, tenantId, { pool: client })(estimateBroadcast, request);
  });
});

test("an estimate refuses what a broadcast refuses", async (t) => {
  const under = await broadcastsUnderTest(t);
  const { pool, db, tenantId } = under;
  await under.members(1);
  const run = actsIn(db, tenantId, { pool });
  const estimate = (input: object) => run(estimateBroadcast, { eventType: NEWS, ...input });
  await assert.rejects(estimate({ topics: ["nothing"] }), /topics\[0\] is not the key of a topic/);
  await assert.rejects(estimate({}), /must have either topics or userIds/);
  await pool.query("update templates set sensitive = true where channel = 'EMAIL'");
  await assert.rejects(estimate({ topics: ["news"] }), /has a sensitive template/);
});
