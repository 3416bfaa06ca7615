import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { createClient } from "@belfry/client";
import { LINK_PAGES } from "@belfry/contracts/link-pages";
import { createDatabase } from "@belfry/database/connection";
import { parseLinkKeys, sealLink } from "@belfry/database/link-token";
import { parseSecretKeys } from "@belfry/database/secrets";
import { eventually } from "@belfry/testing/eventually";
import { startIngest } from "../fuzz/start-ingest.ts";
import { client } from "./clients.ts";
import { createWorld } from "./gateway-under-test.ts";

const PREFERENCES = { type: "preferences" };
const OFF = { category: "*", channel: "EMAIL", enabled: false } as const;

test("what is changed over HTTP or by a link in a mail is told to the user's open pages; without NATS it is changed too", async (t) => {
  const world = await createWorld(t);
  const gateway = await world.startGateway();
  const keys = {
    SECRETS_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    LINK_KEYS: `k1:${randomBytes(32).toString("base64")}`,
  };
  const ingest = await startIngest(t, { ...world.env, ...keys });
  const deaf = await startIngest(t, { ...world.env, ...keys, NATS_URL: "nats://127.0.0.1:1" });
  const tenant = await createTenant(
    createDatabase(world.db),
    { name: "Acme" },
    parseSecretKeys(keys.SECRETS_KEYS),
  );
  const owner = { tenantId: tenant.id, userId: "ann" };

  const messages: unknown[] = [];
  const token = await world.token({ tenant: tenant.id, user: "ann" });
  const page = client(t, gateway.url, { token });
  page.on("message", ({ data }) => messages.push(data));
  page.connect();
  await page.ready(60_000);
  const told = async () => {
    await eventually(() => messages.length > 0);
    assert.deepEqual(messages.splice(0), [PREFERENCES]);
  };
  const sources = async () => {
    const { data } = await page.rpc("preferences.show", {});
    return data.preferences.map(({ source, enabled }: { source: string; enabled: boolean }) => [
      source,
      enabled,
    ]);
  };
  const over = (at: { url: string }) => createClient({ baseUrl: at.url, apiKey: tenant.apiKey });
  const unsubscribe = async (at: { url: string }, body: string) => {
    const link = sealLink(parseLinkKeys(keys.LINK_KEYS), "unsubscribe", {
      ...{ ...owner, category: "*", channel: "EMAIL" },
    });
    const url = `${at.url}${LINK_PAGES.unsubscribe}/${link}`;
    const response = await fetch(url, { method: "POST", body: new URLSearchParams(body) });
    assert.equal(response.status, 200);
    await response.arrayBuffer();
  };

  await over(ingest).changePreferences("ann", [OFF]);
  await told();
  assert.deepEqual(await sources(), [["api", false]]);
  await unsubscribe(ingest, "action=subscribe");
  await told();
  assert.deepEqual(await sources(), [["unsubscribe link", true]]);

  await over(deaf).changePreferences("ann", [OFF]);
  assert.deepEqual(await sources(), [["api", false]]);
  await unsubscribe(deaf, "action=subscribe");
  assert.deepEqual(await sources(), [["unsubscribe link", true]]);
  assert.deepEqual(messages, [], "its NATS is away");
});
