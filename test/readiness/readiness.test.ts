import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { createDatabase, createPool } from "@belfry/database/connection";
import { NEWEST_MIGRATION } from "@belfry/database/migrate";
import { eventually } from "@belfry/testing/eventually";
import { freePort } from "@belfry/testing/free-port";
import { ownNatsServer } from "@belfry/testing/nats-server";
import { createTestDatabase } from "@belfry/testing/postgres";
import { startProcess } from "@belfry/testing/processes";
import pg from "pg";

/** Each service, and the name of what it is not ready without when Postgres and NATS are there. */
const SERVICES: Record<string, string | undefined> = {
  "ingest-api": "http",
  dispatcher: "consumers",
  "email-sender": "consumer",
  "sms-sender": "consumer",
  "device-sender": "consumer",
  "chat-sender": "consumer",
  "webhook-sender": "consumer",
  "realtime-gateway": "gateway",
  admin: undefined,
};
/** Those that a browser or a tenant's backend calls. */
const CALLED = new Set(["ingest-api", "realtime-gateway", "admin"]);

/** These services over one database, with NATS there or not. */
async function startAll(
  t: test.TestContext,
  names: Iterable<string>,
  natsUrl: string,
  url: string,
) {
  const key = () => `k1:${randomBytes(32).toString("base64")}`;
  const secretsKeys = key();
  const ports = { api: await freePort(), gateway: await freePort(), admin: await freePort() };
  const services = await Promise.all(
    [...names].map(async (name) => {
      const service = await startProcess(t, {
        main: new URL(`../../services/${name}/src/main.ts`, import.meta.url),
        env: {
          DATABASE_URL: url,
          NATS_URL: natsUrl,
          SECRETS_KEYS: secretsKeys,
          REALTIME_TOKEN_KEYS: key(),
          INGEST_API_PORT: String(ports.api),
          REALTIME_GATEWAY_PORT: String(ports.gateway),
          ADMIN_PORT: String(ports.admin),
        },
        waitUntilReady: false,
      });
      return { name, service };
    }),
  );
  const pool = createPool({ url, applicationName: "test" });
  const db = createDatabase(pool);
  t.after(() => db.destroy());
  const { id, apiKey } = await createTenant(db, { name: "A" });
  const api = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${ports.api}${path}`, {
      method,
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  return { services, api, tenantId: id };
}

type Started = Awaited<ReturnType<typeof startAll>>["services"];

const TRIGGER = { eventType: "order", payload: { userId: "u" } };

async function answersWithoutNats(started: Awaited<ReturnType<typeof startAll>>) {
  const { api, tenantId } = started;
  assert.equal(await api("POST", "/api/v1/events/trigger", TRIGGER), 500);
  assert.equal(await api("GET", `/api/v1/notifications/${tenantId}/u`), 200);
  assert.equal(await api("POST", "/api/v1/auth/realtime-token", { userId: "u" }), 200);
  assert.equal(await api("GET", "/openapi.json"), 200);
}

/** Waits until the service says that it is ready or not, and what is away. */
const becomes = ({ name, service }: Started[number], ready: boolean, away: string) =>
  eventually(async () => {
    const answer = await fetch(`http://127.0.0.1:${service.managementPort}/health/ready`);
    const said = [answer.status, await answer.json()];
    assert.deepEqual(said, [ready ? 200 : 503, { ready, away: [away] }], name);
  });

test("services over one database", async (t) => {
  const { url } = await createTestDatabase(t);
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  // As during a roll-out: the new code waits for the migration, with everything connected.
  const { rows } = await db.query("delete from kysely_migration where name = $1 returning *", [
    NEWEST_MIGRATION,
  ]);
  const nats = await ownNatsServer(t);
  const started = await startAll(t, Object.keys(SERVICES), nats.url, url);

  await t.test("none is ready before it works, though Postgres and NATS are there", async () => {
    for (const one of started.services) {
      const waitsFor = SERVICES[one.name];
      if (waitsFor !== undefined) await becomes(one, false, waitsFor);
    }
    await db.query(
      "insert into kysely_migration select * from json_populate_recordset(null::kysely_migration, $1)",
      [JSON.stringify(rows)],
    );
    await db.end();
    await Promise.all(started.services.map(({ service }) => service.waitUntilReady()));
  });

  await t.test("while NATS is away what needs Postgres alone stays ready", async () => {
    await nats.kill();
    for (const one of started.services) await becomes(one, CALLED.has(one.name), "nats");
    await answersWithoutNats(started);
  });
});

test("what needs Postgres alone is ready when NATS was never there", async (t) => {
  const { url } = await createTestDatabase(t);
  const started = await startAll(t, CALLED, `nats://127.0.0.1:${await freePort()}`, url);
  await Promise.all(started.services.map(({ service }) => service.waitUntilReady()));
  await answersWithoutNats(started);
});
