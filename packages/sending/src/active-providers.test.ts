import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { encryptSecret, providerSettingsOwner } from "@belfry/database/secrets";
import { createLogger } from "@belfry/service/logger";
import { createFixture, type Fixture, keys, TO } from "../test/sending-fixture.ts";
import { accept, startVendor } from "../test/vendor.ts";
import { type ActiveProvidersOptions, createActiveProviders } from "./active-providers.ts";

const log = createLogger({ service: "test", level: "silent" });
const MESSAGE = {
  deliveryId: "d",
  tenantId: "t",
  eventId: "e",
  to: TO,
  subject: "Hello",
  html: "<p>Hello</p>",
  text: "Hello",
};

function activeProviders(
  t: TestContext,
  fixture: Fixture,
  options: Partial<ActiveProvidersOptions> = {},
) {
  const providers = createActiveProviders({
    pool: fixture.pool,
    channel: "EMAIL",
    keys,
    deps: {
      timeoutMs: 10_000,
      allowPrivateAddresses: true,
      storeInOutbox: () => assert.fail("not the sandbox"),
    },
    log,
    ...options,
  });
  t.after(() => providers.close());
  return providers;
}

async function tenantsWith(fixture: Fixture, vendorUrl: string, count: number): Promise<string[]> {
  const tenants = await Promise.all(Array.from({ length: count }, () => fixture.tenant()));
  await Promise.all(tenants.map((tenant) => fixture.sendgrid(tenant, vendorUrl)));
  return tenants;
}

test("opening one provider more than the limit breaks no other tenant's calls", async (t) => {
  const fixture = await createFixture(t);
  const vendor = await startVendor(t);
  const providers = activeProviders(t, fixture, { maxConnected: 2 });
  const tenants = await tenantsWith(fixture, vendor.url, 3);
  for (const round of ["first", "again"]) {
    for (const tenant of tenants) {
      const [provider] = await providers.of(tenant);
      assert.equal((await provider!.send(MESSAGE)).class, "accepted", round);
    }
  }
});

test("a provider with a call in progress is not closed when newer providers take its place", async (t) => {
  const fixture = await createFixture(t);
  const vendor = await startVendor(t);
  const providers = activeProviders(t, fixture, { maxConnected: 1 });
  const [first, second] = await tenantsWith(fixture, vendor.url, 2);
  const [held] = await providers.of(first!);
  const arrived = Promise.withResolvers<() => void>();
  vendor.answer = (response, call) => arrived.resolve(() => accept(response, call));
  const underWay = held!.send(MESSAGE);
  const answer = await arrived.promise;
  vendor.answer = accept;
  const [other] = await providers.of(second!);
  assert.equal((await other!.send(MESSAGE)).class, "accepted");
  answer();
  assert.equal((await underWay).class, "accepted");
  assert.equal((await held!.send(MESSAGE)).class, "accepted", "what was handed out stays good");
});

test("no more providers stay connected than the limit allows", async (t) => {
  const fixture = await createFixture(t);
  const vendor = await startVendor(t);
  const providers = activeProviders(t, fixture, { maxConnected: 2 });
  for (const tenant of await tenantsWith(fixture, vendor.url, 6)) {
    const [provider] = await providers.of(tenant);
    assert.equal((await provider!.send(MESSAGE)).class, "accepted");
  }
  await vendor.connectionsAtMost(2);
});

test("a provider that was taken before a change sends with the old settings, a new one with the new settings", async (t) => {
  const fixture = await createFixture(t);
  const [before, after] = [await startVendor(t), await startVendor(t)];
  const providers = activeProviders(t, fixture);
  const tenant = await fixture.tenant();
  const id = await fixture.sendgrid(tenant, before.url);
  const [old] = await providers.of(tenant);
  await old!.send(MESSAGE);
  const settings = { apiKey: "SG.another", from: "shop@example.com", baseUrl: after.url };
  const owner = providerSettingsOwner(tenant, id);
  const sealed = await encryptSecret(keys, owner, JSON.stringify(settings));
  await fixture.pool.sql`update providers set settings = ${sealed} where id = ${id}`;
  providers.forget();
  const [fresh] = await providers.of(tenant);
  await fresh!.send(MESSAGE);
  assert.equal((await old!.send(MESSAGE)).class, "accepted");
  assert.deepEqual([before.calls.length, after.calls.length], [2, 1]);
});
