import assert from "node:assert/strict";
import { test } from "node:test";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { Webhook } from "standardwebhooks";
import { createWebhookFixture, DONE, message } from "./webhook-under-test.ts";

test("a message is posted once, signed by the standard, and its arrival is written down", async (t) => {
  const fixture = await createWebhookFixture(t);
  const server = await startRecordingServer(t);
  server.answer = { status: 204 };
  const endpoint = await fixture.endpoint(await fixture.tenant(), `${server.url}/hook?a=1`);
  const [id] = await fixture.told(endpoint);
  assert.deepEqual(await fixture.sender()(message(endpoint.tenantId, [id!])), [DONE]);

  assert.equal(server.requests.length, 1);
  const { method, path, headers, body } = server.requests[0]!;
  assert.deepEqual([method, path], ["POST", "/hook?a=1"]);
  assert.equal(headers["content-type"], "application/json");
  assert.match(headers["user-agent"] ?? "", /^Belfry\/\d/);
  assert.equal(headers["webhook-id"], id);
  const judge = new Webhook(endpoint.secret);
  const verified = judge.verify(body, headers as Record<string, string>) as { data: object };
  assert.deepEqual(verified.data, { id, at: 0 });

  const row = await fixture.row(id!);
  assert.equal(row.status, "accepted");
  assert.deepEqual([row.reason, row.attempts, row.retries, row.due_at], [null, 1, 0, null]);
  const [attempt, ...others] = await fixture.attempts(id!);
  assert.equal(others.length, 0);
  assert.equal(attempt.class, "accepted");
  assert.deepEqual([attempt.provider_kind, attempt.vendor_status], ["webhook", "204"]);
  assert.equal(attempt.vendor_answer, null);
});
