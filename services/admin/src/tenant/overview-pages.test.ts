import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { putActiveProvider } from "@belfry/administration/test/acts";
import { startForOperator, startForTenant } from "../../test/start-admin.ts";
import { storeDeadLetters } from "../../test/store-dead-letters.ts";
import { storeMails } from "../../test/store-mails.ts";

test("the operator's page has the worst tenant first, with why, and the same figures over all tenants", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const tenants = { "Well Run": 0, "Half Bad": 10, "All Bad": 19 };
  for (const [name, failed] of Object.entries(tenants)) {
    const { id } = await createTenant(admin.db, { name });
    await storeMails(admin, id, { all: 20, failed });
  }
  const html = await operator.text("/overview");
  const names = [...html.matchAll(/class="row-link"[^>]*>([^<]*)</g)].map(([, name]) => name);
  assert.deepEqual(names, ["All Bad", "Half Bad", "Well Run"]);
  const troubles = /id="troubles">(.*?)<\/div>/s.exec(html)?.[1] ?? "";
  assert.ok(troubles.indexOf("All Bad") < troubles.indexOf("Half Bad"));
  assert.match(troubles, /19 of 20 emails failed in the last hour: SendGrid refused the key/);
  assert.doesNotMatch(troubles, /Well Run/);
  assert.match(html, /<b>60<\/b>\s*<span>Accepted/);
  assert.match(html, /<b>29<\/b>\s*<span>Failed/);
  const shown = async (by: string) =>
    [...(await operator.text(`/overview?by=${by}`)).matchAll(/<th scope="row">(.*?)<\/th>/gs)]
      .map(([, text = ""]) => text.replaceAll(/<[^>]*>/g, ""))
      .slice(3);
  assert.deepEqual(await shown("tenant"), ["Well Run", "Half Bad", "All Bad"]);
  assert.deepEqual(await shown("provider"), ["sendgrid"]);
});

test("the overview has a group for each channel, provider, template, event type and reason, in every range", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const { id } = await createTenant(admin.db, { name: "Acme" });
  await storeMails(admin, id, { all: 10, failed: 3 });
  const shown = async (query: string) =>
    [...(await operator.text(`/tenants/${id}?${query}`)).matchAll(/<th scope="row">(.*?)<\/th>/gs)]
      .map(([, text = ""]) => text.replaceAll(/<[^>]*>/g, ""))
      .sort();
  for (const range of ["hour", "day", "week", "month"]) {
    assert.deepEqual(await shown(`range=${range}&by=channel`), ["Email"]);
    assert.deepEqual(await shown(`range=${range}&by=provider`), ["sendgrid"]);
    assert.deepEqual(await shown(`range=${range}&by=template`), ["order, Email", "parcel, Email"]);
    assert.deepEqual(await shown(`range=${range}&by=type`), ["order", "parcel"]);
    assert.deepEqual(await shown(`range=${range}&by=reason`), ["account or settings"]);
  }
});

test("a provider is called paused on every page until its pause ends, and not longer", async (t) => {
  const { admin, operator, id: tenantId } = await startForTenant(t);
  const provider = { tenantId, channel: "EMAIL", kind: "sandbox", settings: {} } as const;
  const { id } = await putActiveProvider(admin.db, provider, { keys: admin.keys });
  await admin.pool.query(
    `insert into provider_circuits (provider_id, class, reason, failures, opened_at, open_until)
     values ($1, 'transient', 'HTTP 500', 1, now() - interval '1 h', now() + interval '1 h')`,
    [id],
  );
  const base = `/tenants/${tenantId}`;
  const arePaused = async () => {
    const pages = await Promise.all(["/overview", base].map((path) => operator.text(path)));
    const providers = await operator.text(`${base}/providers`);
    return [
      ...pages.map((html) => /is paused:/.test(html)),
      /paused after failures/.test(providers),
    ];
  };
  assert.deepEqual(await arePaused(), [true, true, true]);
  await admin.pool.query("update provider_circuits set open_until = now()");
  assert.deepEqual(await arePaused(), [false, false, false]);
});

test("the menu counts the dead letters, and the overview raises the alarm from as many as mails tell of", async (t) => {
  const { admin, operator, id } = await startForTenant(t);
  const shown = async () => {
    const html = await operator.text(`/tenants/${id}`);
    const [, count] = /Dead letters <span class="badge">([^<]*)</.exec(html) ?? [];
    const troubles = /id="troubles">(.*?)<\/div>/s.exec(html)?.[1] ?? "";
    return [count, /([\d+]+) messages were not delivered/.exec(troubles)?.[1]];
  };
  assert.deepEqual(await shown(), [undefined, undefined]);
  await storeDeadLetters(admin, id, 9);
  assert.deepEqual(await shown(), ["9", undefined]);
  await storeDeadLetters(admin, id, 4);
  assert.deepEqual(await shown(), ["13", "13"]);
  await storeDeadLetters(admin, id, 100);
  assert.deepEqual(await shown(), ["100+", "100+"]);
});
