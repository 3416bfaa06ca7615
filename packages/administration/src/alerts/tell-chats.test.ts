import assert from "node:assert/strict";
import { test } from "node:test";
import { ALERT_IN_CHAT, ALERTS, alertWords } from "@belfry/contracts/alerts";
import { sql } from "kysely";
import { actsIn, putActiveProvider } from "../../test/acts.ts";
import { HOUR_MS, MINUTE_MS, OPERATOR, OWNER, startAlerts, TROUBLE } from "../../test/alerts.ts";
import { refusal, TEST_KEYS } from "../../test/database.ts";
import { insertPerson, putMembership } from "../people/person-rows.ts";
import { renderTemplate } from "../templates/preview-template.ts";
import { chooseAlerts, chooseAllAlerts, chooseMailTenant, showAllAlerts } from "./alert-choices.ts";

const { begin, end } = TROUBLE["endpoint-disabled"];
const KIND = "endpoint-disabled";
const ADDRESSES = { addresses: "ops=https://hooks.slack.com/services/T0/B0/x" };

/** Alerts, in a tenant and a platform that have a Slack each. Nobody is told by mail. */
async function withChats(t: Parameters<typeof startAlerts>[0]) {
  const s = await startAlerts(t);
  const use = { keys: TEST_KEYS };
  for (const tenantId of [s.tenantId, s.platformId]) {
    const slack = { channel: "CHAT", kind: "slack", settings: ADDRESSES, tenantId } as const;
    await putActiveProvider(s.db, slack, use);
  }
  await s.run(chooseAlerts, { person: OWNER, alerts: [] });
  /** Returns the messages in chats: by which tenant, where, what they say and what they are to a service for incidents. */
  const chats = async () => {
    const rows = await s.db
      .selectFrom("events")
      .select(["tenant_id", "event_type", "channels", "recipient_chat", "variables", "locale"])
      .where("recipient_chat", "is not", null)
      .orderBy("id")
      .execute();
    return rows.map(({ variables, ...row }) => {
      assert.deepEqual([row.event_type, row.channels], [ALERT_IN_CHAT, 16]);
      const { title, event_action: action, dedup_key: key } = JSON.parse(variables ?? "");
      assert.equal(key, `belfry ${s.tenantId} ${KIND}`);
      return [row.tenant_id, row.recipient_chat, title, action];
    });
  };
  const [began, ended] = [ALERTS[KIND].title, ALERTS[KIND].ended.title];
  return { ...s, chats, began, ended };
}

test("an operator's chat is told by the tenant of Belfry's mail, an owner's by its own, once each of the beginning and the end", async (t) => {
  const s = await withChats(t);
  await s.run(chooseAllAlerts, { person: OPERATOR, alerts: [KIND], chat: "slack:#ops" });
  await s.run(chooseAlerts, { person: OWNER, alerts: [KIND], chat: "slack:#ops" });
  await begin(s);
  assert.equal(await s.tell(), 4, "two mails and two chats");
  assert.equal(await s.tell(), 0);
  await end(s);
  assert.equal(await s.tell(), 4);
  assert.equal(await s.tell(), 0);
  const told = (await s.chats()).map((row) => row.join(" ")).sort();
  const both = [s.tenantId, s.platformId];
  assert.deepEqual(
    told,
    both
      .flatMap((id) => [
        `${id} slack:#ops ${s.began} trigger`,
        `${id} slack:#ops ${s.ended} resolve`,
      ])
      .sort(),
  );
});

test("people who chose the same address share its messages; who leaves it leaves them to the others", async (t) => {
  const s = await withChats(t);
  const second = { email: "oz@example.com", name: "Oz", password: null, operator: true };
  await insertPerson(s.db, second);
  for (const person of [OPERATOR, second.email]) {
    await s.run(chooseAllAlerts, { person, alerts: [KIND], chat: "slack:#ops" });
  }
  await begin(s);
  await s.tell();
  await s.run(chooseAllAlerts, { person: OPERATOR, alerts: [KIND], chat: null });
  await s.tell();
  await end(s);
  await s.tell();
  assert.deepEqual(await s.chats(), [
    [s.platformId, "slack:#ops", s.began, "trigger"],
    [s.platformId, "slack:#ops", s.ended, "resolve"],
  ]);
});

