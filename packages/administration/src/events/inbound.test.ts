import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { InboundMessage } from "@belfry/contracts/inbound";
import type { Database } from "@belfry/database/connection";
import { storeInbound } from "@belfry/database/inbound";
import { InvalidInput, NotFound } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import { tenantDatabase } from "../test-database.ts";
import { type InboundQuery, inboundPages } from "./inbound.ts";

async function list(db: Database, query: InboundQuery) {
  const messages: InboundMessage[] = [];
  for await (const page of inboundPages(db, query)) messages.push(...page);
  return messages;
}

test("what people answered is listed newest first, of one number if it is named, and no keyword", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const { id: other } = await createTenant(db, { name: "Other" });
  const write = (owner: string, sender: string, text: string) =>
    storeInbound(
      db,
      { tenantId: owner, providerKind: "twilio", channels: ["SMS"] },
      { vendorId: randomUUID(), sender, recipient: "+12025550100", text },
    );
  for (let n = 0; n < 201; n += 1) await write(tenantId, "+12025550123", `text ${n}`);
  assert.equal(await write(tenantId, "+12025550124", "STOP"), "stopped");
  await write(tenantId, "+12025550124", "Hello?");
  await write(other, "+12025550123", "theirs");
  const all = await list(db, { tenantId });
  assert.equal(all.length, 202);
  const { id: _id, receivedAt, ...newest } = all[0]!;
  assert.match(receivedAt, /^\d{4}-\d\d-\d\dT.*Z$/);
  assert.deepEqual(newest, {
    provider: "twilio",
    sender: "+12025550124",
    recipient: "+12025550100",
    text: "Hello?",
  });
  assert.equal(all.at(-1)?.text, "text 0");
  assert.equal((await list(db, { tenantId, limit: 3 })).length, 3);
  assert.equal((await list(db, { tenantId, number: "+12025550124" })).length, 1);
  await assert.rejects(list(db, { tenantId, number: "0123" }), InvalidInput);
  await assert.rejects(list(db, { tenantId: "nobody" }), NotFound);
});
