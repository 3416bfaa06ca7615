import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { TRIAL_DATABASE } from "@belfry/database/schema-files";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { createTestDatabase } from "@belfry/testing/postgres";
import { startProcess } from "@belfry/testing/processes";
import pg from "pg";
import { newHome, runToEnd } from "./start-stack.ts";

const SERVICES = [
  "ingest-api",
  "dispatcher",
  "email-sender",
  "sms-sender",
  "realtime-gateway",
  "admin",
];

test("start and every service refuse the database of a trial installation with one sentence, and change nothing", async (t) => {
  await using database = await createTestDatabase(undefined, "template0");
  const { url } = database;
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  await client.query(
    `create table kysely_migration (name text primary key, timestamp text);
     insert into kysely_migration values ('0001-tables', 'then');
     create table tenants (id text primary key)`,
  );
  const tables = async () =>
    (await client.query("select relname, relfilenode from pg_class where relkind = 'r' order by 1"))
      .rows;
  const before = await tables();

  const home = await newHome(t, {
    DATABASE_URL: url,
    NATS_URL: testNatsUrl(),
    NATS_PREFIX: testPrefix(t),
  });
  const start = await runToEnd(home);
  assert.notEqual(start.code, 0);
  assert.match(start.output, new RegExp(TRIAL_DATABASE));

  const key = () => `k1:${randomBytes(32).toString("base64")}`;
  await Promise.all(
    SERVICES.map(async (name) => {
      const service = await startProcess(t, {
        main: new URL(`../../services/${name}/src/main.ts`, import.meta.url),
        env: {
          ...home.env,
          SECRETS_KEYS: key(),
          REALTIME_TOKEN_KEYS: key(),
        },
        waitUntilReady: false,
      });
      assert.equal((await service.exited).code, 1, name);
      const said = service.lines.join("\n") + service.errors();
      assert.equal(said.split(TRIAL_DATABASE).length, 2, `${name}: ${said}`);
    }),
  );
  assert.deepEqual(await tables(), before);
  await client.end();
});
