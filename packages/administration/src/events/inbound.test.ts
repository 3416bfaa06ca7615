import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { storeInbound } from "@belfry/database/inbound";
import { actsIn } from "../../test/acts.ts";
import { tenantDatabase } from "../../test/database.ts";
import { InvalidInput, NotFound } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import { listInbound } from "./inbound.ts";

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
  const run = actsIn(db, tenantId);
  const first = await run(listInbound, {});
  const all = [...first.items, ...(await run(listInbound, { after: first.next })).items];
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
  assert.equal((await run(listInbound, { limit: 3 })).items.length, 3);
  assert.equal((await run(listInbound, { number: "+12025550124" })).items.length, 1);
  await assert.rejects(run(listInbound, { number: "0123" }), InvalidInput);
  await assert.rejects(actsIn(db, "nobody")(listInbound, {}), NotFound);
});
