import assert from "node:assert/strict";
import { test } from "node:test";
import { replayDeadLetters } from "@belfry/administration/dead-letters/change-dead-letters";
import { listDeadLetters } from "@belfry/administration/dead-letters/dead-letters";
import { assertEach } from "@belfry/testing/assert-each";
import { startTenant } from "../../test/start-tenant.ts";
import { storeMessage, storeWebhook } from "../../test/store-webhooks.ts";

const LISTS = ["", "/activity", "/dead-letters", "/waiting", "/scheduled", "/digests", "/users"];

test("messages to endpoints stand in no list of what is sent to people, and no replay of dead letters takes them", async (t) => {
  const { admin, operator, tenantId, base } = await startTenant(t);
  const { db } = admin;
  const { id: webhookId } = await storeWebhook(admin, tenantId);
  const pages = async () => {
    const texts = LISTS.map(async (list) => {
      const answer = await operator.get(base + list);
      // Form tokens and times are others each time.
      const html = (await answer.text()).replaceAll(/(value|datetime)="[^"]*"/g, "");
      return [list, answer.status, html.replaceAll(/\d\d:\d\d(:\d\d)?/g, "")];
    });
    return await Promise.all(texts);
  };
  const before = await pages();
  for (const status of ["queued", "waiting", "failed", "skipped", "accepted"] as const) {
    const tries = status === "failed" || status === "waiting" ? [500] : [];
    await storeMessage(admin, { tenantId, webhookId }, { status, tries });
  }
  assert.deepEqual(await pages(), before);
  const all = await db.selectFrom("deliveries").select("channel").execute();
  assertEach(all, ({ channel }) => channel, Array(5).fill("WEBHOOK"));
  assert.deepEqual(await listDeadLetters(db, { tenantId }), []);
  assert.equal((await replayDeadLetters(db, { tenantId })).count, 0);
});
