import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { createVapidKeys } from "@belfry/providers/web-push-encryption";
import { startVendor } from "../../providers/test/loopback-vendor.ts";
import { createBrowser } from "../../providers/test/push-judge.ts";
import { createFixture, message } from "./sending-fixture.ts";

/** With 500 users it takes 17 s of CPU time. */
const USERS = 100;
const DEVICES = 20;
/** One device in so many is dead. */
const DEAD_EACH = 100;
/** A tenant alone has so many slots: with no more deliveries at a time, none waits for one. */
const AT_A_TIME = 32;
const PUSH_TEMPLATE = { kind: "notification", title: "Hello", body: "Hello", variables: [] };
const FCM_ERROR = "type.googleapis.com/google.firebase.fcm.v1.FcmError";

/** Browsers and Android devices of many users of a tenant, at vendors that know all but the dead ones. */
async function withDevices(t: TestContext) {
  const fixture = await createFixture(t);
  const { pool } = fixture;
  let isRefused = false;
  let calls = 0;
  const answer = (response: ServerResponse, device: string, isBrowser: boolean) => {
    calls += 1;
    if (isRefused) return response.writeHead(isBrowser ? 403 : 401).end("{}");
    if (!device.startsWith("dead")) return response.end('{"name":"m"}');
    if (isBrowser) return response.writeHead(410).end();
    const details = [{ "@type": FCM_ERROR, errorCode: "UNREGISTERED" }];
    response.writeHead(404).end(JSON.stringify({ error: { status: "NOT_FOUND", details } }));
  };
  const vendor = await startVendor(t, (response, { path, body }) => {
    if (path === "/token") return response.end('{"access_token":"t","expires_in":3599}');
    if (path.startsWith("/push/")) return answer(response, path.slice("/push/".length), true);
    answer(response, JSON.parse(body).message.token, false);
  });
  const tenant = await fixture.tenant();
  const account = { subject: "mailto:ops@example.com", ...createVapidKeys() };
  await fixture.provider(tenant, "DEVICE", "webpush", account);
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const serviceAccount = JSON.stringify({
    ...{ type: "service_account", project_id: "shop", client_email: "a@example.com" },
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    token_uri: `${vendor.url}/token`,
  });
  await fixture.provider(tenant, "DEVICE", "fcm", { serviceAccount, baseUrl: vendor.url });
  await pool.sql`insert into webhooks (id, tenant_id, url, types, secret)
    values (gen_random_uuid(), ${tenant}, 'https://example.com/', '{device.gone}', 'x')`;
  const version = await fixture.template(tenant, PUSH_TEMPLATE);
  const { keys } = createBrowser();
  const users = Array.from({ length: USERS }, (_, at) => `user-${at}`);
  const dead: string[] = [];
  for (const [at, user] of users.entries()) {
    const adds = Array.from({ length: DEVICES }, (_, nth) => {
      const number = at * DEVICES + nth;
      // Dead browsers and dead phones in turn.
      const isDead = number % DEAD_EACH === Math.floor(number / DEAD_EACH) % 2;
      const id = `${isDead ? "dead" : "device"}-${number}`;
      if (isDead) dead.push(id);
      if (number % 2 === 1) return fixture.device(tenant, id, { kind: "fcm", token: id }, user);
      const subscription = { endpoint: `${vendor.url}/push/${id}`, keys };
      return fixture.device(tenant, id, { kind: "webpush", subscription }, user);
    });
    await Promise.all(adds);
  }
  const sender = fixture.sender({ channel: "DEVICE" });
  return {
    ...{ pool, users, dead },
    calls: () => calls,
    refuse() {
      isRefused = true;
    },
    /** Sends one event to each user. Returns the states of the deliveries with their number. */
    async sendToAll() {
      const ids: string[] = [];
      for (const user of users) {
        const id = await fixture.delivery(tenant, version, { channel: "DEVICE" });
        await pool.sql`update events set user_id = ${user}
          where id = (select event_id from deliveries where id = ${id})`;
        ids.push(id);
      }
      for (let at = 0; at < ids.length; at += AT_A_TIME) {
        await sender.handle(message(tenant, ids.slice(at, at + AT_A_TIME), "DEVICE"));
      }
      const rows = await pool.sql`select status, count(*)::integer as count from deliveries
        where id = any (${ids}::uuid[]) group by status`;
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    },
    deviceIds: async () =>
      (await pool.sql`select device_id from devices`).map((row) => row.device_id as string),
    told: async () =>
      (
        await pool.sql`select payload::json -> 'data' ->> 'deviceId' as device from webhook_messages`
      ).map((row) => row.device as string),
  };
}

test("of many devices exactly the dead ones are deleted and told; a refused account deletes none", async (t) => {
  const { dead, calls, refuse, sendToAll, deviceIds, told } = await withDevices(t);
  assert.equal(dead.length, (USERS * DEVICES) / DEAD_EACH);
  assert.deepEqual(await sendToAll(), { accepted: USERS });
  assert.equal(calls(), USERS * DEVICES);
  assert.deepEqual((await told()).sort(), dead.sort());
  const left = await deviceIds();
  assert.equal(left.length, USERS * DEVICES - dead.length);
  assert.ok(left.every((id) => id.startsWith("device-")));

  refuse();
  const before = calls();
  assert.deepEqual(await sendToAll(), { waiting: USERS });
  t.diagnostic(`${calls() - before} calls were refused`);
  assert.ok(calls() > before);
  assert.equal((await deviceIds()).length, left.length);
  assert.equal((await told()).length, dead.length);
});
