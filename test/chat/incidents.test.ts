import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { chooseAllAlerts, chooseMailTenant } from "@belfry/administration/alerts/alert-choices";
import { sendAlerts } from "@belfry/administration/alerts/tell-alerts";
import { insertPerson } from "@belfry/administration/people/person-rows";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn, putActiveProvider } from "@belfry/administration/test/acts";
import { parseSecretKeys } from "@belfry/database/secrets";
import type { Cleanup } from "@belfry/testing/cleanup";
import { connectedDatabase } from "@belfry/testing/database";
import { eventually } from "@belfry/testing/eventually";
import { listen } from "@belfry/testing/listen";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { startProcess } from "@belfry/testing/processes";
import { pagerdutyAnswer } from "../../packages/providers/test/pagerduty-judge.ts";

const KEY = "R0123456789ABCDEF0123456789ABCDE";
const OPERATOR = "op@example.com";
const LEASE_MS = 6_000;

/** PagerDuty: one open incident a key. `isSilent`: it takes an event and never answers. */
async function startPagerDuty(t: Cleanup) {
  const vendor = {
    ...{ url: "", isSilent: false, calls: 0 },
    open: new Set<string>(),
    history: [] as string[],
    faults: [] as object[],
  };
  const answer = async (response: ServerResponse, body: string) => {
    const { status, body: told } = pagerdutyAnswer({ body });
    const { event_action: action, dedup_key: key } = JSON.parse(body);
    if (status !== 202) vendor.faults.push(told);
    if (action === "trigger" && !vendor.open.has(key)) {
      vendor.open.add(key);
      vendor.history.push(`opened ${key}`);
    }
    if (action === "resolve" && vendor.open.delete(key)) vendor.history.push(`resolved ${key}`);
    vendor.calls += 1;
    if (!vendor.isSilent) response.writeHead(status).end(JSON.stringify(told));
  };
  const server = createServer(async (request, response) => answer(response, await text(request)));
  vendor.url = `http://127.0.0.1:${await listen(t, server)}`;
  return vendor;
}

test("an incident is opened and resolved once each, though two replicas tell of it and all senders are killed in both calls", async (t) => {
  const [{ url, db }, pagerduty] = [await connectedDatabase(t), await startPagerDuty(t)];
  const secretsKeys = `k1:${randomBytes(32).toString("base64")}`;
  const env = {
    ...{ DATABASE_URL: url, NATS_URL: testNatsUrl(), NATS_PREFIX: testPrefix(t) },
    ...{ SECRETS_KEYS: secretsKeys, ALLOW_PRIVATE_PROVIDER_ADDRESSES: "true" },
    ...{ LEASE_MS: String(LEASE_MS), DELIVERY_ACK_WAIT_MS: String(LEASE_MS) },
    ...{ PROVIDER_TIMEOUT_MS: "1000" },
  };
  const start = (service: string, more: Record<string, string> = {}) => {
    const main = new URL(`../../services/${service}/src/main.ts`, import.meta.url);
    return startProcess(t, { main, env: { ...env, ...more } });
  };
  const startSenders = () => Promise.all([start("chat-sender"), start("chat-sender")]);
  // Nobody publishes the events: whoever accepted them may die before that.
  const republish = { REPUBLISH_AFTER_MS: "1000", REPUBLISH_EVERY_MS: "100" };
  const [senders] = await Promise.all([startSenders(), start("dispatcher", republish)]);

  const { id: tenantId } = await createTenant(db, { name: "Acme" });
  const { id: platformId } = await createTenant(db, { name: "Platform" });
  const settings = { addresses: `ops=${KEY}`, baseUrl: pagerduty.url };
  await putActiveProvider(
    db,
    { tenantId: platformId, channel: "CHAT", kind: "pagerduty", settings },
    { keys: parseSecretKeys(secretsKeys), allowPrivateAddresses: true },
  );
  await insertPerson(db, { email: OPERATOR, name: "Olga", password: null, operator: true });
  const run = actsIn(db, tenantId);
  await run(chooseMailTenant, { tenant: platformId });
  const chosen = {
    person: OPERATOR,
    alerts: ["endpoint-disabled" as const],
    chat: "pagerduty:ops",
  };
  await run(chooseAllAlerts, chosen);

  const services = {
    adminUrl: async () => "https://admin.example.com",
    publishEvent: async () => undefined,
  };
  const tell = () => Promise.all([sendAlerts(db, services), sendAlerts(db, services)]);
  const accepted = () =>
    db.selectFrom("deliveries").select("id").where("status", "=", "accepted").execute();
  /** Looks until PagerDuty has the event, kills every sender before its answer, and starts others. */
  const tellAndKill = async (killed: typeof senders, done: number) => {
    pagerduty.isSilent = true;
    await eventually(async () => {
      await tell();
      assert.ok(pagerduty.calls > 2 * (done - 1));
    });
    await Promise.all(killed.map((sender) => sender.kill()));
    pagerduty.isSilent = false;
    const others = await startSenders();
    await eventually(async () => assert.equal((await accepted()).length, done));
    return others;
  };

  const webhook = { id: randomUUID(), tenant_id: tenantId, url: "https://a.example.com" };
  const ended = { active: false, disabled_at: new Date(), disabled_reason: "answered 410" };
  await db
    .insertInto("webhooks")
    .values({ ...webhook, ...ended, secret: "x" })
    .execute();
  const others = await tellAndKill(senders, 1);
  await db.deleteFrom("webhooks").execute();
  await tellAndKill(others, 2);
  await tell();

  const key = `belfry ${tenantId} endpoint-disabled`;
  assert.deepEqual(pagerduty.history, [`opened ${key}`, `resolved ${key}`]);
  assert.deepEqual(pagerduty.faults, []);
  assert.ok(pagerduty.calls >= 4, "each event was sent again after a kill");
  const events = await db.selectFrom("events").select("id").execute();
  assert.equal(events.length, 2);
});
