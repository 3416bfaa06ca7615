import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import type { AddressChannel } from "@belfry/contracts/channels";
import type { SuppressionReason } from "@belfry/contracts/sending";
import type { Database } from "@belfry/database/connection";
import { type ClaimResult, claimDeliveries } from "@belfry/database/functions/claim-deliveries";
import { anEvent } from "@belfry/testing/rows";
import type { Static } from "@sinclair/typebox";
import { actsIn } from "../../test/acts.ts";
import { refusal, tenantDatabase } from "../../test/database.ts";
import { InvalidInput, NotFound } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import { readEvent } from "./event-report.ts";
import { insertSuppressions, suppressedForm } from "./suppression-rows.ts";
import { addSuppressions, listSuppressions, removeSuppressions } from "./suppressions.ts";

async function setUp(t: TestContext) {
  const { pool, db, tenantId } = await tenantDatabase(t);
  const rows =
    await pool.sql`with template as (insert into templates (id, tenant_id, event_type, channel)
      values (gen_random_uuid(), ${tenantId}, 'order', 'EMAIL') returning id)
    insert into template_versions (template_id, version, content, compiled)
    select id, 1, 'x', '{}' from template returning id`;
  /** Returns the status of a new delivery to this address after a sender's claim. */
  const claim = async (to: string, tenant = tenantId, channel: "EMAIL" | "SMS" = "EMAIL") => {
    const id = randomUUID();
    const address = channel === "EMAIL" ? "recipient_email" : "recipient_phone";
    const eventId = await anEvent(pool, { tenant_id: tenant, [address]: to });
    await pool.sql`insert into deliveries (id, event_id, tenant_id, channel, recipient,
        template_version_id, due_at, released_at)
      values (${id}, ${eventId}, ${tenant}, ${channel}, ${to}, ${rows[0].id}, now(), now())`;
    const provider = { id: randomUUID(), kind: "sandbox" };
    const batch = [{ id, tenantId: tenant, provider }];
    const [result] = await claimDeliveries(pool, batch, { channel, leaseMs: 1000, maxRetries: 7 });
    return { becomes: result?.becomes, reason: reasonOf(result), eventId };
  };
  const list = async (tenant = tenantId) => {
    const all: Static<typeof listSuppressions.output>["items"] = [];
    for (let after: string | undefined, isFirst = true; isFirst || after; isFirst = false) {
      const page = await actsIn(db, tenant)(listSuppressions, { limit: 2, after });
      all.push(...page.items);
      after = page.next;
    }
    return all.map(({ channel, address, reason }) => `${channel} ${address} ${reason}`);
  };
  return { db, tenantId, claim, list };
}

interface Given {
  tenantId: string;
  channel: AddressChannel;
  addresses: readonly string[];
}

/** Adds a suppression by the act, or for another reason as a receipt does. */
async function add(
  db: Database,
  { tenantId, reason, ...input }: Given & { reason?: SuppressionReason },
) {
  if (reason === undefined)
    return await actsIn(db, tenantId)(addSuppressions, {
      ...input,
      addresses: [...input.addresses],
    });
  const addresses = [...new Set(input.addresses.map(suppressedForm))];
  const entry = { tenantId, channel: input.channel, addresses, reason, source: null };
  const added = await insertSuppressions(db, entry);
  return { added, alreadyThere: addresses.length - added };
}

const remove = (db: Database, { tenantId, ...input }: Given) =>
  actsIn(db, tenantId)(removeSuppressions, { ...input, addresses: [...input.addresses] });

function reasonOf(result: ClaimResult | undefined): string | undefined {
  return result !== undefined && "reason" in result ? result.reason : undefined;
}

test("a delivery to a suppressed address is skipped before any call, and the timeline says why", async (t) => {
  const { db, tenantId, claim } = await setUp(t);
  const email = { tenantId, channel: "EMAIL", addresses: ["Ann@Example.com"] } as const;
  assert.equal((await claim("ann@example.com")).becomes, "sending");
  assert.deepEqual(await add(db, { ...email, reason: "bounced" }), {
    added: 1,
    alreadyThere: 0,
  });
  const skipped = await claim("ANN@example.com");
  assert.deepEqual([skipped.becomes, skipped.reason], ["skipped", "address suppressed (bounced)"]);
  const { timeline, channels } = await readEvent(db, skipped.eventId);
  assert.equal(timeline.at(-1)?.what, "skipped: address suppressed (bounced)");
  assert.equal(channels.EMAIL?.status, "skipped");
  assert.equal((await claim("bob@example.com")).becomes, "sending");
  await add(db, { ...email, addresses: ["ann@bücher.example"] });
  assert.equal((await claim("ann@xn--bcher-kva.example")).becomes, "skipped");
  const written = ["jo\u0308rg@example.com", '"a..b"@docomo.ne.jp'];
  await add(db, { ...email, addresses: written });
  assert.equal((await claim("jörg@example.com")).becomes, "skipped");
  assert.equal((await claim("a..b@docomo.ne.jp")).becomes, "skipped");
  await remove(db, email);
  assert.equal((await claim("ann@example.com")).becomes, "sending");
});

