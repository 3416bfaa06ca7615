import assert from "node:assert/strict";
import { test } from "node:test";
import { assertHas } from "@belfry/testing/assert-has";
import { uuidv7 } from "uuidv7";
import { createFixture, message } from "../test/sending-fixture.ts";
import { startVendor } from "../test/vendor.ts";

test("a broadcast that names a provider goes through it alone, beside all else of the tenant", async (t) => {
  const fixture = await createFixture(t);
  const { pool } = fixture;
  const [first, named] = [await startVendor(t), await startVendor(t)];
  const tenant = await fixture.tenant();
  await fixture.sendgrid(tenant, first.url, { position: 0 });
  const providerId = await fixture.sendgrid(tenant, named.url, { position: 1 });
  const version = await fixture.template(tenant);
  const broadcastId = uuidv7();
  const ofBroadcast = async () => {
    const id = await fixture.delivery(tenant, version);
    await pool.sql`update deliveries set broadcast_id = ${broadcastId} where id = ${id}`;
    return id;
  };
  const sender = fixture.sender();
  const single = await fixture.delivery(tenant, version);
  await sender.handle(message(tenant, [single]));
  // The sender has read the tenant's providers before there is the broadcast.
  await pool.sql`insert into broadcasts (id, tenant_id, event_type, trace_id, total, provider_id,
      provider_channel)
    values (${broadcastId}, ${tenant}, 'order.confirmed', 't', 3, ${providerId}, 'EMAIL')`;
  const early = await ofBroadcast();
  await sender.handle(message(tenant, [early]));
  assertHas(await fixture.row(early), { status: "queued", attempts: 0, released_at: null });

  sender.forgetConfiguration();
  const mixed = [await ofBroadcast(), await fixture.delivery(tenant, version), await ofBroadcast()];
  await fixture.release(early);
  await sender.handle(message(tenant, [early, ...mixed]));
  for (const id of [single, early, ...mixed])
    assertHas(await fixture.row(id), { status: "accepted" });
  assert.deepEqual([first.calls.length, named.calls.length], [2, 3]);

  // The broadcast still names the deleted provider, so none of its messages goes elsewhere.
  await pool.sql`delete from providers where id = ${providerId}`;
  sender.forgetConfiguration();
  const late = await ofBroadcast();
  await sender.handle(message(tenant, [late]));
  assertHas(await fixture.row(late), { status: "skipped", reason: "no active provider" });
  assert.equal(first.calls.length, 2);
});
