import assert from "node:assert/strict";
import { test } from "node:test";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { startForTenant } from "../../test/start-admin.ts";

/** More than the Admin UI has connections to Postgres. */
const TESTS = 12;

test("while a vendor takes its time over many test messages, pages answer and every test ends with its answer", async (t) => {
  const { admin, operator, id } = await startForTenant(t);
  const vendor = await startRecordingServer(t);
  const answered = Promise.withResolvers<void>();
  vendor.answer = { status: 202, after: answered.promise };
  const base = `/tenants/${id}/providers`;
  const made = await operator.post(base, {
    channel: "EMAIL",
    kind: "sendgrid",
    "settings.apiKey": "SG.0123456789abcdef",
    "settings.from": "orders@example.com",
    "settings.baseUrl": vendor.url,
  });
  const path = `${made.headers.get("location")?.split("?")[0]}/test`;
  const fields = { _token: await operator.token("/account"), to: "ada@example.com" };
  const tests = Array.from({ length: TESTS }, () =>
    operator.raw(path, { method: "POST", body: new URLSearchParams(fields) }),
  );
  let ended = 0;
  for (const one of tests) one.finally(() => (ended += 1)).catch(() => {});
  await vendor.received(TESTS);
  assert.equal((await operator.get(base)).status, 200);
  assert.equal(ended, 0, "the page did not wait for the vendor");
  answered.resolve();
  for (const answer of await Promise.all(tests)) {
    assert.equal(answer.status, 303);
    assert.match(await operator.page(answer), /SendGrid accepted the message/);
  }
  const notes = await admin.db
    .selectFrom("audit_log")
    .select("target")
    .where("action", "=", "provider.test")
    .execute();
  assert.equal(notes.length, TESTS);
});