test("an address is suppressed for its tenant and channel alone", async (t) => {
  const { db, tenantId, claim } = await setUp(t);
  const { id: other } = await createTenant(db, { name: "Other" });
  await add(db, { tenantId, channel: "SMS", addresses: ["+12025550123"] });
  await add(db, { tenantId, channel: "EMAIL", addresses: ["ann@example.com"] });
  assert.equal((await claim("ann@example.com", other)).becomes, "sending");
  assert.equal((await claim("+12025550123", other, "SMS")).becomes, "sending");
  assert.equal((await claim("+12025550123", tenantId, "EMAIL")).becomes, "sending");
  const { becomes, reason } = await claim("+12025550123", tenantId, "SMS");
  assert.deepEqual([becomes, reason], ["skipped", "address suppressed (by hand)"]);
});

test("addresses are listed page by page, each once, with the reason for which it came first", async (t) => {
  const { db, tenantId, list } = await setUp(t);
  const addresses = ["c@example.com", "A@example.com", "a@EXAMPLE.com", "b@example.com"];
  const input = { tenantId, channel: "EMAIL", addresses } as const;
  assert.equal((await add(db, { ...input, reason: "complained" })).added, 3);
  assert.deepEqual(await add(db, input), { added: 0, alreadyThere: 3 });
  await add(db, { tenantId, channel: "SMS", addresses: ["+12025550123"] });
  assert.deepEqual(await list(), [
    "EMAIL a@example.com complained",
    "EMAIL b@example.com complained",
    "EMAIL c@example.com complained",
    "SMS +12025550123 by hand",
  ]);
  assert.deepEqual(await remove(db, { ...input, addresses: ["B@example.com", "x@example.com"] }), {
    removed: 1,
    notThere: 1,
  });
  assert.equal((await list()).length, 3);
});

test("what is no address is refused, each named, and nothing is added", async (t) => {
  const { db, tenantId, list } = await setUp(t);
  const input = { tenantId, channel: "EMAIL" } as const;
  const addresses = ["ann@example.com", "nobody", "a@b.c\r\nBcc: x@y.z"];
  const { faults, message } = await refusal(add(db, { ...input, addresses }));
  assert.equal(faults.length, 2);
  assert.match(message, /"nobody"/);
  await assert.rejects(add(db, { ...input, addresses: [] }), InvalidInput);
  await assert.rejects(
    add(db, { ...input, channel: "SMS", addresses: ["202 555 0123"] }),
    InvalidInput,
  );
  await assert.rejects(
    add(db, { ...input, tenantId: "nobody", addresses: ["ann@example.com"] }),
    NotFound,
  );
  assert.deepEqual(await list(), []);
});

test("an address may have an opt-out and a bounce: both are listed and hold, and are removed together", async (t) => {
  const { db, tenantId, claim, list } = await setUp(t);
  const both = {
    tenantId,
    channel: "EMAIL",
    addresses: ["ann@example.com", "bob@example.com"],
  } as const;
  for (const reason of ["bounced", "opted out"] as const) {
    assert.deepEqual(await add(db, { ...both, reason }), { added: 2, alreadyThere: 0 });
  }
  // No third: an address that bounced is not suppressed by hand as well.
  assert.deepEqual(await add(db, both), { added: 0, alreadyThere: 2 });
  await add(db, { ...both, addresses: ["amy@example.com"] });
  assert.deepEqual(await list(), [
    "EMAIL amy@example.com by hand",
    ...["EMAIL ann@example.com bounced", "EMAIL ann@example.com opted out"],
    ...["EMAIL bob@example.com bounced", "EMAIL bob@example.com opted out"],
  ]);
  const { becomes, reason } = await claim("ann@example.com");
  assert.deepEqual([becomes, reason], ["skipped", "address suppressed (bounced)"]);
  assert.deepEqual(await remove(db, both), { removed: 2, notThere: 0 });
  assert.equal((await claim("ann@example.com")).becomes, "sending");
});

test("suppressions are listed by the beginning of an address, page after page, on every channel", async (t) => {
  const { db, tenantId } = await setUp(t);
  const run = actsIn(db, tenantId);
  const addresses = [
    "ann@example.com",
    "Anna@example.com",
    "annika@example.com",
    "bob@example.com",
  ];
  await run(addSuppressions, { channel: "EMAIL", addresses: [...addresses, "a%b@example.com"] });
  await run(addSuppressions, { channel: "SMS", addresses: ["+12025550123"] });
  const found = async (search: string) => {
    const all: string[] = [];
    for (let after: string | undefined, isFirst = true; isFirst || after; isFirst = false) {
      const { items, next } = await run(listSuppressions, { search, limit: 1, after });
      all.push(...items.map(({ address }) => address));
      after = next;
    }
    return all;
  };
  assert.deepEqual(await found("ANN"), [
    "ann@example.com",
    "anna@example.com",
    "annika@example.com",
  ]);
  assert.deepEqual(await found("+1202"), ["+12025550123"]);
  assert.deepEqual(await found("a%"), ["a%b@example.com"]);
  assert.deepEqual(await found("%"), []);
});
