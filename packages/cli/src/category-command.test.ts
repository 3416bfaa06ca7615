import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { assertEach } from "@belfry/testing/assert-each";
import { createHome } from "../test/home.ts";

const TENANT = ["--tenant", "acme"];
const ANN = [...TENANT, "--user", "ann"];

async function world(t: TestContext) {
  const home = await createHome(t);
  await home.pool.query("insert into tenants (id, name, per_minute) values ('acme', 'Acme', 60)");
  return home;
}

test("categories are put, listed, assigned and deleted, and what is left out stays as it is", async (t) => {
  const { json, fails } = await world(t);
  const put = ["category", "put", ...TENANT, "--key"];
  await json([...put, ..."offers --label Offers --label-in de=Angebote --default off".split(" ")]);
  const again = await json([...put, "offers", "--description", "Twice a month", "--position", "3"]);
  assert.deepEqual(again, {
    ...{ key: "offers", label: { "": "Offers", de: "Angebote" } },
    ...{ description: { "": "Twice a month" }, required: false, defaultOn: false, position: 3 },
    eventTypes: [],
  });
  const security = await json([...put, "security", "--label", "Security", "--required"]);
  assert.deepEqual([security.required, security.defaultOn], [true, true]);
  assert.equal((await json([...put, "security"])).required, true);
  assert.equal((await json([...put, "security", "--no-required"])).required, false);

  const assign = ["category", "assign", ...TENANT, "--event-type", "sale"];
  assert.deepEqual(await json([...assign, "--category", "offers"]), {
    ...{ eventType: "sale", category: "offers" },
  });
  const list = await json(["category", "list", ...TENANT]);
  assertEach(
    list,
    ({ key, eventTypes }: { key: string; eventTypes: string[] }) => [key, eventTypes],
    [
      ["security", []],
      ["offers", ["sale"]],
    ],
  );
  const remove = ["category", "delete", ...TENANT, "--key", "offers"];
  await fails(remove, /--key is the category of sale/);
  await json([...assign, "--no-category"]);
  assert.equal((await json(remove)).key, "offers");

  await fails([...put, "Offers!", "--label", "x"], /--key must be 1 to 64/);
  await fails([...put, "new"], /--label must name the category/);
  await fails([...put, "new", "--label", "x", "--default", "maybe"], /--default.*on or off/);
  await fails([...put, "new", "--label", "x", "--label-in", "Angebote"], /--label-in.*de=Angebote/);
  await fails(assign, /--category: give --category, or --no-category/);
  await fails([...assign, "--category", "gone"], /--category: the tenant has no category "gone"/);
  await fails(["category", "list", "--tenant", "nobody"], /--tenant: no tenant/);
});

test("a user is put and shown, and its preferences are set and shown", async (t) => {
  const { json, fails } = await world(t);
  const flags =
    "--email ann@example.com --phone +12025550123 --locale de-at --timezone Europe/Vienna";
  const put = ["user", "put", ...ANN];
  const user = await json([...put, ...flags.split(" "), "--quiet-hours", "22:00-06:00"]);
  assert.deepEqual([user.locale, user.quietHours], ["de-AT", { from: "22:00", to: "06:00" }]);
  assert.deepEqual(await json(["user", "show", ...ANN]), user);
  const fewer = await json([...put, "--timezone", "UTC", "--quiet-hours", "none"]);
  assert.deepEqual([fewer.email, fewer.timezone, fewer.quietHours], [null, "UTC", null]);
  const tenant = ["tenant", "update", "acme", "--quiet-hours"];
  const hours = { from: "21:00", to: "07:30" };
  assert.deepEqual((await json([...tenant, "21:00-07:30"])).quietHours, hours);
  assert.equal((await json([...tenant, "none"])).quietHours, null);
  await fails([...put, "--email", "ann"], /--email must be an email address/);
  await fails([...put, "--timezone", "Vienna"], /--timezone must be a time zone/);
  await fails([...put, "--quiet-hours", "22:00"], /--quiet-hours.*22:00-06:00/);
  await fails(["user", "show", ...TENANT, "--user", "bob"], /--user: the tenant has not named/);

  await json(["category", "put", ...TENANT, "--key", "offers", "--label", "Offers"]);
  const set = ["user", "preference", "set", ...ANN, "--channel", "EMAIL", "--category"];
  const off = await json([...set, "offers", "--enabled", "off"]);
  assert.deepEqual([off.preferences[0].enabled, off.preferences[0].source], [false, "by hand"]);
  assert.deepEqual(await json(["user", "preferences", ...ANN]), off);
  assert.deepEqual((await json([...set, "offers", "--enabled", "default"])).preferences, []);
  await fails([...set, "gone", "--enabled", "on"], /--category must be \* or the key/);
  await fails([...set, "offers", "--enabled", "no"], /--enabled.*on, off or default/);
});

test("unsubscribes of another system are imported, from a file or standard input, whole or not at all", async (t) => {
  const { json, fails, file, pool } = await world(t);
  await json(["category", "put", ...TENANT, "--key", "offers", "--label", "Offers"]);
  await file("list.csv", "user,category,channel\nann,offers,EMAIL\nbob,*,*\n");
  const from = ["user", "import", ...TENANT, "--file"];
  const first = { lines: 2, turnedOff: 2, alreadyOff: 0, ignoredColumns: [] };
  assert.deepEqual(await json([...from, "list.csv"]), first);
  assert.deepEqual(await json([...from, "-"], "carl,offers,SMS\n"), {
    ...first,
    lines: 1,
    turnedOff: 1,
  });
  await fails(
    [...from, "-"],
    /--file line 2: category must be .*"ofers"\nerror: --file line 3: must have three columns/,
    "dora,offers,SMS\ndora,ofers,SMS\ndora\n",
  );
  const { rows } = await pool.query("select user_id from preferences order by 1");
  assertEach(rows, ({ user_id }) => user_id, ["ann", "bob", "carl"]);
  await fails([...from, "nothing.csv"], /--file: cannot read nothing.csv: there is no such file/);
  await fails([...from, "."], /--file: cannot read \.: it is a folder/);
});
