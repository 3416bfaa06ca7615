import assert from "node:assert/strict";
import { test } from "node:test";
import { findTemplate } from "@belfry/administration/templates/template-rows";
import { putTemplate } from "@belfry/administration/templates/test-templates";
import { SCHEMA } from "@belfry/database/schema-files";
import { connectedDatabase } from "@belfry/testing/database";
import type { Kysely } from "kysely";

const KEY = { tenantId: "platform", eventType: "global.info", channel: "SMS" } as const;

test("an operator's edit of a built-in template is never overwritten, and what is missing comes back", async (t) => {
  const { db } = await connectedDatabase(t, { maxConnections: 2 });
  await putTemplate(db, { ...KEY, content: "ours", active: false });
  await db.deleteFrom("templates").where("channel", "=", "PUSH").execute();
  await SCHEMA.migrations["0002-platform-templates"]!.up(db as unknown as Kysely<unknown>);
  const found = await findTemplate(db, KEY);
  assert.deepEqual([found?.content, found?.active, found?.version], ["ours", false, 2]);
  const push = await findTemplate(db, { ...KEY, channel: "PUSH" });
  assert.deepEqual([push?.targetChannel, push?.version], ["global_system", 1]);
});
