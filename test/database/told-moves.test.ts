import assert from "node:assert/strict";
import { test } from "node:test";
import {
  discardDeadLetters,
  replayDeadLetters,
} from "@belfry/administration/dead-letters/change-dead-letters";
import { cancelEvents } from "@belfry/database/functions/cancel-events";
import { claimDeliveries } from "@belfry/database/functions/claim-deliveries";
import { releaseAgain, releaseDeliveries } from "@belfry/database/functions/release-deliveries";
import { type Settlement, settleDeliveries } from "@belfry/database/functions/settle-deliveries";
import { storeReceipts } from "@belfry/database/functions/store-receipts";
import {
  type StoredDelivery,
  type WebhooksUnderTest,
  webhooksUnderTest,
} from "@belfry/database/test/webhooks-under-test";
import { receipt, settlement } from "./settlement.ts";

interface Stored {
  id: string;
  eventId: string;
}

interface Case {
  stored: StoredDelivery;
  /** How many of them; 1 without. */
  count?: number;
  /** Of each, `<status>: <reason>`; null: nothing. */
  told: string | null;
  work(under: WebhooksUnderTest, stored: Stored[]): Promise<unknown>;
}

const SENDING: StoredDelivery = {
  ...{ status: "sending", attempts: 1, claimedUntil: "now() + interval '1 minute'" },
};
const ORIGIN = { tenantId: "acme", channels: ["EMAIL"], providerKind: "sandbox" } as const;
const MANY = 7;

const settled =
  (status: Settlement["status"], reason: string | null = null) =>
  (under: WebhooksUnderTest, stored: Stored[]) =>
    settleDeliveries(
      under.pool,
      stored.map(({ id }) => settlement(id, { status, reason, delayMs: 1 })),
    );

const claimed = (under: WebhooksUnderTest, stored: Stored[], provider = true) =>
  claimDeliveries(
    under.pool,
    stored.map(({ id }) => ({
      ...{ id, tenantId: "acme" },
      provider: provider ? { id: "00000000-0000-4000-8000-000000000001", kind: "sandbox" } : null,
    })),
    { channel: "EMAIL", leaseMs: 60_000, maxRetries: 1 },
  );

const receiptOf =
  (kind: "deferred" | "accepted" | "delivered" | "bounced" | "complained" | "opted out") =>
  (under: WebhooksUnderTest, stored: Stored[]) =>
    storeReceipts(
      under.pool,
      ORIGIN,
      stored.map(({ id }) => receipt(id, { kind, reason: "<ann@example.com> does not exist" })),
    );

const released = (under: WebhooksUnderTest) =>
  releaseDeliveries(under.pool, { channel: "EMAIL", inFlightPerTenant: 100, after: "", most: 100 });
const releasedAgain = (under: WebhooksUnderTest) =>
  releaseAgain(under.pool, { channel: "EMAIL", olderThanMs: 0, most: 100 });
const cancelled = ({ db }: WebhooksUnderTest, stored: Stored[]) =>
  cancelEvents(
    db,
    "acme",
    stored.map(({ eventId }) => eventId),
  );
const inactive = (under: WebhooksUnderTest) =>
  under.pool.query("update tenants set active = false where id = 'acme'");
const ids = (stored: Stored[]) => ({ ids: stored.map(({ id }) => id), tenantId: "acme" });

