import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { createVapidKeys } from "@belfry/providers/web-push-encryption";
import { eventually } from "@belfry/testing/eventually";
import { createHandClock } from "@belfry/testing/hand-clock";
import { startVendor } from "../../providers/test/loopback-vendor.ts";
import { createBrowser } from "../../providers/test/push-judge.ts";
import { createFixture, type Fixture, message } from "./sending-fixture.ts";

const DEVICES = 20;
const SLOW_USERS = 50;
const QUICK_USERS = 20;
/** Most calls of an account to one host at a time. */
const MOST_CALLS = 32;
const PUSH_TEMPLATE = { kind: "notification", title: "Hello", body: "Hello", variables: [] };
const { keys } = createBrowser();

/** A push service that counts its calls and answers when told. */
async function startHost(t: TestContext) {
  const open = new Set<ServerResponse>();
  let most = 0;
  let isSlow = true;
  const { url, received } = await startVendor(t, (response) => {
    if (!isSlow) return response.writeHead(201).end();
    open.add(response);
    most = Math.max(most, open.size);
  });
  const answer = () => {
    isSlow = false;
    for (const response of open) response.writeHead(201).end();
    open.clear();
  };
  // The sender waits for its calls before it closes.
  t.after(answer);
  return { url, received, open, most: () => most, answer };
}

/** A tenant whose users have browsers at one host. Returns the message with one delivery for each user. */
async function tenantAt(fixture: Fixture, url: string, users: number) {
  const tenant = await fixture.tenant();
  const account = { subject: "mailto:ops@example.com", ...createVapidKeys() };
  await fixture.provider(tenant, "DEVICE", "webpush", account);
  const version = await fixture.template(tenant, PUSH_TEMPLATE);
  const ids: string[] = [];
  for (let user = 0; user < users; user += 1) {
    for (let nth = 0; nth < DEVICES; nth += 1) {
      const subscription = { endpoint: `${url}/${user}/${nth}`, keys };
      const target = { kind: "webpush" as const, subscription };
      await fixture.device(tenant, `device-${nth}`, target, `user-${user}`);
    }
    const id = await fixture.delivery(tenant, version, { channel: "DEVICE" });
    await fixture.pool.sql`update events set user_id = ${`user-${user}`}
      where id = (select event_id from deliveries where id = ${id})`;
    ids.push(id);
  }
  const statuses = async () => {
    const rows = await fixture.pool.sql`select status, count(*)::integer as count from deliveries
      where id = any (${ids}::uuid[]) group by status`;
    return Object.fromEntries(rows.map((row) => [row.status, row.count]));
  };
  return { tenant, message: message(tenant, ids, "DEVICE"), statuses };
}

test("a host that does not answer holds few calls at a time, and pushes of another tenant arrive meanwhile", async (t) => {
  const [host, quickHost] = [await startHost(t), await startHost(t)];
  const fixture = await createFixture(t);
  quickHost.answer();
  const slow = await tenantAt(fixture, host.url, SLOW_USERS);
  const quick = await tenantAt(fixture, quickHost.url, QUICK_USERS);
  // No call times out, so the slow host answers long after everything else.
  const sender = fixture.sender({ channel: "DEVICE", clock: createHandClock() });
  const hanging = sender.handle(slow.message);
  await eventually(() => host.open.size === MOST_CALLS);
  await sender.handle(quick.message);
  assert.deepEqual(await quick.statuses(), { accepted: QUICK_USERS });
  assert.equal(quickHost.received.length, QUICK_USERS * DEVICES);
  assert.equal((await slow.statuses()).accepted, undefined);
  assert.equal(host.open.size, MOST_CALLS);
  assert.equal(host.received.length, MOST_CALLS, "the others wait for their turn");

  host.answer();
  await hanging;
  assert.equal(host.most(), MOST_CALLS);
  const paths = host.received.map(({ path }) => path);
  assert.equal(new Set(paths).size, paths.length);
  t.diagnostic(`${paths.length} of ${SLOW_USERS * DEVICES} calls of the slow host were made`);
});
