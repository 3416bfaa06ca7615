import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { acceptAsNewPerson } from "@belfry/administration/people/invitations";
import { hashPassword } from "@belfry/administration/people/password";
import { showReset } from "@belfry/administration/people/password-resets";
import { createDatabase } from "@belfry/database/connection";
import { eventually } from "@belfry/testing/eventually";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { anEvent } from "@belfry/testing/rows";
import { createHome, heardBelow } from "../test/home.ts";

const COSTS = { log2N: 10, r: 8, p: 1 };
const HASHED = await hashPassword("a long enough one", { network: "test" }, COSTS);

async function world(t: TestContext) {
  const prefix = testPrefix(t);
  const home = await createHome(t, {
    env: {
      ...{ NATS_PREFIX: prefix, NATS_URL: testNatsUrl() },
      ADMIN_BASE_URL: "https://admin.example.com",
    },
  });
  const { id } = await home.json("tenant create --name Acme");
  return { ...home, id: id as string, prefix };
}

test("an operator invites a tenant's people, changes their roles and takes them out by the command line; the audit log is searched by it", async (t) => {
  const { json, fails, id, pool } = await world(t);
  const of = `--tenant ${id}`;
  const db = createDatabase(pool);
  const join = async (email: string, role: string) => {
    const { link } = await json(`member invite ${of} --email ${email} --role ${role}`);
    const token = link.replace("https://admin.example.com/join/", "");
    await acceptAsNewPerson(db, token, { email, name: "Ann", password: HASHED });
  };
  await join("Ann@example.com", "owner");
  await join("bob@example.com", "viewer");
  const open = await json(`member invite ${of} --email cleo@example.com --role editor`);
  const { members, invitations } = await json(`member list ${of}`);
  assert.deepEqual(
    members.map(({ email, role }: { email: string; role: string }) => [email, role]).toSorted(),
    [
      ["ann@example.com", "owner"],
      ["bob@example.com", "viewer"],
    ],
  );
  assert.deepEqual([invitations.length, invitations[0].id], [1, open.id]);
  assert.ok(!JSON.stringify(invitations).includes(open.link.split("/").at(-1)));
  await json(`member withdraw ${of} --invitation ${open.id}`);
  assert.equal(
    (await json(`member role ${of} --email bob@example.com --role editor`)).role,
    "editor",
  );
  await fails(
    `member role ${of} --email ann@example.com --role viewer`,
    /--role the tenant would have no owner/,
  );
  await fails(`member role ${of} --email bob@example.com --role king`, /owner, editor, viewer/);
  await fails(`member remove ${of} --email eve@example.com`, /--email: the tenant has no member/);
  await fails("member list --tenant nobody", /no tenant has the id "nobody"/);
  assert.equal((await json(`member remove ${of} --email BOB@example.com`)).removed, true);

  const told = async (flags: string) => {
    const { entries } = await json(`audit list ${flags}`);
    return entries.map(
      (entry: { action: string; target: string }) => `${entry.action} ${entry.target}`,
    );
  };
  assert.deepEqual(await told(`${of} --object bob@`), [
    ...["member.remove bob@example.com", "member.role bob@example.com"],
    "member.invite bob@example.com",
  ]);
  const [removed, ...more] = (await json(`audit list ${of} --limit 2`)).entries;
  assert.deepEqual([removed.action, more.length, removed.tenantName], ["member.remove", 1, "Acme"]);
  const { next } = await json(`audit list ${of} --limit 2`);
  assert.deepEqual(
    (await told(`${of} --limit 2 --before ${next}`))[0],
    "invitation.withdraw cleo@example.com",
  );
  assert.deepEqual(await told(`${of} --person nobody-of-this-name`), []);
  assert.deepEqual(await told(`${of} --until 1d`), []);
  assert.equal((await told(`${of} --since 1d --person line`)).length, 7);
  await fails("audit list --since soon", /--since/);
  await fails("audit list --before x", /--before: must be the next of a page/);
  await fails("audit list --limit 0", /--limit must be from 1 to 1000/);
});

