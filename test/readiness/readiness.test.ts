import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { NEWEST_MIGRATION } from "@belfry/database/migrate";
import { eventually } from "@belfry/testing/eventually";
import { freePort } from "@belfry/testing/free-port";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { createTestDatabase } from "@belfry/testing/postgres";
import { startProcess } from "@belfry/testing/processes";
import pg from "pg";

const key = () => `k1:${randomBytes(32).toString("base64")}`;
/** Each service, and the name of what it is not ready without. */
const SERVICES = {
  "ingest-api": "http",
  dispatcher: "consumers",
  "email-sender": "consumer",
  "sms-sender": "consumer",
  "realtime-gateway": "gateway",
};

test("no service is ready before it does its work, though Postgres and NATS are there", async (t) => {
  const { url } = await createTestDatabase(t);
  const prefix = testPrefix(t);
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  // As during a roll-out: the new code waits for the migration, with everything connected.
  const { rows } = await db.query("delete from kysely_migration where name = $1 returning *", [
    NEWEST_MIGRATION,
  ]);
  const started = await Promise.all(
    Object.entries(SERVICES).map(async ([name, waitsFor]) => {
      const service = await startProcess(t, {
        main: new URL(`../../services/${name}/main.ts`, import.meta.url),
        env: {
          DATABASE_URL: url,
          NATS_URL: testNatsUrl(),
          NATS_PREFIX: prefix,
          SECRETS_KEYS: key(),
          REALTIME_TOKEN_KEYS: key(),
          INGEST_API_PORT: String(await freePort()),
          REALTIME_GATEWAY_PORT: String(await freePort()),
        },
        waitUntilReady: false,
      });
      return { name, waitsFor, service };
    }),
  );
  const readiness = async (port: number) => {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`);
    return { status: response.status, ...((await response.json()) as { away: string[] }) };
  };
  await Promise.all(
    started.map(({ name, waitsFor, service }) =>
      eventually(async () =>
        assert.deepEqual(
          await readiness(service.managementPort),
          { status: 503, ready: false, away: [waitsFor] },
          name,
        ),
      ),
    ),
  );
  await db.query(
    "insert into kysely_migration select * from json_populate_recordset(null::kysely_migration, $1)",
    [JSON.stringify(rows)],
  );
  await Promise.all(started.map(({ service }) => service.waitUntilReady()));
  await db.end();
});
