import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { createTestDatabase } from "@belfry/testing/postgres";
import { createHome } from "../test/home.ts";
import { runBelfryProcess } from "../test/run-belfry.ts";

/** In a home without a database. */
const withoutDatabase = { env: { DATABASE_URL: "" } };

async function createTenant(t: TestContext) {
  const belfry = await createHome(t);
  const { id } = await belfry.json("tenant create --name Acme");
  return { belfry, tenant: id as string };
}

test("a tenant's life: create, list, show, update, rotate, deactivate, activate, delete", async (t) => {
  const belfry = await createHome(t);
  const secret = await belfry.file("secret", "hush\n");
  const created = await belfry.json(
    `tenant create --name Acme --key-name shop --per-minute 30 --daily-cap none --channels EMAIL,PUSH --dedup-includes-variables --webhook-secret-file ${secret}`,
  );
  assert.match(created.apiKey, /^bf_/);
  const { id, apiKey, ...rest } = created;
  assert.deepEqual(
    [rest.perMinute, rest.dailyCap, rest.deliveryChannels, rest.dedupIncludesVariables],
    [30, null, ["EMAIL", "PUSH"], true],
  );
  assert.deepEqual([rest.active, rest.webhookSecret], [true, true]);
  assert.deepEqual(await belfry.json(["tenant", "list"]), [{ id, ...rest }]);
  assert.deepEqual(await belfry.json(["tenant", "show", id]), { id, ...rest });

  const update = ["tenant", "update", id];
  const updated = await belfry.json(
    `${update.join(" ")} --daily-cap 9 --channels all --no-dedup-includes-variables --no-webhook-secret`,
  );
  assert.deepEqual([updated.perMinute, updated.dailyCap, updated.deliveryChannels], [30, 9, []]);
  assert.deepEqual([updated.dedupIncludesVariables, updated.webhookSecret], [false, false]);
  const unchanged = await belfry.json([...update, "--name", "Acme 2"]);
  assert.deepEqual({ ...unchanged, updatedAt: "" }, { ...updated, name: "Acme 2", updatedAt: "" });

  const apps = await belfry.json([...update, "--link-schemes", "myapp, Shop"]);
  assert.deepEqual(apps.linkSchemes, ["myapp", "shop"]);
  assert.deepEqual((await belfry.json([...update, "--link-schemes", "none"])).linkSchemes, []);
  const signed = await belfry.json(
    ["tenant", "rotate-webhook-secret", id, "--webhook-secret-file", "-"],
    "hush hush",
  );
  assert.deepEqual([signed.webhookSecret, signed.previousWebhookSecretUntil], [true, null]);
  const overlap = ["--webhook-secret-file", "-", "--overlap-seconds", "3600"];
  const both = await belfry.json(
    ["tenant", "rotate-webhook-secret", id, ...overlap],
    "hush once more",
  );
  assert.ok(Date.parse(both.previousWebhookSecretUntil) > Date.now() + 3_500_000);
  const rotate = ["tenant", "rotate-key", id, "--overlap-seconds", "60"];
  const rotated = await belfry.json(rotate);
  assert.notEqual(rotated.apiKey, apiKey);
  const namesOf = (tenant: { apiKeys: { name: string | null }[] }) =>
    tenant.apiKeys.map(({ name }) => name);
  assert.deepEqual(namesOf(rotated), ["shop", "shop"]);
  const renamed = await belfry.json([...rotate, "--name", "new shop"]);
  assert.deepEqual(namesOf(renamed), ["new shop", "shop", "shop"]);
  await belfry.fails([...rotate, "--name", "x\ny"], /--name must not contain control characters/);
  assert.equal((await belfry.json(["tenant", "deactivate", id])).active, false);
  assert.equal((await belfry.json(["tenant", "activate", id])).active, true);
  assert.equal((await belfry.json(["tenant", "delete", id])).id, id);
  assert.deepEqual(await belfry.json(["tenant", "list"]), []);
});

test("a tenant's retention is set in days, put back to the default, and refused with its flag's name", async (t) => {
  const belfry = await createHome(t);
  const create = ["tenant", "create", "--name", "Acme", "--event-retention-days"];
  const created = await belfry.json([...create, "7"]);
  assert.deepEqual([created.eventRetentionDays, created.notificationRetentionDays], [7, null]);
  const update = ["tenant", "update", created.id];
  const flags = ["--event-retention-days", "default", "--notification-retention-days", "365"];
  const updated = await belfry.json([...update, ...flags]);
  assert.deepEqual([updated.eventRetentionDays, updated.notificationRetentionDays], [null, 365]);
  await belfry.fails(
    [...update, "--notification-retention-days", "3651"],
    /--notification-retention-days must be an integer from 1 to 3650/,
  );
  await belfry.fails([...create, "soon"], /--event-retention-days.*whole number, or def/);
});

