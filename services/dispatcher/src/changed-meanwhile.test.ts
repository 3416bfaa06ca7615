import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { noteUse } from "@belfry/database/configuration-version";
import { createDatabase, type Database } from "@belfry/database/connection";
import { wakeEvents } from "@belfry/database/functions/release-deliveries";
import { setPreferences } from "@belfry/database/preferences";
import { assertEach } from "@belfry/testing/assert-each";
import { aRecipient } from "@belfry/testing/rows";
import { TENANT, timedUnderTest } from "../test/timed-under-test.ts";

/** The table of docs/timing.md about changes while a message waits: scheduled, in a digest, or until unread. */

const HOUR = 3600;
const ANN = "ann";
const OLD = "old@example.com";
const NEW = "new@example.com";

/** Three waiting events, each in its own way. */
async function threeThatWait(t: TestContext) {
  const under = await timedUnderTest(t);
  const { pool } = under;
  const db = createDatabase(pool);
  await aRecipient(db, { tenant_id: TENANT, user_id: ANN, email: OLD });
  await noteUse(db, TENANT, "uses_recipients");
  await under.timed("scheduled", {});
  await under.timed("gathered", { digest: { windowSeconds: HOUR } });
  await under.timed("unread", { afterUnreadSeconds: HOUR }, ["EMAIL", "PUSH"]);
  const of = (eventType: string) => ({ eventType, userId: ANN, email: null });
  const [scheduled = ""] = await under.events(TENANT, {
    ...of("scheduled"),
    later: { delaySeconds: HOUR },
  });
  const gathered = await under.dispatch(of("gathered"));
  const unread = await under.dispatch(of("unread"));
  assert.ok(gathered.delivery.due_at > new Date() && unread.delivery.due_at > new Date());
  // Long enough for a claim to check again.
  await pool.query("update events set accepted_at = accepted_at - interval '2 minutes'");
  await pool.query("update digests set opened_at = opened_at - interval '2 minutes'");

  /** In words: how it ended, or what is sent to whom. */
  async function told(id: string): Promise<string> {
    const { outcome } = await under.outcome(id);
    if (outcome?.skipped?.EMAIL) return `skipped: ${outcome.skipped.EMAIL}`;
    const rows = await pool.sql`select d.*, reason_in_words(d.reason) as reason, v.version
      from deliveries d left join template_versions v on v.id = d.template_version_id
      where d.channel = 'EMAIL'
        and (d.event_id = ${id} or d.event_id in (select digest_id from digest_items where event_id = ${id}))`;
    const [{ status, reason, version, recipient }] = rows;
    return status === "sending" ? `version ${version} to ${recipient}` : `${status}: ${reason}`;
  }

  return {
    ...{ ...under, db, of },
    /** Only the release loop's check before anything is due. */
    async atOnce() {
      await under.release();
      return { gathered: await told(gathered.id), unread: await told(unread.id) };
    },
    /** They become due. */
    async due() {
      under.deps.routing.clear();
      await pool.query("update scheduled_events set send_at = now()");
      const { events } = await wakeEvents(pool, "", 10);
      assertEach(events, ({ eventId }) => eventId, [scheduled]);
      await under.dispatchOn(0, [scheduled]);
      await under.makeDue(10);
      await under.release();
      await under.claim((await under.deliveries("channel = 'EMAIL'")).map((row) => row.id));
      return {
        scheduled: await told(scheduled),
        gathered: await told(gathered.id),
        unread: await told(unread.id),
      };
    },
  };
}

type Waiting = Awaited<ReturnType<typeof threeThatWait>>;

const OF_OLD = `version 1 to ${OLD}`;
const off = (words: string) => `skipped: turned off by the user${words}`;

