import assert from "node:assert/strict";
import { test } from "node:test";
import { readProviders } from "@belfry/administration/providers/providers";
import { startForTenant } from "../../test/start-admin.ts";

const SANDBOX = { channel: "EMAIL", kind: "sandbox" };

test("a tenant adds several accounts of one kind by name; a name that is taken is said beside its field and replaces nothing; a change of name is in the audit log", async (t) => {
  const { admin, operator, id } = await startForTenant(t);
  const base = `/tenants/${id}/providers`;
  const add = (name: string, maxPerSecond = "") =>
    operator.post(base, { ...SANDBOX, name, maxPerSecond });
  const accounts = async () =>
    (await readProviders(admin.db, id)).map(({ name, maxPerSecond }) => [name, maxPerSecond]);

  assert.equal((await add("")).status, 303);
  assert.equal((await add("marketing")).status, 303);
  for (const taken of ["", "marketing"]) {
    const answer = await add(taken, "7");
    assert.equal(answer.status, 422);
    assert.match(await answer.text(), /id="name-fault">Name is (needed|taken)/);
  }
  assert.deepEqual(await accounts(), [
    ["sandbox", null],
    ["marketing", null],
  ]);

  const [, marketing] = await readProviders(admin.db, id);
  const change = (fields: Record<string, string>) =>
    operator.post(`${base}/${marketing?.id}`, fields);
  assert.equal((await change({ name: "marketing", maxPerSecond: "3" })).status, 303);
  assert.deepEqual(
    await accounts(),
    [
      ["sandbox", null],
      ["marketing", 3],
    ],
    "a change is of the one that is open",
  );
  const html = await operator.text(base);
  assert.match(html, /Another [^<]+<\/a>/);
  assert.match(html, /<span class="badge">marketing<\/span>/);
  assert.match(await operator.text(`/tenants/${id}/audit`), /EMAIL sandbox marketing/);

  assert.match(
    await operator.text(`${base}/${marketing?.id}`),
    /name="name"[^>]*value="marketing"/,
  );
  const taken = await change({ name: "", maxPerSecond: "9" });
  assert.equal(taken.status, 422);
  assert.match(await taken.text(), /id="name-fault">Name is taken by another account/);
  assert.equal((await change({ name: "newsletter", maxPerSecond: "3" })).status, 303);
  assert.deepEqual(await accounts(), [
    ["sandbox", null],
    ["newsletter", 3],
  ]);
  const { before, after } = await admin.db
    .selectFrom("audit_log")
    .select(["before", "after"])
    .where("target", "=", "EMAIL sandbox newsletter")
    .executeTakeFirstOrThrow();
  assert.deepEqual([before?.name, after?.name], ["marketing", "newsletter"]);
});
