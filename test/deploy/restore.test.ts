import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { migrateToLatest } from "@belfry/database/migrate";
import { eventually } from "@belfry/testing/eventually";
import { TEMPLATE_DATABASE } from "@belfry/testing/postgres";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import type { SubscribedContext } from "centrifuge";
import pg from "pg";
import { client, nextEvent, subscribed } from "../realtime/clients.ts";
import { commit, createWorld } from "../realtime/gateway-under-test.ts";
import { startInstalledPostgres } from "./installed-postgres.ts";

const run = promisify(execFile);
const CLI = join(import.meta.dirname, "../../packages/cli/src/main.ts");

test("a restored backup: the history is there, and a client that had seen more reads it anew", async (t) => {
  // Backwards: clients and services before the server that they use.
  await using resources = new AsyncDisposableStack();
  const ending = {
    after: (close: () => unknown) => resources.defer(async () => void (await close())),
  };
  const postgres = await startInstalledPostgres(ending);
  if (postgres === undefined) return t.skip("BELFRY_WITHOUT_PG_DUMP is set");
  const databaseUrl = (name: string) => {
    const url = new URL(postgres.url);
    url.pathname = `/${name}`;
    return url.href;
  };
  const server = new pg.Client({ connectionString: postgres.url });
  await server.connect();
  ending.after(() => server.end());
  await server.query(`create database ${TEMPLATE_DATABASE}`);
  await migrateToLatest(databaseUrl(TEMPLATE_DATABASE));

  // The kit takes its databases from here; this process is this test's alone.
  // biome-ignore lint/style/noProcessEnv: as the runner hands it over
  process.env.TEST_DATABASE_URL = postgres.url;
  const world = await createWorld(ending);
  const gateway = await world.startGateway();
  const port = new URL(gateway.url).port;
  const ann = { tenant: "acme", user: "ann" };
  const page = client(ending, gateway.url, { token: await world.token(ann) });
  const { subscription, got } = await subscribed(page, "personal#ann");
  const titles = () => got.map(({ data }) => data.title);
  await world.publish(ann, { title: "one" });
  await world.publish(ann, { title: "two" });
  await eventually(() => got.length === 2);

  // As docs/operations/backup-and-restore.md says.
  const directory = await temporaryFolder(ending, "backup");
  const backup = join(directory, "belfry.dump");
  await postgres.program("pg_dump", [
    ...["--format=custom", "--no-owner", "--file", backup],
    world.env.DATABASE_URL!,
  ]);
  await world.publish(ann, { title: "lost: three" });
  await world.publish(ann, { title: "lost: four" });
  await eventually(() => got.length === 4);
  assert.equal(await gateway.process.stop(), 0);

  await server.query("create database restored");
  const restoredUrl = databaseUrl("restored");
  await postgres.program("pg_restore", [
    ...["--no-owner", "--exit-on-error", "--single-transaction"],
    ...["--dbname", restoredUrl, backup],
  ]);
  const { stdout } = await run(process.execPath, [CLI, "realtime", "new-epoch"], {
    env: { DATABASE_URL: restoredUrl },
  });
  const { epoch } = JSON.parse(stdout);
  assert.match(epoch, /^[0-9a-f]{8}$/);
  assert.deepEqual(await migrateToLatest(restoredUrl), []);

  const restored = new pg.Pool({ connectionString: restoredUrl });
  restored.on("error", () => undefined);
  ending.after(() => restored.end());
  await commit(restored, ann, { title: "new three" });
  await commit(restored, ann, { title: "new four" });
  await commit(restored, ann, { title: "new five" });
  const again = nextEvent<SubscribedContext>(subscription, "subscribed");
  await world.startGateway({ DATABASE_URL: restoredUrl, REALTIME_GATEWAY_PORT: port });
  const { wasRecovering, recovered, streamPosition } = await again;
  // Told the truth: not "recovered" with the one item that is above its old offset.
  assert.deepEqual({ wasRecovering, recovered }, { wasRecovering: true, recovered: false });
  assert.deepEqual(streamPosition, { offset: 5, epoch });
  assert.deepEqual(titles(), ["one", "two", "lost: three", "lost: four"]);
  const { publications } = await subscription.history({ limit: 10 });
  assert.deepEqual(
    publications.map(({ data }) => data.title),
    ["one", "two", "new three", "new four", "new five"],
  );
});