test("the end is told after the beginning has left, and the next beginning after the end", async (t) => {
  const s = await withChats(t);
  await s.run(chooseAllAlerts, { person: OPERATOR, alerts: [KIND], chat: "slack:#ops" });
  await s.run(chooseMailTenant, { tenant: s.platformId });
  const actions = async () => (await s.chats()).map(([, , , action]) => action);
  const dispatched = async (status: string) => {
    await s.db.deleteFrom("undispatched_events").execute();
    await sql`insert into deliveries (id, event_id, tenant_id, channel, status)
      select gen_random_uuid(), e.id, e.tenant_id, 'CHAT', ${status} from events e
      where e.recipient_chat is not null
      on conflict (event_id, channel) do update set status = excluded.status`.execute(s.db);
  };
  await begin(s);
  await s.look();
  await end(s);
  await s.look();
  assert.deepEqual(await actions(), ["trigger"], "not dispatched yet");
  await dispatched("waiting");
  await s.look();
  assert.deepEqual(await actions(), ["trigger"], "the vendor is down");
  await dispatched("accepted");
  await s.look();
  assert.deepEqual(await actions(), ["trigger", "resolve"]);
  s.later(HOUR_MS + MINUTE_MS);
  await begin(s);
  await s.look();
  assert.deepEqual(await actions(), ["trigger", "resolve"], "the end is not dispatched yet");
  await dispatched("accepted");
  await s.look();
  assert.deepEqual(await actions(), ["trigger", "resolve", "trigger"]);
});

test("replicas that look at once, and one that dies before its commit, tell each thing once", async (t) => {
  const s = await withChats(t);
  await begin(s);
  await s.tell();
  // The trouble is noted already, so no replica waits for another one's note.
  await s.run(chooseAllAlerts, { person: OPERATOR, alerts: [KIND], chat: "slack:#ops" });
  for (const happen of [async () => undefined, end]) {
    await happen(s);
    await sql`create or replace function die() returns trigger language plpgsql as $$
      begin
        perform pg_terminate_backend(pg_backend_pid());
        return new;
      end $$`.execute(s.db);
    await sql`create trigger die before insert or update on alert_chats for each row execute function die()`.execute(
      s.db,
    );
    await assert.rejects(s.tell());
    await sql`drop trigger die on alert_chats`.execute(s.db);
    await Promise.all([s.look(), s.look(), s.look()]);
    await s.tell();
  }
  assert.deepEqual(
    (await s.chats()).map(([, , , action]) => action),
    ["trigger", "resolve"],
  );
});

test("a chat is told without a provider for mail, in the language of who chose it", async (t) => {
  const s = await withChats(t);
  await s.db.deleteFrom("providers").where("channel", "=", "EMAIL").execute();
  await s.db.updateTable("people").set({ language: "de" }).where("email", "=", OPERATOR).execute();
  await s.run(chooseAllAlerts, { person: OPERATOR, alerts: [KIND], chat: "slack:#ops" });
  await begin(s);
  assert.equal(await s.tell(), 1);
  const [event] = await s.db.selectFrom("events").select(["locale", "variables"]).execute();
  assert.equal(event?.locale, "de");
  const template = { tenantId: "platform", eventType: ALERT_IN_CHAT, channel: "CHAT" } as const;
  const made = await renderTemplate(s.db, template, JSON.parse(event?.variables ?? ""), "de");
  assert.ok(made.kind === "chat" && made.missing.length === 0);
  const { title, message } = alertWords(KIND, "de");
  assert.deepEqual(made.blocks, [
    { kind: "paragraph", runs: [{ text: `Acme: ${title}`, strong: true }] },
    { kind: "paragraph", runs: [{ text: message }] },
    {
      kind: "button",
      label: "In Belfry öffnen",
      url: `https://admin.example.com/tenants/${s.tenantId}/webhooks`,
    },
  ]);
});