test("a template's life: put, list, show, deactivate, activate, preview, delete", async (t) => {
  const { belfry, tenant } = await createTenant(t);
  const key = ["--tenant", tenant, "--event-type", "order.confirmed", "--channel", "PUSH"];
  const flags =
    "--target-channel orders --sensitive --at-most-once --expires-after-seconds 300 --inactive";
  const put = await belfry.json(
    [
      "template",
      "put",
      ...key,
      "--content-file",
      "-",
      "--title",
      "Hi {{name}}",
      ...flags.split(" "),
    ],
    "Order {{id}}\n",
  );
  assert.deepEqual(
    [put.version, put.active, put.sensitive, put.targetChannel, put.variables],
    [1, false, true, "orders", ["name", "id"]],
  );
  assert.deepEqual([put.atMostOnce, put.expiresAfterSeconds], [true, 300]);
  const [listed] = await belfry.json(["template", "list", "--tenant", tenant]);
  assert.equal(listed.id, put.id);
  assert.equal((await belfry.json(["template", "activate", ...key])).active, true);
  assert.equal((await belfry.json(["template", "deactivate", put.id])).active, false);
  assert.equal((await belfry.json(["template", "show", ...key])).content, "Order {{id}}\n");
  const variables = await belfry.file("variables.json", '{"name":"Ann"}');
  const preview = ["template", "preview", ...key, "--variables-file", variables];
  assert.deepEqual(await belfry.json(preview), {
    channel: "PUSH",
    title: "Hi Ann",
    body: "Order ",
    missing: ["id"],
  });
  const draft = await belfry.json(
    `template preview --channel SMS --content-file - --variables-file ${variables}`,
    "Dear {{name}}",
  );
  assert.deepEqual([draft.text, draft.segments], ["Dear Ann", 1]);
  assert.equal((await belfry.json(["template", "delete", ...key])).id, put.id);
  assert.deepEqual(await belfry.json(["template", "list", "--tenant", tenant]), []);
  assert.equal((await belfry.json(["template", "list", "--tenant", "platform"])).length, 18);
});

test("a provider's life: put, list, show, deactivate, activate, delete, and no secret is printed", async (t) => {
  const { belfry, tenant } = await createTenant(t);
  const key = ["--tenant", tenant, "--channel", "EMAIL"];
  const put = ["provider", "put", ...key, "--kind", "sendgrid", "--settings-file", "-"];
  const settings = { apiKey: "SG.a-long-api-key-of-sendgrid", from: "a@example.com" };
  const provider = await belfry.json([...put, "--inactive"], JSON.stringify(settings));
  assert.deepEqual([provider.active, provider.settings.apiKey], [false, "•••• grid"]);
  assert.equal((await belfry.json(["provider", "activate", ...key])).active, true);
  assert.equal((await belfry.json(["provider", "deactivate", provider.id])).active, false);
  assert.equal(
    (await belfry.json(["provider", "show", ...key, "--kind", "sendgrid"])).id,
    provider.id,
  );
  assert.equal((await belfry.json(["provider", "list", "--tenant", tenant])).length, 1);
  assert.equal((await belfry.json(["provider", "delete", ...key])).id, provider.id);

  await belfry.fails(put, /--settings-file.*not JSON/, '{"apiKey":"SG.secret"');
  await belfry.fails(put, /--settings-file.*from/, '{"apiKey":"SG.secret"}');
  await belfry.fails(put, /SECRETS_KEYS/, JSON.stringify(settings), { SECRETS_KEYS: "nonsense" });
  await belfry.fails(put, /SECRETS_KEYS/, JSON.stringify(settings), { SECRETS_KEYS: "" });
});

