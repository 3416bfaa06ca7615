import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants";
import { createDatabase, createPool } from "@belfry/database/connection";
import { eventually } from "@belfry/testing/eventually";
import { freePort } from "@belfry/testing/free-port";
import { ownNatsServer } from "@belfry/testing/nats-server";
import { createTestDatabase } from "@belfry/testing/postgres";
import { startProcess } from "@belfry/testing/processes";

const SERVICES = [
  "ingest-api",
  "dispatcher",
  "email-sender",
  "sms-sender",
  "realtime-gateway",
  "admin",
];
/** Those that a browser or a tenant's backend calls. */
const CALLED = new Set(["ingest-api", "realtime-gateway", "admin"]);

/** All six over one database, with NATS there or not. */
async function startAll(t: test.TestContext, natsUrl: string, waitUntilReady: boolean) {
  const { url } = await createTestDatabase(t);
  const key = () => `k1:${randomBytes(32).toString("base64")}`;
  const secretsKeys = key();
  const ports = { api: await freePort(), gateway: await freePort(), admin: await freePort() };
  const services = await Promise.all(
    SERVICES.map(async (name) => {
      const service = await startProcess(t, {
        main: new URL(`../../services/${name}/main.ts`, import.meta.url),
        env: {
          DATABASE_URL: url,
          NATS_URL: natsUrl,
          SECRETS_KEYS: secretsKeys,
          REALTIME_TOKEN_KEYS: key(),
          INGEST_API_PORT: String(ports.api),
          REALTIME_GATEWAY_PORT: String(ports.gateway),
          ADMIN_PORT: String(ports.admin),
        },
        waitUntilReady,
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

async function endsWell(services: Started) {
  await Promise.all(
    services.map(async ({ name, service }) => {
      assert.equal(await service.stop(), 0, `${name}: ${service.errors()}`);
      assert.equal(service.errors(), "", name);
    }),
  );
}

const TRIGGER = { eventType: "order", payload: { userId: "u" } };

async function answersWithoutNats(started: Awaited<ReturnType<typeof startAll>>) {
  const { api, tenantId } = started;
  assert.equal(await api("POST", "/api/v1/events/trigger", TRIGGER), 500);
  assert.equal(await api("GET", `/api/v1/notifications/${tenantId}/u`), 200);
  assert.equal(await api("POST", "/api/v1/auth/realtime-token", { userId: "u" }), 200);
  assert.equal(await api("GET", "/openapi.json"), 200);
}

test("while NATS is away what needs Postgres alone stays ready, and SIGTERM ends every service with 0", async (t) => {
  const nats = await ownNatsServer(t);
  const started = await startAll(t, nats.url, true);
  await nats.kill();
  for (const { name, service } of started.services) {
    const readiness = async () => {
      const answer = await fetch(`http://127.0.0.1:${service.managementPort}/health/ready`);
      return { status: answer.status, body: await answer.json() };
    };
    const isReady = CALLED.has(name);
    await eventually(async () =>
      assert.deepEqual(
        await readiness(),
        { status: isReady ? 200 : 503, body: { ready: isReady, away: ["nats"] } },
        name,
      ),
    );
  }
  await answersWithoutNats(started);
  await endsWell(started.services);
});

test("SIGTERM ends every service with 0 when NATS was never there", async (t) => {
  const started = await startAll(t, `nats://127.0.0.1:${await freePort()}`, false);
  for (const { name, service } of started.services) {
    await eventually(() =>
      service.logs().some(({ msg }) => String(msg).includes("NATS is not reachable")),
    ).catch((cause) => {
      throw new Error(name, { cause });
    });
  }
  await started.services.find(({ name }) => name === "ingest-api")?.service.waitUntilReady();
  await answersWithoutNats(started);
  await endsWell(started.services);
});