test("an address is refused unless a provider of the tenant that tells reaches it; without one in a change it stays", async (t) => {
  const s = await withChats(t);
  const set = (chat: string) => s.run(chooseAllAlerts, { person: OPERATOR, alerts: [], chat });
  const fault = async (chat: string) => (await refusal(set(chat))).faults;
  const of = (message: string) => [{ field: "chat", message }];
  assert.deepEqual(
    await fault("discord:ops"),
    of("cannot be reached: no active provider of the kind discord"),
  );
  assert.deepEqual(await fault("no colon"), of("must be a chat address such as slack:C024BE91L"));
  await set("slack:#ops");
  await s.run(chooseAllAlerts, { person: OPERATOR, alerts: [KIND] });
  assert.equal((await s.run(showAllAlerts, { person: OPERATOR })).chat, "slack:#ops");
  await s.run(chooseMailTenant, { tenant: null });
  assert.deepEqual(
    await fault("slack:#other"),
    of("cannot be reached: no tenant sends Belfry's own mail"),
  );
  await actsIn(s.db, s.tenantId)(chooseAllAlerts, { person: OPERATOR, alerts: [], chat: null });
  assert.equal((await s.run(showAllAlerts, { person: OPERATOR })).chat, null);
});

test("a tenant over its limit keeps no other tenant's messages waiting", async (t) => {
  const s = await withChats(t);
  const MOST_PER_LOOK = 200;
  // Its id sorts before that of every other tenant.
  await sql`insert into tenants (id, name, per_minute, active) values ('0', 'Silent', 1, false)`.execute(
    s.db,
  );
  await s.run(chooseMailTenant, { tenant: "0" });
  await sql`with readers as (
      insert into people (id, email, name, operator)
      select gen_random_uuid(), i || '@silent.example.com', 'Op', true from generate_series(1, ${MOST_PER_LOOK}) i
      returning id
    )
    insert into alert_choices (person_id, kinds, chat)
    select id, ${[KIND]}::text[], 'slack:#' || id from readers`.execute(s.db);
  await s.run(chooseAlerts, { person: OWNER, alerts: [KIND], chat: "slack:#ops" });
  await begin(s);
  await s.tell();
  assert.deepEqual(await s.chats(), [[s.tenantId, "slack:#ops", s.began, "trigger"]]);
});

test("operators are told nothing in chats while others than they could read it", async (t) => {
  const s = await withChats(t);
  await s.run(chooseAllAlerts, { person: OPERATOR, alerts: [KIND], chat: "slack:#ops" });
  const other = { email: "vic@example.com", name: "Vic", password: null, operator: false };
  const personId = await insertPerson(s.db, other);
  await putMembership(s.db, { personId, tenantId: s.platformId, role: "viewer" });
  await begin(s);
  assert.equal(await s.tell(), 0);
  await s.db.deleteFrom("providers").where("id", "=", s.mailer.id).execute();
  assert.equal(await s.tell(), 0, "nor without a provider for mail");
  await s.db.deleteFrom("memberships").where("person_id", "=", personId).execute();
  assert.equal(await s.tell(), 1);
});

test("an end that no tenant can tell operators of is told once one can", async (t) => {
  const s = await withChats(t);
  await s.run(chooseAllAlerts, { person: OPERATOR, alerts: [KIND], chat: "slack:#ops" });
  await begin(s);
  await s.tell();
  await s.run(chooseMailTenant, { tenant: null });
  await end(s);
  assert.equal(await s.tell(), 0);
  await s.run(chooseMailTenant, { tenant: s.platformId });
  await s.tell();
  assert.deepEqual(await s.chats(), [
    [s.platformId, "slack:#ops", s.began, "trigger"],
    [s.platformId, "slack:#ops", s.ended, "resolve"],
  ]);
});

test("who leaves the only chat while a trouble lasts is not told of its end later", async (t) => {
  const s = await withChats(t);
  const setChat = async (chat: string | null) =>
    await s.run(chooseAllAlerts, { person: OPERATOR, alerts: [KIND], chat });
  await s.db.deleteFrom("providers").where("id", "=", s.mailer.id).execute();
  await setChat("slack:#ops");
  await begin(s);
  assert.equal(await s.tell(), 1);
  await setChat(null);
  await end(s);
  assert.equal(await s.tell(), 0);
  await setChat("slack:#ops");
  assert.equal(await s.tell(), 0);
});