test("the last operator stays one; another is given a reset link, parted from app and provider, and taken out, by the command line", async (t) => {
  const { json, fails, pool } = await world(t);
  const add = (email: string) =>
    pool.query(
      "insert into people (id, email, name, password, operator) values (gen_random_uuid(), $1, 'O', 'x', true)",
      [email],
    );
  await add("olga@example.com");
  await fails("operator remove --email olga@example.com", /is the last operator/);
  await add("otto@example.com");
  const base = "--base-url https://admin.example.com";
  await fails(`operator reset-link --email eve@example.com ${base}`, /nobody has the address/);
  const reset = await json(`operator reset-link --email Otto@example.com ${base}`);
  assert.match(reset.link, /^https:\/\/admin\.example\.com\/reset\/[\w-]{43}$/);
  const opened = await showReset(createDatabase(pool), reset.link.slice(-43));
  assert.equal(opened.email, "otto@example.com");
  const { entries: made } = await json("audit list --object account.reset-link");
  assert.deepEqual([made[0].target, reset.email], ["otto@example.com", "otto@example.com"]);
  assert.ok(!JSON.stringify(made).includes(reset.link.slice(-43)));
  const remove = "operator remove-totp --email";
  await fails(`${remove} eve@example.com`, /nobody has the address/);
  await fails(`${remove} otto@example.com`, /--email this person has no two-factor/);
  await pool.query(
    `insert into person_totp (person_id, secret, confirmed_at)
     select id, 'x', now() from people where email = 'otto@example.com'`,
  );
  const listed = async () =>
    (await json("operator list")).map((one: { twoFactor: boolean }) => one.twoFactor);
  assert.deepEqual((await listed()).toSorted(), [false, true]);
  const gone = await json(`${remove} Otto@example.com`);
  assert.deepEqual(gone, { email: "otto@example.com", removed: true, sessionsEnded: 0 });
  assert.deepEqual(await listed(), [false, false]);
  const { entries: told } = await json("audit list --object account.two-factor-remove");
  assert.deepEqual([told.length, told[0].target], [1, "otto@example.com"]);
  const disconnect = "operator disconnect-identity --email";
  await fails(`${disconnect} eve@example.com`, /nobody has the address/);
  await fails(`${disconnect} otto@example.com`, /--email this person has no connected account/);
  await pool.query(
    `insert into person_identities (issuer, subject, person_id, by_hand, email)
     select 'https://login', email, id, true, email from people`,
  );
  const left = await json(`${disconnect} Otto@example.com`);
  const identity = { issuer: "https://login", email: "otto@example.com" };
  assert.deepEqual(left, { email: identity.email, disconnected: [identity], sessionsEnded: 0 });
  const { rows } = await pool.query("select subject from person_identities");
  assert.deepEqual(rows, [{ subject: "olga@example.com" }]);
  const { entries: parted } = await json("audit list --object account.identities-remove");
  assert.deepEqual(
    [parted.length, parted[0].target, parted[0].before],
    [1, identity.email, { identities: [identity] }],
  );
  const { link } = await json(`operator invite --email Oona@example.com ${base}`);
  await fails("operator withdraw --email eve@example.com", /nobody has an invitation/);
  const withdrawn = { email: "oona@example.com", withdrawn: true };
  assert.deepEqual(await json("operator withdraw --email Oona@example.com"), withdrawn);
  const door = acceptAsNewPerson(createDatabase(pool), link.split("/").at(-1), {
    ...{ email: "oona@example.com", name: "Oona", password: HASHED },
  });
  await assert.rejects(door, { name: "NotFound" });
  await fails("operator remove --email eve@example.com", /no operator "eve@example.com"/);
  assert.equal((await json("operator remove --email otto@example.com")).removed, true);
  const { entries } = await json("audit list --object operator.remove");
  assert.equal(entries[0].target, "otto@example.com");
});