test("several accounts of one kind are told apart by name, in the order that is said", async (t) => {
  const { belfry, tenant } = await createTenant(t);
  const key = ["--tenant", tenant, "--channel", "EMAIL"];
  const put = (...more: string[]) =>
    ["provider", "put", ...key, "--kind", "sandbox", "--settings-file", "-", ...more] as string[];
  const first = await belfry.json(put("--name", "first", "--max-per-second", "30"), "{}");
  assert.deepEqual([first.name, first.maxPerSecond, first.position], ["first", 30, 0]);
  await belfry.json(put("--name", "second"), "{}");
  await belfry.json(put("--name", "last", "--position", "9"), "{}");
  const again = await belfry.json(
    put("--name", "first", "--position", "0", "--max-per-second", "none"),
    "{}",
  );
  assert.deepEqual([again.id, again.maxPerSecond], [first.id, null]);
  const list = await belfry.json(["provider", "list", "--tenant", tenant]);
  assertEach(list, (provider: { name: string }) => provider.name, ["first", "second", "last"]);
  const show = ["provider", "show", ...key];
  await belfry.fails(show, /--kind must say which/);
  await belfry.fails([...show, "--kind", "sandbox"], /--name must say which/);
  assert.equal((await belfry.json([...show, "--name", "first"])).id, first.id);
  await belfry.fails([...show, "--name", "nobody"], /--name/);
  await belfry.fails(put("--max-per-second", "0"), /--max-per-second/, "{}");

  const rename = ["provider", "rename", ...key, "--name", "first", "--new-name"];
  await belfry.fails([...rename, "second"], /--new-name is taken by another account/);
  const renamed = await belfry.json([...rename, "primary"]);
  assert.deepEqual([renamed.id, renamed.name], [first.id, "primary"]);
});

test("provider test sends one message through the stored settings and prints the vendor's answer", async (t) => {
  const { belfry, tenant } = await createTenant(t);
  const key = ["--tenant", tenant, "--channel", "SMS"];
  await belfry.json(["provider", "put", ...key, "--kind", "sandbox", "--settings-file", "-"], "{}");
  const sent = await belfry.json(["provider", "test", ...key, "--to", "+12025550123"]);
  assert.deepEqual([sent.kind, sent.class], ["sandbox", "accepted"]);
  const [message] = await belfry.json(["outbox", "list", "--tenant", tenant]);
  assert.deepEqual([message.id, message.to], [sent.messageId, "+12025550123"]);
  await belfry.fails(["provider", "test", ...key, "--to", "nobody"], /--to/);
  await belfry.fails(["provider", "test", ...key], /--to/);
});

