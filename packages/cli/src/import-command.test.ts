import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { workImports } from "@belfry/administration/users/work-imports";
import { createDatabase, type Pool } from "@belfry/database/connection";
import { eventually } from "@belfry/testing/eventually";
import { createHome } from "../test/home.ts";

/** More than fits into two parts. */
const MANY = 90_000;
const LINES = Array.from({ length: MANY }, (_, n) => `user-😀${n}`).join("\r\n");

async function work(pool: Pool) {
  const db = createDatabase(pool);
  return await workImports({ db, rest: async () => undefined }, new AbortController().signal);
}

test("a file of any length is imported, its progress told until it is done", async (t) => {
  const { run, json, fails, file, pool, entries } = await createHome(t);
  const { id } = await createTenant(createDatabase(pool), { name: "Acme" });
  const of = `--tenant ${id}`;
  await file("members.csv", `\ufeffuserId\r\n${LINES}`);
  const start = "--kind members --topic news --file members.csv";
  const begun = await json(`import start ${of} ${start} --no-wait`);
  assert.deepEqual([begun.state, begun.lines, begun.parts], ["waiting", MANY, 3]);
  await json(`import cancel ${of} ${begun.id}`);

  const waiting = run(
    `import start ${of} --kind users --file -`,
    "userId,email,lcoale\nann,a@x.de,de\nb,?,\n",
  );
  await eventually(async () => assert.ok((await work(pool)) > 0));
  const { code, out, err } = await waiting;
  const done = JSON.parse(out);
  assert.deepEqual([code, done.state, done.added, done.leftOut], [0, "done", 1, 1]);
  assert.deepEqual(done.faults, [{ line: 3, field: "email", message: "must be an email address" }]);
  assert.match(
    err,
    /^the column "lcoale" is not read: did you mean locale\?\n(0 of 2 lines\n)?2 of 2 lines\n$/,
  );
  assert.deepEqual(await json(`import show ${of} ${done.id}`), done);
  const listed = await json(`import list ${of}`);
  assert.deepEqual(
    listed.map(({ state }: { state: string }) => state),
    ["done", "cancelled"],
  );

  const stopped = run(`import start ${of} ${start}`);
  await eventually(async () => {
    const { rows } = await pool.query("select id from imports where state = 'waiting'");
    assert.equal(rows.length, 1);
    await json(`import cancel ${of} ${rows[0].id}`);
  });
  const { code: failed, err: told } = await stopped;
  assert.equal(failed, 1);
  assert.match(told, /the import has ended: it is cancelled/);
  await fails(`import start ${of} --kind users --file none.csv`, /--file: cannot read none.csv/);
  await fails(
    `import start ${of} --kind users --file members.csv --topic a`,
    /--topic is for members/,
  );
  const actions = (await entries()).map((entry) => entry.told);
  assert.deepEqual(actions, [
    "import.start members of news",
    "import.cancel members of news",
    "import.start users",
    "import.done users",
    "import.start members of news",
    "import.cancel members of news",
  ]);
});

test("of a file that is no text to its end nothing is written", async (t) => {
  const { fails, pool, home } = await createHome(t);
  const { id } = await createTenant(createDatabase(pool), { name: "Acme" });
  const bytes = Buffer.concat([Buffer.from(`userId\r\n${LINES}\r\n`), Buffer.from([0xff, 0x0a])]);
  await writeFile(join(home, "bad.csv"), bytes);
  const start = `import start --tenant ${id} --kind members --topic news --file bad.csv`;
  await fails(start, /--file: must be UTF-8: line \d+, or one after it, is not/);
  await work(pool);
  const { rows } = await pool.query(
    "select state, (select count(*)::integer from topic_members) as members from imports",
  );
  assert.deepEqual(rows, [{ state: "cancelled", members: 0 }]);
});
