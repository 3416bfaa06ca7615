import { randomBytes } from "node:crypto";
import type { TestContext } from "node:test";
import { findAnything } from "@belfry/administration/search/find-anything";
import { createDatabase, type Pool } from "@belfry/database/connection";
import { claimDeliveries } from "@belfry/database/functions/claim-deliveries";
import { settleDeliveries } from "@belfry/database/functions/settle-deliveries";
import { parseSecretKeys } from "@belfry/database/secrets";
import { createEventHandler } from "../src/event-handler.ts";
import { createSearch } from "../src/search.ts";
import { dispatcherUnderTest, eventsMessage } from "./dispatcher-under-test.ts";

/** A dispatcher with the loop behind search, and a hand that sends what it makes. */
export async function searchUnderTest(t: TestContext) {
  const under = await dispatcherUnderTest(t);
  const { pool } = under;
  const db = createDatabase(pool);
  const keys = parseSecretKeys(`t1:${randomBytes(32).toString("base64")}`);
  const replica = (most?: number) =>
    createSearch({ pool, db, keys, settleMs: 0, ...(most === undefined ? {} : { most }) });
  const handler = createEventHandler(under.deps);
  const signal = new AbortController().signal;

  /** Passes see what is older than the millisecond that they begin in. */
  const pass = async (by = replica()) => {
    const rows = await pool.sql`select clock_timestamp() as at`;
    const at = (rows[0].at as Date).getTime();
    for (;;) {
      const now = await pool.query("select clock_timestamp() as at");
      if ((now.rows[0].at as Date).getTime() > at) break;
    }
    return await by();
  };

  return {
    ...under,
    ...{ db, keys, replica, pass },

    dispatch: (ids: readonly string[]) => handler([eventsMessage(ids)], { log: under.log, signal }),

    /** Claims and settles as a sender does; returns the deliveries. */
    async send(tenantId: string, messageId: string | null, where = "true") {
      const rows = await under.deliveries(
        `status in ('queued', 'waiting') and tenant_id = '${tenantId}' and ${where}`,
      );
      for (const { id, channel } of rows) {
        const providers = await pool.sql`select id, kind from providers
          where tenant_id = ${tenantId} and channel = ${channel}`;
        const provider = providers[0];
        const [claim] = await claimDeliveries(pool, [{ id, tenantId, provider }], {
          ...{ channel, leaseMs: 60_000, maxRetries: 5 },
        });
        if (claim?.becomes !== "sending") throw new Error(JSON.stringify(claim));
        await settleDeliveries(pool, [
          {
            ...{ deliveryId: id, attempt: claim.delivery.attempt, status: "accepted" },
            ...{ reason: null, delayMs: null, counted: false, missing: null },
            end: {
              ...{ class: "accepted", durationMs: 1, reason: null, vendor_status: "202" },
              ...{ vendor_answer: null, message_id: messageId },
            },
          },
        ]);
      }
      return rows;
    },

    async find(text: string, tenantId?: string) {
      const { events, users } = await findAnything(db, keys, { text, tenantId });
      return {
        ids: events.map(({ id }) => id),
        by: events[0]?.by,
        users: users.map(({ tenantId, userId }) => ({ tenantId, userId })),
      };
    },

    count: (table: string) => countRows(pool, table),
  };
}

async function countRows(pool: Pool, table: string): Promise<number> {
  const { rows } = await pool.query(`select count(*)::integer as count from ${table}`);
  return rows[0].count;
}
