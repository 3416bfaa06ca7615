import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { startAdmin, startForTenant } from "../../test/start-admin.ts";

test("a list of addresses is suppressed once, as a whole; bad lines are named, and left out where that is asked for", async (t) => {
  const { admin, operator, id: tenantId } = await startForTenant(t);
  const base = `/tenants/${tenantId}/suppressions`;
  const path = `${base}/import`;
  const stored = async () =>
    (await admin.db.selectFrom("suppressions").select("address").orderBy("address").execute()).map(
      ({ address }) => address,
    );
  assert.match(await operator.text(base), /suppressions\/import">Add many at once</);
  assert.match(await operator.text(path), /id="skipping" hidden>/);

  const lines = "email\r\nann@example.com\r\n<b>nobody</b>\r\n";
  const refused = await operator.post(path, { channel: "EMAIL", lines });
  assert.equal(refused.status, 422);
  const html = await refused.text();
  assert.match(html, /id="skipping" >/);
  assert.match(html, /<li>line 3: must be .*&lt;b&gt;nobody/);
  assert.ok(html.includes("&lt;b&gt;nobody&lt;/b&gt;\r\n</textarea>"), "what was typed is there");
  assert.deepEqual(await stored(), []);

  const asked = await operator.post(path, { channel: "EMAIL", lines, leaveOutBad: "on" });
  const done = await operator.page(asked);
  assert.match(done, /Done: 2 lines\. 1 added,\s+0 were already suppressed.*1 left out:/s);
  assert.match(done, /<li>line 3: /);
  assert.deepEqual(await stored(), ["ann@example.com"]);
  assert.doesNotMatch(await operator.page(asked), /Done:/, "a reload says it no more");
  const rows = await admin.db.selectFrom("suppressions").select("source").execute();
  assert.deepEqual(rows, [{ source: "op@example.com" }]);

  const huge = await operator.post(path, { channel: "EMAIL", lines: "x".repeat(1_100_000) });
  assert.equal(huge.status, 413);
  const viewer = await admin.person({
    ...{ email: "v@example.com", name: "V", of: { tenantId, role: "viewer" } },
  });
  assert.equal((await viewer.raw(path, {})).status, 403);
  assert.doesNotMatch(await viewer.text(base), /suppressions\/import/);
});

test("an owner disconnects the open pages of a user, or of all; while nobody can be told, the page says so and the log has nothing", async (t) => {
  for (const isNatsAway of [false, true]) {
    const admin = await startAdmin(t, { isNatsAway });
    const { id: tenantId } = await createTenant(admin.db, { name: "Acme" });
    const as = (role: "owner" | "editor") =>
      admin.person({ email: `${role}@example.com`, name: role, of: { tenantId, role } });
    const [owner, editor] = [await as("owner"), await as("editor")];
    const page = `/tenants/${tenantId}/users?user=${encodeURIComponent("ann/1")}`;
    assert.match(await owner.text(page), /data-confirm="Disconnect ann\/1\?[^"]*"/);
    assert.doesNotMatch(await editor.text(page), /users\/disconnect/);
    const path = `/tenants/${tenantId}/users/disconnect`;
    const list = `/tenants/${tenantId}/users`;
    assert.match(await owner.text(list), /data-confirm="Disconnect all users\?[^"]*"/);
    assert.doesNotMatch(await editor.text(list), /disconnect-all/);
    const answer = await owner.post(path, { user: "ann/1" });
    const ofAll = await owner.post(`${list}/disconnect-all`);
    const logged = await admin.db.selectFrom("audit_log").select(["action", "target"]).execute();
    if (isNatsAway) {
      assert.equal(answer.status, 503);
      assert.match(await answer.text(), /Nobody was disconnected/);
      assert.equal(ofAll.status, 503);
      assert.deepEqual(logged, []);
      continue;
    }
    assert.match(await owner.page(answer), /Disconnected\. Open pages of this user/);
    assert.match(await owner.page(ofAll), /Disconnected\. Open pages of all users/);
    assert.deepEqual(admin.disconnected, [`${tenantId}/ann/1`, tenantId]);
    assert.deepEqual(logged, [
      { action: "user.disconnect", target: "ann/1" },
      { action: "tenant.disconnect", target: "Acme" },
    ]);
    assert.equal((await editor.post(path, { user: "ann/1" })).status, 403);
    assert.equal((await editor.post(`${list}/disconnect-all`)).status, 403);
  }
});
