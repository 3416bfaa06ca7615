import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { Act } from "@belfry/administration/act";
import { allActs } from "@belfry/administration/acts";
import { eraseUserNow } from "@belfry/administration/erasure/erasures";
import { putTemplate } from "@belfry/administration/templates/put-template";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn, putActiveProvider } from "@belfry/administration/test/acts";
import { putCategory } from "@belfry/administration/users/categories";
import { putDevice } from "@belfry/administration/users/devices";
import { startImport } from "@belfry/administration/users/imports";
import { changeMembers } from "@belfry/administration/users/topics";
import { putUser } from "@belfry/administration/users/users";
import { parseSecretKeys } from "@belfry/database/secrets";
import { connectedDatabase } from "@belfry/testing/database";
import { runDirectly, servicesOf } from "./fixtures.ts";

const USER = {
  userId: "Unmistakable-7f3a",
  email: "Ada.Unmistakable@Example.com",
  phone: "+12025550199",
};
/** Before the tenant named others. */
const FORMER = { email: "former@unmistakable-bücher.example", phone: "+12025550188" };
const UNMISTAKABLE = ["unmistakable", USER.phone, FORMER.phone];
const SUPPRESSED = [
  ...[USER.email, FORMER.email].map((address) => ["EMAIL", address] as const),
  ...[USER.phone, FORMER.phone].map((address) => ["SMS", address] as const),
];
const SUPPRESSIONS = SUPPRESSED.map(([channel, address]) => ({ channel, addresses: [address] }));

/** What a field that names a user or an address is given, one value after the other. */
const FIELDS: Readonly<Record<string, readonly unknown[]>> = {
  userId: [USER.userId],
  userIds: [[USER.userId]],
  exceptUserIds: [[USER.userId]],
  users: [[USER]],
  email: [USER.email],
  phone: [USER.phone],
  addresses: [[USER.email]],
  to: [USER.email],
  search: Object.values(USER),
  number: [USER.phone],
  file: [`${USER.email}\n`],
};
const LISTED = {
  ...{ topics: undefined, userIds: [USER.userId], exceptUserIds: [USER.userId] },
  eventType: "order.confirmed",
};
/** Inputs of acts of which the fields alone tell too little. */
const OWN: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  "suppression add": [...SUPPRESSIONS, { addresses: [USER.email, FORMER.email] }],
  "suppression remove": [...SUPPRESSIONS, { addresses: [USER.email, FORMER.email] }],
  "suppression import": SUPPRESSED.map(([channel, address]) => ({ channel, file: `${address}\n` })),
  "topic change": [
    { key: "news", add: [USER.userId] },
    { key: "news", remove: [USER.userId] },
  ],
  "import start": [
    { kind: "users", topic: undefined, file: `userId,email\n${USER.userId},${USER.email}\n` },
    { kind: "members", topic: "news", file: `${USER.userId}\n` },
  ],
  "broadcast create": [LISTED],
  "broadcast estimate": [LISTED],
  "user import": [{ file: `${USER.userId},offers,EMAIL\n` }],
  "template test": [
    { channel: "EMAIL", to: USER.email },
    { channel: "PUSH", to: USER.userId },
  ],
};
/** They are about people of the Admin UI, or the postal address of the sender. */
const isOfOthers = ({ name }: Act) => /^(member|operator|layout) /.test(name);

/** What an act is run with for the user; none: it names no user and no address. */
function inputsOf(act: Act, more: Record<string, unknown>): Record<string, unknown>[] {
  const fields = Object.keys(act.input.properties).filter((name) => name in FIELDS);
  if (fields.length === 0 || isOfOthers(act)) return [];
  const example = { ...act.example?.input, ...more };
  const given = OWN[act.name];
  if (given !== undefined) return given.map((own) => ({ ...example, ...own }));
  const most = Math.max(...fields.map((name) => FIELDS[name]?.length ?? 0));
  return Array.from({ length: most }, (_, at) => ({
    ...example,
    ...Object.fromEntries(fields.map((name) => [name, FIELDS[name]?.[at] ?? FIELDS[name]?.[0]])),
  }));
}

test("each field that names a user or an address has a value here", async () => {
  const unknown = (await allActs())
    .filter((act) => !isOfOthers(act))
    .flatMap(({ name, input }) => Object.keys(input.properties).map((field) => ({ name, field })))
    .filter(({ field }) => /user|mail|phone|address|recipient/i.test(field) && !(field in FIELDS));
  assert.deepEqual(unknown, []);
});

test("after an erasure no entry of the audit log names the user or an address, whatever was done", async (t) => {
  const { db, pool } = await connectedDatabase(t);
  const { id: tenantId } = await createTenant(db, { name: "Acme" });
  const keys = parseSecretKeys(`t1:${randomBytes(32).toString("base64")}`);
  const services = servicesOf(pool, keys, "http://localhost");
  const run = actsIn(db, tenantId, services);
  await run(putCategory, { key: "offers", label: { "": "Offers" } });
  const eventType = "order.confirmed";
  await run(putTemplate, { eventType, channel: "EMAIL", subject: "Hello", content: "Hello" });
  await run(putTemplate, { eventType, channel: "PUSH", title: "Hello", content: "Hello" });
  await run(changeMembers, { key: "news", add: ["somebody"] });
  const provider = { tenantId, channel: "EMAIL", kind: "sandbox", settings: {} } as const;
  const { id } = await putActiveProvider(db, provider, { keys });
  await run(putUser, { userId: USER.userId, ...FORMER });
  const begun = { kind: "members", topic: "news", file: "somebody\n", more: true } as const;
  const device = { deviceId: "firefox-laptop", kind: "fcm", token: "a-token" } as const;
  await run(putDevice, { userId: USER.userId, ...device });
  const { id: importId } = await run(startImport, begun);
  const known: Record<string, object> = { "provider test": { id }, "import add": { importId } };

  const erasing = ["user erase", "user ask-erasure"];
  const acts = await allActs();
  let ran = 0;
  for (const act of acts.filter(({ name }) => !erasing.includes(name))) {
    for (const input of inputsOf(act, { ...known[act.name] })) {
      await runDirectly(act, input, { db, tenantId, services }).catch((error) =>
        assert.fail(`${act.name} ${JSON.stringify(input)}: ${error}`),
      );
      ran += 1;
    }
  }
  assert.ok(ran > 20, `${ran} runs`);
  const named = async () => {
    const { rows } = await pool.query<{ action: string; told: string }>(
      "select action, concat_ws(' ', target, before, after) as told from audit_log",
    );
    return rows.filter(({ told }) =>
      UNMISTAKABLE.some((word) => told.toLowerCase().includes(word)),
    );
  };
  const before = new Set((await named()).map(({ action }) => action));
  for (const action of ["user.create", "user.preference", "suppression.add", "template.test"]) {
    assert.ok(before.has(action), `${action} names the user before`);
  }
  await run(eraseUserNow, { userId: USER.userId, suppressions: true });
  assert.deepEqual(await named(), []);
});
