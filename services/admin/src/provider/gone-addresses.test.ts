import assert from "node:assert/strict";
import { test } from "node:test";
import { suppressAddress } from "@belfry/database/functions/recipients";
import { startForTenant } from "../../test/start-admin.ts";

test("a provider's page names the addresses whose webhooks are gone, until other addresses are saved", async (t) => {
  const { admin, operator, id } = await startForTenant(t);
  const url = "https://hooks.slack.com/services/T0/B0/one-secret";
  const form = { channel: "CHAT", kind: "slack", name: "" };
  const added = { ...form, "settings.addresses": `ops=${url}\r\nteam_a=${url}` };
  const made = await operator.post(`/tenants/${id}/providers`, added);
  const path = made.headers.get("location")?.split("?")[0] ?? "";
  const before = await operator.text(path);
  assert.ok(!before.includes('id="gone"'));
  assert.match(before, /Stored: ops, team_a\./);
  assert.ok(!before.includes("one-secret"));

  const gone = { tenantId: id, channel: "CHAT", reason: "bounced" } as const;
  for (const source of ["slack", "discord"]) {
    await suppressAddress(admin.db, { ...gone, address: `${source}:#ops`, source });
  }
  const page = await operator.text(path);
  assert.match(page, /id="gone"[\s\S]*webhooks no longer exist[\s\S]*<code>slack:#ops<\/code>/);
  assert.ok(!page.includes("discord:#ops"), "those of other kinds stand on other pages");
  assert.match(
    await operator.text(`/tenants/${id}/suppressions?search=slack%3A`),
    /slack:#ops/,
    "where the link leads",
  );

  await operator.post(path, { ...form, maxPerSecond: "5" });
  assert.match(await operator.text(path), /id="gone"/, "the same addresses");
  await operator.post(path, { ...form, "settings.addresses": `ops=${url}-new` });
  assert.ok(!(await operator.text(path)).includes('id="gone"'));
  const left = await admin.db.selectFrom("suppressions").select("address").execute();
  assert.deepEqual(left, [{ address: "discord:#ops" }]);
});
