import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { startForOperator } from "../admin-under-test.ts";
import { storeMails } from "./test-mails.ts";

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