test("users are listed page by page; a provider is put before the others once it is tested", async (t) => {
  const { json, fails, id, pool } = await world(t);
  const of = `--tenant ${id}`;
  for (const user of ["ann", "bob", "cleo"]) {
    await json(`user put ${of} --user ${user} --email ${user}@example.com`);
  }
  const names = ({ users }: { users: { userId: string }[] }) => users.map(({ userId }) => userId);
  const first = await json(`user list ${of} --limit 2`);
  assert.deepEqual([names(first), first.next], [["ann", "bob"], "bob"]);
  assert.equal(first.users[0].email, "ann@example.com");
  const last = await json(`user list ${of} --limit 2 --after ${first.next}`);
  assert.deepEqual([names(last), last.next], [["cleo"], undefined]);
  const found = await json(`user find BOB@ ${of}`);
  assert.deepEqual([names(found), found.more], [["bob"], false]);
  await fails("user list --tenant nobody", /no tenant has the id "nobody"/);
  await fails(`user list ${of} --limit 0`, /--limit must be from 1 to 1000/);

  const put = `provider put ${of} --channel EMAIL --kind sandbox --settings-file - --name`;
  await json(`${put} a`, "{}");
  await json(`${put} b`, "{}");
  const { id: c } = await json(`${put} c --position 2 --inactive`, "{}");
  const order = async () =>
    (await json(`provider list ${of}`)).map(({ name }: { name: string }) => name);
  assert.deepEqual(await order(), ["b", "a", "c"]);
  await fails(`provider make-first ${c}`, /must be tested first/);
  await fails(`provider make-first ${of} --channel EMAIL --name d`, /no .*provider/i);
  await json(`provider test ${c} --to ann@example.com`);
  const made = await json(`provider make-first ${c}`);
  assert.deepEqual([made.active, made.position], [true, 0]);
  assert.deepEqual(await order(), ["c", "b", "a"]);
  await json(`provider make-first ${of} --channel EMAIL --name a`);
  assert.deepEqual(await order(), ["a", "c", "b"]);
  const { rows } = await pool.query(
    "select target from audit_log where action = 'provider.make-first' order by id",
  );
  assert.deepEqual(rows, [{ target: "EMAIL sandbox c" }, { target: "EMAIL sandbox a" }]);
});

test("an event is sent again, templates are tested, and a layout is restored by the command line", async (t) => {
  const { json, fails, id, pool, prefix } = await world(t);
  const of = `--tenant ${id}`;
  const told = await heardBelow(t, prefix);

  const row = { tenant_id: id, event_type: "order.confirmed", variables: '{"name":"Ann"}' };
  const event = await anEvent(pool, { ...row, envelope: '{"cc":["c@example.com"]}' });
  const { newEvent } = await json(`event resend ${event} ${of}`);
  assert.notEqual(newEvent, event);
  await eventually(() => told.length === 1);
  assert.equal(told[0]?.subject, `${prefix}.events.express`);
  assert.match(told[0]?.string() ?? "", new RegExp(newEvent));
  const { rows } = await pool.query(
    "select user_id, variables::text, envelope from events where id = $1",
    [newEvent],
  );
  const envelope = { cc: ["c@example.com"] };
  assert.deepEqual(rows, [{ user_id: "ann", variables: '{"name":"Ann"}', envelope }]);
  assert.deepEqual((await json(`event show ${newEvent} ${of}`)).email, envelope);
  await fails(`event resend ${event} --tenant other`, /no such event/);

  const push = `${of} --event-type order.confirmed --channel PUSH`;
  await json(`template put ${push} --title Hello --content-file -`, "Dear {{ name }}");
  const test = `template test ${push} --to ann --variables-file -`;
  const inApp = await json(test, '{"name":"Ann"}');
  assert.deepEqual([inApp.userId, inApp.published], ["ann", true]);
  await eventually(() => told.length === 2);
  assert.match(told[1]?.subject ?? "", /\.realtime\./);
  assert.match(told[1]?.string() ?? "", /Test: Hello.*Dear Ann/s);

  const mail = `${of} --event-type order.confirmed --channel EMAIL`;
  await json(
    `template put ${mail} --subject Hello --format text --content-file -`,
    "Dear {{ name }}",
  );
  const toMail = `template test ${mail} --to ann@example.com`;
  await fails(toMail, /--to cannot be reached: no active provider/);
  await json(`provider put ${of} --channel EMAIL --kind sandbox --settings-file -`, "{}");
  assert.equal((await json(toMail)).class, "accepted");
  const [sent] = await json(`outbox list ${of}`);
  assert.deepEqual([sent.to, sent.subject], ["ann@example.com", "Hello"]);
  await fails(`template test ${mail} --to nobody`, /--to must be/);

  const bring = `suppression import ${of} --channel EMAIL --file -`;
  await fails(bring, /^error: --file line 2: must be /, "eve@example.com\nnobody\n");
  const brought = await json(`${bring} --leave-out-bad`, "eve@example.com\nnobody\n");
  assert.deepEqual([brought.added, brought.leftOut], [1, 1]);

  await json(`layout put ${of} --primary-color #112233`);
  await json(`layout put ${of} --primary-color #445566`);
  const restored = await json(`layout restore ${of} --version 1`);
  assert.deepEqual([restored.version, restored.primaryColor], [3, "#112233"]);
  const { entries } = await json(`audit list ${of}`);
  assert.deepEqual(
    entries
      .map(({ action }: { action: string }) => action)
      .filter((one: string) => /resend|test|restore|import/.test(one)),
    ["layout.restore", "suppression.import", "template.test", "template.test", "event.resend"],
  );
});