const CHANGES: {
  what: string;
  change(it: Waiting & { db: Database }): Promise<unknown>;
  becomes: { scheduled: string; gathered: string; unread: string };
}[] = [
  {
    what: "nothing",
    change: async () => undefined,
    becomes: { scheduled: OF_OLD, gathered: OF_OLD, unread: OF_OLD },
  },
  {
    what: "the text of the template",
    change: ({ pool }) =>
      pool.query(
        `with v as (
           insert into template_versions (template_id, version, content, compiled)
           select template_id, 2, content, compiled from template_versions
           where template_id not in (select id from templates where tenant_id = 'platform')
           returning id, template_id)
         update template_variants o set current_version_id = v.id from v where v.template_id = o.template_id`,
      ),
    becomes: {
      scheduled: `version 2 to ${OLD}`,
      gathered: `version 2 to ${OLD}`,
      unread: OF_OLD,
    },
  },
  {
    what: "that the template is active",
    change: ({ pool }) => pool.query("update templates set active = false"),
    becomes: {
      scheduled: "skipped: no active template",
      gathered: "skipped: no active template",
      unread: OF_OLD,
    },
  },
  {
    what: "that there is a template",
    change: ({ pool }) => pool.query("delete from templates"),
    becomes: {
      scheduled: "skipped: no active template",
      gathered: "failed: the template is gone",
      unread: "failed: the template is gone",
    },
  },
  {
    what: "what the template says of times",
    change: ({ pool }) =>
      pool.query("update templates set digest = null, after_unread_seconds = null"),
    becomes: { scheduled: OF_OLD, gathered: OF_OLD, unread: OF_OLD },
  },
  {
    what: "the user's address in the directory",
    change: ({ pool }) => pool.sql`update recipients set email = ${NEW}`,
    becomes: { scheduled: `version 1 to ${NEW}`, gathered: OF_OLD, unread: OF_OLD },
  },
  {
    what: "what the user wants",
    async change({ db }) {
      const cell = { category: "*", channel: "EMAIL" as const, enabled: false };
      await setPreferences(db, { tenantId: TENANT, userId: ANN }, "api", [cell]);
    },
    becomes: { scheduled: off(""), gathered: off(""), unread: off("") },
  },
  {
    what: "that the address can be sent to",
    change: ({ pool }) =>
      pool.sql`insert into suppressions (tenant_id, channel, address, reason)
        values (${TENANT}, 'EMAIL', ${OLD}, 'bounced')`,
    becomes: {
      scheduled: "skipped: address suppressed (bounced)",
      gathered: "skipped: address suppressed (bounced)",
      unread: "skipped: address suppressed (bounced)",
    },
  },
];

for (const { what, change, becomes } of CHANGES) {
  test(`a change while a message waits: ${what}`, async (t) => {
    const waiting = await threeThatWait(t);
    await change(waiting);
    const told = await waiting.due();
    const beginnings = Object.entries(told).map(([name, words]) => [
      name,
      words.startsWith("skipped: turned off by the user") ? off("") : words,
    ]);
    assert.deepEqual(Object.fromEntries(beginnings), becomes);
  });
}

test("when a tenant is deactivated, messages ready to leave are skipped at once, and waiting ones when they become due", async (t) => {
  const waiting = await threeThatWait(t);
  await waiting.pool.query("update tenants set active = false");
  const skipped = "skipped: tenant inactive";
  assert.deepEqual(await waiting.atOnce(), { gathered: skipped, unread: skipped });
  await waiting.pool.query("update tenants set active = true");
  const { scheduled, gathered } = await waiting.due();
  assert.deepEqual([scheduled, gathered], [OF_OLD, skipped]);
  assert.equal((await waiting.dispatch(waiting.of("gathered"))).delivery.status, "queued");
});

test("an open window ends at its time in the old zone; another address opens another window", async (t) => {
  const under = await timedUnderTest(t);
  const { pool } = under;
  await under.timed("gathered", { digest: { at: "09:00" } });
  const event = { eventType: "gathered", userId: ANN };
  const first = await under.dispatch({ ...event, email: OLD });
  await pool.query("update tenants set timezone = 'Asia/Kathmandu'");
  under.deps.routing.clear();
  assert.deepEqual((await under.dispatch({ ...event, email: OLD })).delivery, first.delivery);
  const other = await under.dispatch({ ...event, email: NEW });
  assert.notEqual(other.delivery.id, first.delivery.id);
  assert.equal(other.delivery.due_at.toISOString().slice(11, 16), "03:15");
  assert.equal(first.delivery.due_at.toISOString().slice(11, 16), "09:00");
});
