import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { refusal, testDatabase } from "../../test/database.ts";
import { verifyPassword } from "../people/password.ts";
import { personForSignIn } from "../people/person-rows.ts";
import { bootstrap } from "./bootstrap.ts";

const API_KEY = `bf_${"aB3".repeat(13)}x`;
const FILE = {
  tenant: { name: "Acme", apiKey: API_KEY },
  operator: { email: "Olga@example.com", name: "Olga", password: "correct horse battery" },
};

test("of replicas that start at once one makes the first tenant and operator; later starts change nothing", async (t) => {
  const db = await testDatabase(t);
  const made = await Promise.all([1, 2, 3].map(() => bootstrap(db, JSON.stringify(FILE))));
  assert.equal(made.filter(({ tenantId }) => tenantId !== undefined).length, 1);
  assert.equal(made.filter(({ operator }) => operator === "olga@example.com").length, 1);
  const keys = await db.selectFrom("api_keys").selectAll().execute();
  assert.equal(keys.length, 1);
  assert.ok(keys[0]?.sha256.equals(hash("sha256", API_KEY, "buffer")));
  assert.equal(keys[0]?.prefix, API_KEY.slice(0, 9));
  const person = await personForSignIn(db, "olga@example.com");
  const { password } = FILE.operator;
  assert.ok(await verifyPassword(password, person?.password ?? undefined, { network: "test" }));
  const other = { ...FILE, tenant: { ...FILE.tenant, name: "Other" } };
  assert.deepEqual(await bootstrap(db, `\ufeff${JSON.stringify(other)}`), {}, "from Windows");
  const log = await db.selectFrom("audit_log").selectAll().orderBy("id").execute();
  assert.deepEqual(
    log.map(({ action, person: by }) => [action, by]),
    [
      ["tenant.create", "BOOTSTRAP_FILE"],
      ["member.join", "BOOTSTRAP_FILE"],
    ],
  );
  const told = JSON.stringify([made, log]);
  assert.ok(!told.includes(API_KEY.slice(9)) && !told.includes(password));
});

test("a malformed file is refused by its field and rule, and makes nothing; no secret is in the words", async (t) => {
  const db = await testDatabase(t);
  const messageOf = async (json: string) => (await refusal(bootstrap(db, json))).message;
  assert.equal(await messageOf("{ secret"), "the file must be JSON");
  assert.equal(await messageOf("[]"), "the file must be an object");
  const wrong = {
    tenant: { name: "", apiKey: "bf_secret" },
    operator: { email: "nobody", name: "Olga", password: "short" },
  };
  assert.equal(
    await messageOf(JSON.stringify(wrong)),
    [
      "tenant.name should not be empty",
      "tenant.apiKey must be bf_ and 40 letters and digits",
      "operator.email must be an email address",
      "operator.password must be at least 12 characters",
    ].join("\n"),
  );
  assert.deepEqual(await db.selectFrom("tenants").select("id").execute(), []);
});
