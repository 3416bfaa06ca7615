import { UUID } from "@belfry/contracts/identifiers";
import { momentOf } from "@belfry/contracts/send-at";
import { type Database, inTransaction } from "@belfry/database/connection";
import { sql } from "kysely";
import { type InputFault, refuseFaults } from "../input-error.ts";
import { idAt } from "../scanned-page.ts";
import { copyMessages } from "./copy-messages.ts";
import { holdMessages, type WebhookPlace } from "./message-rows.ts";
import { openWebhook, replayUnderWay } from "./resend-webhook-message.ts";
import { endPause } from "./webhook-rows.ts";

export interface ReplayInput {
  tenantId: string;
  webhookId: string;
  /** ISO 8601 with an offset: messages that were written then or later. */
  since: string;
  /** The same: that were written before. Default: now. */
  until?: string | undefined;
  /** Also those that have arrived. */
  all?: boolean | undefined;
  /** The `next` of a call before that had `more`. */
  after?: string | undefined;
}

export interface Replayed {
  /** How many are sent again. */
  replayed: number;
  /** There may be others in the window: call again with `next` as `after`. */
  more: boolean;
  next?: string;
}

export const MAX_REPLAYED = 10_000;
/** What one statement looks at, and what one call does. */
const BATCH_LOOKED_AT = 1_000;
const MOST_BATCHES = 100;

/**
 * Sends again what has not arrived of a window: what has failed for good, or was skipped while the endpoint was
 * disabled, the oldest first. Nothing that is still under way, and at most 10,000 a call. A paused endpoint is
 * called at once. Throws `InvalidInput`, `NotFound`, and `TooLate` where the endpoint is disabled, or another replay
 * of the tenant is not answered yet.
 */
export async function replayWebhook(
  db: Database,
  input: ReplayInput,
): Promise<Replayed & { url: string }> {
  const { tenantId, all = false } = input;
  const window = checkedWindow(input);
  return await inTransaction(db, async (transaction) => {
    const webhook = await openWebhook(transaction, input);
    const place = { tenantId, webhookId: webhook.id };
    if (!(await holdMessages(transaction, tenantId, "replay"))) throw replayUnderWay();
    const result: Replayed = { replayed: 0, more: false };
    let after = input.after;
    for (let batch = 1; ; batch += 1) {
      const looked = await someOfWindow(transaction, place, { ...window, after, all });
      const wanted = looked.filter(({ again }) => again);
      const chosen = wanted.slice(0, MAX_REPLAYED - result.replayed);
      const ids = chosen.map(({ id }) => id);
      result.replayed += (await copyMessages(transaction, place, ids)).length;
      const isLast = looked.length < BATCH_LOOKED_AT;
      if (chosen.length === wanted.length && isLast) break;
      after = chosen.length < wanted.length ? (ids.at(-1) ?? after) : looked.at(-1)?.id;
      if (result.replayed >= MAX_REPLAYED || batch === MOST_BATCHES) {
        result.more = true;
        if (after !== undefined) result.next = after;
        break;
      }
    }
    if (result.replayed > 0) await endPause(transaction, { tenantId, id: webhook.id });
    return { ...result, url: webhook.url };
  });
}

interface Window {
  since: Date;
  until: Date | null;
}

/**
 * The next first messages of a window, copies left out, the oldest first, and whether each is to be sent again.
 * An id is of the moment at which its message was written, to within a second: by the index.
 */
async function someOfWindow(
  db: Database,
  { tenantId, webhookId }: WebhookPlace,
  { since, until, after, all }: Window & { after: string | undefined; all: boolean },
): Promise<{ id: string; again: boolean }[]> {
  const { rows } = await sql<{ id: string; again: boolean }>`
    select m.id, coalesce(s.again, false) as again
    from (
      select m.id from webhook_messages m
      where m.webhook_id = ${webhookId} and m.tenant_id = ${tenantId} and m.resend_of is null
        and m.id >= ${idAt(new Date(since.getTime() - 1000))}::uuid ${until === null ? sql`` : sql`and m.id < ${idAt(new Date(until.getTime() + 1000))}::uuid`}
        ${after === undefined ? sql`` : sql`and m.id > ${after}::uuid`}
        and m.created_at >= ${since} and m.created_at < coalesce(${until}::timestamptz, clock_timestamp())
      order by m.id limit ${BATCH_LOOKED_AT}
    ) m
    cross join lateral (
      select not bool_or(d.status in ('queued', 'sending', 'waiting'))
        and (${all}::boolean or not bool_or(d.status = 'accepted')) as again
      from (
        select m.id union all select c.id from webhook_messages c where c.resend_of = m.id
      ) of (id)
      join deliveries d on d.event_id = of.id and d.channel = 'WEBHOOK' and d.tenant_id = ${tenantId}
    ) s
    order by m.id`.execute(db);
  return rows;
}

const NO_TIME = "must be a time with its offset in ISO 8601, as 2026-11-20T09:30:00+01:00";

function checkedWindow({ since, until, after }: ReplayInput): Window {
  const from = momentOf(since);
  const to = until === undefined ? null : momentOf(until);
  const isEmpty = from !== undefined && to instanceof Date && to <= from;
  refuseFaults([
    from === undefined ? { field: "since", message: NO_TIME } : undefined,
    to === undefined ? { field: "until", message: NO_TIME } : undefined,
    isEmpty ? { field: "until", message: "must be later than since" } : undefined,
    after === undefined || UUID.test(after)
      ? undefined
      : { field: "after", message: "must be the next of a call before" },
  ] satisfies (InputFault | undefined)[]);
  return { since: from ?? new Date(0), until: to ?? null };
}
