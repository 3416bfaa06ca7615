import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { createBrowser } from "@belfry/admin/test/browser";
import { insertPerson } from "@belfry/administration/people/person-rows";
import { beginSession } from "@belfry/administration/people/sessions";
import { createDatabase, createPool } from "@belfry/database/connection";
import { assertEach } from "@belfry/testing/assert-each";
import { eventually } from "@belfry/testing/eventually";
import { freePort } from "@belfry/testing/free-port";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { createTestDatabase } from "@belfry/testing/postgres";
import { startProcess } from "@belfry/testing/processes";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { runBelfry } from "../../packages/cli/test/run-belfry.ts";

/**
 * A channel that no file of ours names, as a row of the table and a provider: the services, the command
 * line and the Admin UI as they run in earnest, and a pager company on this machine.
 */

/** An event a look: below the tenant's limit. */
const PATIENTLY = { everyMs: 1000 };
const PHONE = "+12025550123";
const ADDED = `--import=${import.meta.resolve("./pager-channel.ts")}`;

async function startWorld(t: TestContext) {
  const { url } = await createTestDatabase(t);
  const home = await temporaryFolder(t, "channel");
  const key = () => `k1:${randomBytes(32).toString("base64")}`;
  const [apiPort, adminPort] = [await freePort(), await freePort()];
  const env = {
    NODE_OPTIONS: ADDED,
    BELFRY_HOME: home,
    DATABASE_URL: url,
    NATS_URL: testNatsUrl(),
    NATS_PREFIX: testPrefix(t),
    SECRETS_KEYS: key(),
    REALTIME_TOKEN_KEYS: key(),
    ALLOW_PRIVATE_PROVIDER_ADDRESSES: "true",
    INGEST_API_PORT: String(apiPort),
    ADMIN_PORT: String(adminPort),
    ADMIN_BASE_URL: `http://127.0.0.1:${adminPort}`,
    ACTIVITY_EVERY_MS: "1000",
  };
  const service = (name: string) => new URL(`../../services/${name}/src/main.ts`, import.meta.url);
  const [dispatcher] = await Promise.all(
    [
      service("dispatcher"),
      service("ingest-api"),
      service("admin"),
      new URL("./pager-sender.ts", import.meta.url),
    ].map((main) => startProcess(t, { main, env })),
  );
  const pool = createPool({ url, applicationName: "test" });
  const db = createDatabase(pool);
  t.after(() => db.destroy());
  const person = { email: "op@example.com", name: "Olga", password: "none", operator: true };
  const place = { address: "192.0.2.1", userAgent: "test" };
  const operator = createBrowser(env.ADMIN_BASE_URL);
  operator.cookies.set(
    "belfry_session",
    await beginSession(db, await insertPerson(db, person), place),
  );
  return {
    operator,
    dispatcher: dispatcher!,
    pool,
    /** What a command prints; it must end well. */
    async belfry(args: string[], input = "") {
      const { code, out, err } = await runBelfry(args, { env, input });
      assert.equal(code, 0, err);
      return JSON.parse(out);
    },
    /** As the tenant's backend sends and asks. */
    async call(apiKey: string, path: string, body?: object) {
      const answer = await fetch(`http://127.0.0.1:${apiPort}/api/v1${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          "x-api-key": apiKey,
          "content-type": "application/json",
          "x-idempotency-key": randomUUID(),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return {
        status: answer.status,
        headers: answer.headers,
        body: JSON.parse(await answer.text()),
      };
    },
  };
}

test("a channel that nobody has heard of is routed, released, sent, retried, dead-lettered, replayed, suppressed, shown and erased", async (t) => {
  const { belfry, call, operator, dispatcher, pool } = await startWorld(t);
  const company = await startRecordingServer(t);
  const { id: tenant, apiKey } = await belfry(["tenant", "create", "--name", "Acme"]);
  const of = ["--tenant", tenant, "--channel", "PAGER"];
  const trigger = async (over: object = {}) => {
    const { status, headers } = await call(apiKey, "/events/trigger", {
      eventType: "door.open",
      payload: { userId: "ann", recipientPhone: PHONE },
      variables: { door: "east" },
      ...over,
    });
    assert.equal(status, 200);
    return headers.get("x-event-id")!;
  };
  const report = async (id: string) => (await call(apiKey, `/events/${id}`)).body.channels.PAGER;
  const ended = async (id: string, status: string) => {
    await eventually(async () => (await report(id))?.status === status);
    return await report(id);
  };

  // Routed, for each of the reasons that another channel has.
  const early = await trigger();
  assert.equal((await ended(early, "skipped")).reason, "no active template");
  await belfry(
    ["template", "put", ...of, "--event-type", "door.open", "--content-file", "-"],
    "Door {{door}}",
  );
  await eventually(
    async () => (await ended(await trigger(), "skipped")).reason === "no active provider",
    PATIENTLY,
  );
  await belfry(
    ["provider", "put", ...of, "--kind", "pager", "--settings-file", "-"],
    JSON.stringify({ baseUrl: company.url }),
  );
  await eventually(async () => {
    const id = await trigger();
    await eventually(async () => (await report(id)) !== undefined);
    return (await report(id)).status !== "skipped";
  }, PATIENTLY);
  const nowhere = await trigger({ payload: { userId: "ann" } });
  assert.equal((await ended(nowhere, "skipped")).reason, "no recipientPhone");
  const elsewhere = await trigger({ channels: ["SMS"] });
  assert.equal((await ended(elsewhere, "skipped")).reason, "not requested");

  // Sent, and tried again by the schedule of its row.
  const sent = await trigger({ channels: ["PAGER"] });
  assert.equal((await ended(sent, "accepted")).delivery.provider, "pager");
  assert.deepEqual(JSON.parse(company.requests.at(-1)!.body), { to: PHONE, text: "Door east" });
  company.next({ status: 503 });
  const retried = (await ended(await trigger(), "accepted")).delivery.attempts;
  assertEach(retried, (attempt: { class: string }) => attempt.class, ["transient", "accepted"]);

  // Dead, seen, and replayed.
  company.answer = { status: 503 };
  const dead = await trigger();
  const { reason, delivery } = await ended(dead, "failed");
  assert.equal(reason, "retries exhausted: HTTP 503");
  assert.equal(delivery.attempts.length, 3);
  const [group] = await belfry(["dead", "list", ...of]);
  assert.deepEqual([group.channel, group.count], ["PAGER", 1]);
  assert.match(await operator.text(`/tenants/${tenant}/dead-letters?channel=PAGER`), /Pager/);
  company.answer = { status: 200 };
  await belfry(["dead", "replay", ...of]);
  await ended(dead, "accepted");

  // Suppressed.
  await belfry(["suppression", "add", ...of, "--address", PHONE]);
  const refused = await trigger();
  assert.equal((await ended(refused, "skipped")).reason, "address suppressed (by hand)");

  // Shown.
  const shown = await belfry(["event", "show", sent]);
  const words = shown.timeline.filter((entry: { channel: string }) => entry.channel === "PAGER");
  assert.deepEqual(
    words.map((entry: { what: string }) => entry.what),
    ["queued", "attempt 1 by pager: accepted: HTTP 200"],
  );
  const base = `/tenants/${tenant}`;
  const pages: [path: string, says: RegExp][] = [
    [`${base}/activity/${sent}`, /Pager as sent[\s\S]*Door east/],
    [`${base}/activity?channel=PAGER`, /value="PAGER" selected>Pager/],
    [`${base}/templates`, /Pager: <\/span>/],
    [`${base}/templates/new?channel=PAGER`, /<b>Pager<\/b>Welcome, Ada!/],
    [`${base}/providers`, /<h2>Pager<\/h2>[\s\S]*Pager company/],
    [`${base}/providers/new?channel=PAGER&kind=pager`, /name="settings.baseUrl"/],
    [`${base}/suppressions?search=%2B1202`, /<td>Pager<\/td>/],
    [`${base}/settings`, /value="PAGER"/],
    [base, /<td>Pager<\/td>/],
  ];
  for (const [path, says] of pages) assert.match(await operator.text(path), says, path);
  const metrics = await fetch(`http://127.0.0.1:${dispatcher.managementPort}/metrics`);
  assert.match(await metrics.text(), /belfry_oldest_waiting_seconds\{what="pager_delivery"\}/);

  // Erased.
  const erased = await belfry([
    ...["user", "erase", "--tenant", tenant, "--user", "ann", "--suppressions"],
  ]);
  assert.equal(erased.deleted.suppressions, 1);
  const { rows } = await pool.query(
    `select (select count(*) from deliveries)::integer as deliveries,
            (select count(*) from suppressions)::integer as suppressions`,
  );
  assert.deepEqual(rows[0], { deliveries: 0, suppressions: 0 });
});