const CASES: Record<string, Case> = {
  "one is settled as accepted": {
    stored: SENDING,
    told: "accepted: null",
    work: settled("accepted"),
  },
  "many are settled as accepted": {
    ...{ stored: SENDING, count: MANY, told: "accepted: null", work: settled("accepted") },
  },
  "a few are settled as failed": {
    ...{ stored: SENDING, count: 3, told: "failed: no room for …" },
    work: settled("failed", "no room for ann@example.com"),
  },
  "many are settled as unknown": {
    ...{ stored: SENDING, count: MANY, told: "unknown: null", work: settled("unknown") },
  },
  "many are settled as waiting": {
    ...{ stored: SENDING, count: MANY, told: null, work: settled("waiting") },
  },
  "an acceptance that comes twice": {
    ...{ stored: SENDING, told: "accepted: null" },
    work: async (under, stored) => {
      await settled("accepted")(under, stored);
      await settled("accepted")(under, stored);
    },
  },
  "a claim for a try": { stored: {}, count: 3, told: null, work: claimed },
  "a claim without a provider": {
    ...{ stored: {}, count: 3, told: "skipped: no active provider" },
    work: (under, stored) => claimed(under, stored, false),
  },
  "a claim of what has expired": {
    stored: { expiresAt: "now() - interval '1 second'" },
    told: "expired: expired before it could be sent",
    work: claimed,
  },
  "a claim without a template": {
    ...{ stored: { version: "4711" }, told: "failed: the template is gone", work: claimed },
  },
  "a claim after the last retry": {
    stored: { ...SENDING, claimedUntil: "now() - interval '1 second'" },
    told: "failed: retries exhausted: the sender ended before the outcome was known",
    work: async (under, stored) => {
      await under.pool.query("update deliveries set retries = 1");
      await claimed(under, stored);
    },
  },
  "a claim of what may be sent once at most": {
    stored: { ...SENDING, claimedUntil: "now() - interval '1 second'" },
    told: "unknown: the sender ended before the outcome was known",
    work: async (under, stored) => {
      await under.pool.query("update templates set at_most_once = true");
      await claimed(under, stored);
    },
  },
  "a claim for an inactive tenant": {
    stored: {},
    told: "skipped: tenant inactive",
    work: async (under, stored) => {
      await inactive(under);
      await claimed(under, stored);
    },
  },
  "a receipt: deferred": { stored: SENDING, told: "accepted: null", work: receiptOf("deferred") },
  "a receipt: delivered": {
    ...{ stored: { status: "accepted" }, told: "delivered: null", work: receiptOf("delivered") },
  },
  "a receipt: bounced": {
    stored: { status: "delivered" },
    told: "bounced: <…> does not exist",
    work: receiptOf("bounced"),
  },
  "a receipt: complained": {
    stored: { status: "accepted" },
    ...{ count: 3, told: "complained: <…> does not exist", work: receiptOf("complained") },
  },
  "a receipt that says what is known": {
    ...{ stored: { status: "delivered" }, told: null, work: receiptOf("delivered") },
  },
  "a release": { stored: { releasedAt: "null" }, count: 3, told: null, work: released },
  "a release of what has expired": {
    stored: { releasedAt: "null", expiresAt: "now() - interval '1 second'" },
    told: "expired: expired before it was sent",
    work: released,
  },
  "a release for an inactive tenant": {
    stored: { releasedAt: "null" },
    ...{ count: 3, told: "skipped: tenant inactive" },
    work: async (under) => {
      await inactive(under);
      await released(under);
    },
  },
  "another release for an inactive tenant": {
    stored: {},
    ...{ count: 3, told: "skipped: tenant inactive" },
    work: async (under) => {
      await inactive(under);
      await releasedAgain(under);
    },
  },
  "a cancel": {
    ...{ stored: {}, count: 3, told: "skipped: cancelled" },
    work: cancelled,
  },
  "a cancel after a try of unknown outcome": {
    stored: { status: "waiting", attempts: 1 },
    told: "unknown: cancelled after a try of unknown outcome",
    work: cancelled,
  },
  "a dead letter is discarded": {
    ...{ stored: { status: "failed" }, count: 3, told: null },
    work: ({ db }, stored) => discardDeadLetters(db, ids(stored)),
  },
  "a dead letter is replayed": {
    ...{ stored: { status: "failed" }, count: 3, told: null },
    work: ({ db }, stored) => replayDeadLetters(db, ids(stored)),
  },
};

for (const [name, { stored: of, count = 1, told, work }] of Object.entries(CASES)) {
  test(`an endpoint is told once of each delivery that moves: ${name}`, async (t) => {
    const under = await webhooksUnderTest(t);
    await under.pool.query(
      `insert into templates (id, tenant_id, event_type, channel)
       values ('00000000-0000-4000-8000-000000000002', 'acme', 'order.confirmed', 'EMAIL')`,
    );
    const { rows } = await under.pool.query<{ id: string }>(
      `insert into template_versions (template_id, version, content, compiled)
       values ('00000000-0000-4000-8000-000000000002', 1, 'x', '{}') returning id`,
    );
    const stored: Stored[] = [];
    for (let n = 0; n < count; n += 1) {
      stored.push(await under.delivery({ version: rows[0]!.id, ...of }));
    }
    await work(under, stored);
    const found = await under.told();
    const words = found.map(
      ({ webhook, data }) => `${webhook} ${data.id} ${data.status}: ${data.reason}`,
    );
    const expected = stored.flatMap(({ eventId }) =>
      told === null
        ? []
        : [
            `all ${eventId} ${told}`,
            ...(told.startsWith("failed") ? [`failures ${eventId} ${told}`] : []),
          ],
    );
    assert.deepEqual(words.sort(), expected.sort());
  });
}