test("operators are invited by a link of the Admin UI: the first without a name, later ones by their address", async (t) => {
  const belfry = await createHome(t);
  await belfry.fails(["operator", "invite"], /--base-url.*ADMIN_BASE_URL/);
  await belfry.fails(["operator", "invite", "--base-url", "x"], /--base-url: must be/);
  const invite = ["operator", "invite", "--base-url", "https://admin.example.com/"];
  const first = await belfry.json(invite);
  assert.match(first.link, /^https:\/\/admin\.example\.com\/join\/[\w-]{43}$/);
  assert.deepEqual([first.email, first.role], [null, "operator"]);
  const hours = (Date.parse(first.expiresAt) - Date.now()) / 3_600_000;
  assert.ok(hours > 23 && hours <= 24, `${hours} h`);

  const { pool } = belfry;
  await pool.query(
    "insert into people (id, email, name, password, operator) values (gen_random_uuid(), 'olga@example.com', 'Olga', 'x', true)",
  );
  const [olga] = await belfry.json(["operator", "list"]);
  assert.deepEqual([olga.email, olga.password], ["olga@example.com", undefined]);
  await belfry.fails(invite, /--email: say whom/);
  await belfry.fails([...invite, "--email", "nobody"], /--email must be an email address/);
  await belfry.file("local.json", JSON.stringify({ adminUrl: "http://127.0.0.1:3002" }));
  const next = await belfry.json(["operator", "invite", "--email", "Otto@Example.com"]);
  assert.match(next.link, /^http:\/\/127\.0\.0\.1:3002\/join\//);
  assert.equal(next.email, "otto@example.com");
  const { rows } = await pool.query("select person, action, target from audit_log");
  assert.match(rows[0].person, /^command line \(/);
  assert.deepEqual([rows.length, rows[0].action], [1, "operator.invite"]);
});

test("addresses are suppressed and freed, one by one or from a file", async (t) => {
  const { belfry, tenant } = await createTenant(t);
  const run = (name: string, ...more: string[]) =>
    ["suppression", name, "--tenant", tenant, ...more] as string[];
  const email = ["--channel", "EMAIL"];
  assert.deepEqual(await belfry.json(run("list")), []);
  const file = await belfry.file("addresses", "ann@example.com\r\n\nBob@example.com\n");
  assert.equal((await belfry.json(run("add", ...email, "--address-file", file))).added, 2);
  const [first, second] = await belfry.json(run("list", ...email));
  assert.deepEqual([first.address, second.address], ["ann@example.com", "bob@example.com"]);
  assert.equal(first.reason, "by hand");
  const remove = run("remove", ...email, "--address", "ANN@example.com");
  assert.equal((await belfry.json(remove)).removed, 1);
  assert.equal((await belfry.json(run("list"))).length, 1);
  await belfry.fails(run("add", ...email), /--address/);
  await belfry.fails(run("add", ...email, "--address", "nobody"), /--address.*nobody/);
  await belfry.fails(run("add", "--channel", "PUSH", "--address", "a@b.cc"), /--channel/);
});

test("dead letters are listed, shown, replayed and discarded, by id or by filter", async (t) => {
  const { belfry, tenant } = await createTenant(t);
  await belfry.pool.query(
    `with e as (
       insert into events (id, tenant_id, event_type, user_id, variables, trace_id, accepted_at, dispatched_at)
       select gen_random_uuid(), $1, 'order', 'ann', '{}', 't', now(), now() from generate_series(1, 3) returning id)
     insert into deliveries (id, event_id, tenant_id, channel, status, reason, template_version_id, settled_at)
     select gen_random_uuid(), e.id, $1, 'EMAIL', 'failed', 'HTTP 500', (select min(id) from template_versions), now()
     from e`,
    [tenant],
  );
  const list = ["dead", "list", "--tenant", tenant, "--class", "untried", "--since", "1h"];
  const [group] = await belfry.json(list);
  assert.deepEqual([group.count, group.channel, group.examples.length], [3, "EMAIL", 3]);
  const id = group.examples[0].id;
  const shown = await belfry.json(["dead", "show", id]);
  assert.deepEqual([shown.status, shown.reason, shown.replayable], ["failed", "HTTP 500", true]);
  assert.equal((await belfry.json(["dead", "replay", "--tenant", tenant, "--dry-run"])).count, 3);
  assert.deepEqual((await belfry.json(["dead", "replay", id])).ids, [id]);
  const discard = ["dead", "discard", "--tenant", tenant, "--until", "2999-01-01T00:00:00Z"];
  assert.equal((await belfry.json(discard)).count, 2);
  assert.deepEqual(await belfry.json(["dead", "list"]), []);
  await belfry.fails(["dead", "replay"], /--all/);
  await belfry.fails(["dead", "replay", id, "--class", "expired"], /not both/);
  await belfry.fails(["dead", "list", "--class", "sad"], /--class/);
  await belfry.fails(["dead", "list", "--since", "yesterday"], /--since/);
  await belfry.fails(["dead", "show", "nothing"], /nothing/);
});

test("what is wrong goes to standard error with exit code 1 and names the flag", async (t) => {
  const { belfry, tenant: id } = await createTenant(t);
  const key = ["--tenant", id, "--event-type", "a", "--channel"];
  const put = ["template", "put", ...key];
  const cases: [string[], RegExp, string?][] = [
    [["tenant", "create"], /--name/],
    [["tenant", "create", "--name", ""], /--name should not be empty/],
    [["tenant", "create", "--name", "A", "--per-minute", "many"], /--per-minute/],
    [["tenant", "create", "--name", "A", "--daily-cap", "-1"], /--daily-cap/],
    [["tenant", "create", "--name", "A", "--channels", "FAX"], /--channels/],
    [
      ["tenant", "create", "--name", "A", "--webhook-secret-file", "gone"],
      /--webhook-secret-file.*gone/,
    ],
    [["tenant", "create", "--name", "A", "--surprise"], /--surprise/],
    [["tenant", "show", "nobody"], /nobody/],
    [["tenant", "rotate-key", id, "--overlap-seconds", "99999999"], /--overlap-seconds/],
    [[...put, "FAX", "--content-file", "-"], /--channel/],
    [[...put, "EMAIL", "--content-file", "-"], /--subject/, "x"],
    [[...put, "SMS", "--content-file", "-"], /--content-file line 1, column 4/, "Hi {{"],
    [[...put, "SMS", "--content-file", "-", "--target-channel", "x"], /--target-channel/, "x"],
    [["template", "list", "--tenant", "nobody"], /--tenant/],
    [["template", "show", "--tenant", id], /--event-type/],
    [["provider", "show", "--tenant", id, "--channel", "PUSH"], /--channel/],
    [["event", "show", "1001"], /1001/],
    [["outbox", "list", "--tenant", "nobody"], /--tenant/],
    [["outbox", "show", "nothing"], /nothing/],
    [["sms", "inbound", "list", "--tenant", "nobody"], /--tenant/],
    [["sms", "inbound", "list", "--tenant", id, "--number", "0123"], /--number/],
    [["nonsense"], /nonsense/],
  ];
  for (const [args, told, input] of cases) await belfry.fails(args, told, input);
});

test("every command explains itself with --help on standard output, without a database", async (t) => {
  const belfry = await createHome(t, withoutDatabase);
  const commands = [
    ...["", "tenant", "tenant create", "tenant rotate-webhook-secret", "operator invite"],
    ...["template put", "template preview", "template publish", "template draft discard"],
    ...["template import", "layout put", "provider put", "event show", "outbox list"],
    ...["dead replay", "suppression add", "sms inbound list", "migrate", "stop"],
  ];
  for (const command of commands) {
    const { code, out, err } = await belfry.run(`${command} --help`.trim());
    assert.deepEqual([code, err], [0, ""], command);
    assert.match(out, /^Usage: belfry/);
  }
});

test("the database and keys of the local stack are found in its home folder", async (t) => {
  const belfry = await createHome(t, { start: runBelfryProcess });
  const none = { DATABASE_URL: "", SECRETS_KEYS: "" };
  await belfry.fails("tenant list", /DATABASE_URL.*local\.json/, "", none);
  await belfry.file("local.json", JSON.stringify({ databaseUrl: belfry.url }));
  await belfry.file(
    "keys.json",
    JSON.stringify({ secretsKeys: `k1:${randomBytes(32).toString("base64")}` }),
  );
  const args = ["tenant", "create", "--name", "A", "--webhook-secret-file", "-"];
  const { id } = await belfry.json(args, "hush", none);
  // The local stack's providers may be on this machine.
  const put = `provider put --tenant ${id} --channel EMAIL --kind sendgrid --settings-file -`;
  const settings = JSON.stringify({
    apiKey: "SG.x",
    from: "a@example.com",
    baseUrl: "http://127.0.0.1:9",
  });
  await belfry.json(put, settings, none);
  await belfry.file("local.json", "{}");
  await belfry.fails(put, /baseUrl/, settings);
});

test("the outbox of a tenant without messages is an empty list", async (t) => {
  const { belfry, tenant: id } = await createTenant(t);
  assert.deepEqual(await belfry.json(["outbox", "list", "--tenant", id]), []);
});

test("migrate brings an empty database to the newest schema, and says that nothing is left to do", async (t) => {
  const belfry = await createHome(t, withoutDatabase);
  const { url } = await createTestDatabase(t, "template0");
  const env = { DATABASE_URL: url };
  await belfry.fails("tenant list", /belfry migrate/, "", env);
  const first = await belfry.json("migrate", "", env);
  assert.ok(first.migrations.includes("0002-platform-templates"));
  assert.deepEqual((await belfry.json("migrate", "", env)).migrations, []);
  assert.deepEqual(await belfry.json("tenant list", "", env), []);
});

test("a database that cannot be reached is named, its password is not", async (t) => {
  const belfry = await createHome(t, { ...withoutDatabase, start: runBelfryProcess });
  await belfry.fails("tenant list", /^(?!.*pa55word).*cannot reach the database/s, "", {
    DATABASE_URL: "postgres://someone:pa55word@127.0.0.1:1/x",
  });
});

test("stop ends the local stack and waits until it is gone; it says when none runs", async (t) => {
  const belfry = await createHome(t, withoutDatabase);
  assert.equal((await belfry.json(["stop"])).stopped, false);
  // A process that looks like the stack and takes its time to end.
  const folder = join(belfry.home, "deploy", "local");
  await mkdir(folder, { recursive: true });
  const script = join(folder, "stack.ts");
  await writeFile(
    script,
    `process.on("SIGTERM", () => setTimeout(() => process.exit(0), 300));
     setInterval(() => {}, 1000);
     console.log("up");`,
  );
  const stack = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "ignore"] });
  t.after(() => stack.kill("SIGKILL"));
  await once(stack.stdout, "data");
  await belfry.file("stack.json", JSON.stringify({ pid: stack.pid }));
  assert.deepEqual(await belfry.json(["stop"]), { stopped: true, pid: stack.pid });
  if (stack.exitCode === null) await once(stack, "exit");
  assert.deepEqual([stack.exitCode, stack.signalCode], [0, null]);
});

test("stop leaves alone a process that took over the id of a stack that is gone", async (t) => {
  const belfry = await createHome(t, withoutDatabase);
  const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  t.after(() => other.kill("SIGKILL"));
  await belfry.file("stack.json", JSON.stringify({ pid: other.pid }));
  assert.equal((await belfry.json(["stop"])).stopped, false);
  assert.deepEqual([other.exitCode, other.signalCode], [null, null]);
});
