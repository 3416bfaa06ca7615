import { UUID } from "@belfry/contracts/identifiers";
import { momentOf } from "@belfry/contracts/send-at";
import { REPLAYED, ReplayRequest, WEBHOOK_REPLAY_PATH } from "@belfry/contracts/webhook-endpoints";
import type { Database } from "@belfry/database/connection";
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { defineAct } from "../act.ts";
import { faultAt, refuseFaults } from "../input-error.ts";
import { idAt } from "../scanned-page.ts";
import { copyMessages, holdMessages, type WebhookPlace } from "./message-rows.ts";
import { openWebhook, replayUnderWay } from "./send-webhook-message.ts";
import { endPause } from "./webhook-rows.ts";
import { CHANGE_ENDPOINTS, OF_WEBHOOK_FLAGS, ofWebhook, WEBHOOK, webhookNote } from "./webhooks.ts";

export const MAX_REPLAYED = 10_000;
/** What one statement looks at, and what one call does. */
const BATCH_LOOKED_AT = 1_000;
const MOST_BATCHES = 100;

const Replayed = Type.Object({ url: Type.String(), ...REPLAYED });
export type Replayed = Static<typeof Replayed>;

export const replayWebhook = defineAct({
  name: "webhook replay",
  http: `POST ${WEBHOOK_REPLAY_PATH}`,
  access: CHANGE_ENDPOINTS,
  effect: "change",
  summary: "Send a window again",
  description:
    "All messages of a window that did not arrive, the oldest first, each with its webhook-id; none that is under way, and at most 10,000 a call. A paused endpoint is called at once. What was never written, as the endpoint was not active then, cannot be sent.",
  input: Type.Object({ ...ofWebhook, ...ReplayRequest.properties }),
  output: Replayed,
  examples: [
    {
      input: { webhookId: WEBHOOK.id, since: "2026-11-20T09:30:00Z" },
      output: { url: WEBHOOK.url, replayed: 318, more: false },
    },
  ],
  flags: OF_WEBHOOK_FLAGS,
  async run({ db, tenantId }, { webhookId, all = false, ...given }) {
    const window = checkedWindow(given);
    const { url } = await openWebhook(db, { tenantId, webhookId });
    const place = { tenantId, webhookId };
    if (!(await holdMessages(db, tenantId, "replay"))) throw replayUnderWay();
    const output: Replayed = { url, replayed: 0, more: false };
    let { after } = given;
    for (let batch = 1; ; batch += 1) {
      const looked = await someOfWindow(db, place, { ...window, after, all });
      const wanted = looked.filter(({ again }) => again);
      const chosen = wanted.slice(0, MAX_REPLAYED - output.replayed);
      const ids = chosen.map(({ id }) => id);
      output.replayed += (await copyMessages(db, place, ids)).length;
      const isLast = looked.length < BATCH_LOOKED_AT;
      if (chosen.length === wanted.length && isLast) break;
      after = chosen.length < wanted.length ? (ids.at(-1) ?? after) : looked.at(-1)?.id;
      if (output.replayed >= MAX_REPLAYED || batch === MOST_BATCHES) {
        output.more = true;
        if (after !== undefined) output.next = after;
        break;
      }
    }
    if (output.replayed > 0) await endPause(db, { tenantId, id: webhookId });
    return { output };
  },
  audit: ({ since, until = "now", all = false }, { output: { url, replayed, more } }) =>
    webhookNote("replay", url, { after: { since, until, all, replayed, more } }),
});

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

function checkedWindow({ since, until, after }: ReplayRequest): Window {
  const from = momentOf(since) ?? new Date(0);
  const to = until === undefined ? undefined : momentOf(until);
  const isPlace = after === undefined || UUID.test(after);
  refuseFaults([
    faultAt("until", to !== undefined && to <= from ? "must be later than since" : undefined),
    faultAt("after", isPlace ? undefined : "must be the next of a call before"),
  ]);
  return { since: from, until: to ?? null };
}
