import assert from "node:assert/strict";
import { test } from "node:test";
import { decryptSecret, providerSettingsOwner } from "@belfry/database/secrets";
import { assertEach } from "@belfry/testing/assert-each";
import { providerActsIn, putActiveProvider } from "../../test/acts.ts";
import { refusal, TEST_KEYS, tenantDatabase } from "../../test/database.ts";
import { InvalidInput, NotFound } from "../input-error.ts";
import { storedSettings } from "./provider-rows.ts";
import {
  deleteProvider,
  providerAt,
  putProvider,
  readProviders,
  renameProvider,
} from "./providers.ts";
import { deactivateProvider } from "./use-provider.ts";

const keys = TEST_KEYS;
const API_KEY = "SG.abcdefghijklmnopqrstuvwxyz.secret-tail";
const SENDGRID = { apiKey: API_KEY, from: "news@example.com" };

test("a credential is stored encrypted for its provider, and every view of it is masked", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const input = { tenantId, channel: "EMAIL", kind: "sendgrid", settings: SENDGRID } as const;
  const provider = await putActiveProvider(db, input, { keys });
  assert.deepEqual(provider.settings, { ...SENDGRID, apiKey: "•••• tail" });
  const row = await db.selectFrom("providers").selectAll().executeTakeFirstOrThrow();
  assert.ok(!JSON.stringify(row).includes(API_KEY));
  const owner = providerSettingsOwner(tenantId, provider.id);
  assert.deepEqual(JSON.parse(await decryptSecret(keys, owner, row.settings)), SENDGRID);
  await assert.rejects(
    decryptSecret(keys, providerSettingsOwner("other", provider.id), row.settings),
  );
});

test("settings that do not fit are refused, every field named and no value repeated", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const settings = { apiKey: "with a space", from: "nobody", surprise: 1 };
  const input = { tenantId, channel: "EMAIL", kind: "sendgrid", settings } as const;
  const { message } = await refusal(putActiveProvider(db, input, { keys }));
  for (const field of ["apiKey", "from", "surprise"]) assert.match(message, RegExp(field));
  assert.ok(!message.includes("with a space"));
  await assert.rejects(
    putActiveProvider(db, { ...input, kind: "pigeon" }, { keys }),
    /must be one of .*sandbox/,
  );
  assert.deepEqual(await readProviders(db, tenantId), []);
});

test("a private address is refused unless private addresses are allowed", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const settings = { ...SENDGRID, baseUrl: "http://127.0.0.1:9" };
  const input = { tenantId, channel: "EMAIL", kind: "sendgrid", settings } as const;
  await assert.rejects(putActiveProvider(db, input, { keys }), InvalidInput);
  await putActiveProvider(db, input, { keys, allowPrivateAddresses: true });
});

test("putting a kind again replaces its settings; another kind goes before it", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const sandbox = { tenantId, channel: "EMAIL", kind: "sandbox", settings: {} } as const;
  const sendgrid = { ...sandbox, kind: "sendgrid", settings: SENDGRID };
  const first = await putActiveProvider(db, sandbox, { keys });
  await putActiveProvider(db, sendgrid, { keys });
  assert.equal((await putActiveProvider(db, { ...sandbox, active: false }, { keys })).id, first.id);
  const list = await readProviders(db, tenantId);
  assertEach(list, ({ kind, position, active }) => [kind, position, active], [
    ["sendgrid", 0, true],
    ["sandbox", 1, false],
  ]);
});

test("a provider is found by its id, or by channel and kind where there are several", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const sandbox = { tenantId, channel: "EMAIL", kind: "sandbox", settings: {} } as const;
  const { id } = await putActiveProvider(db, sandbox, { keys });
  const address = { tenantId, channel: "EMAIL" } as const;
  const run = providerActsIn(db, tenantId, { keys });
  assert.equal((await providerAt(db, address)).id, id);
  assert.equal((await run(deactivateProvider, { id })).active, false);
  await putActiveProvider(db, { ...sandbox, kind: "sendgrid", settings: SENDGRID }, { keys });
  assert.equal((await refusal(providerAt(db, address))).faults[0]?.field, "kind");
  assert.equal((await providerAt(db, { ...address, kind: "sandbox" })).id, id);
  const other = providerActsIn(db, "other", { keys });
  await assert.rejects(other(deleteProvider, { id }), NotFound);
  await run(deleteProvider, { id });
  await assert.rejects(providerAt(db, { id }), NotFound);
  await assert.rejects(providerAt(db, { id, tenantId: "other" }), NotFound);
  await assert.rejects(readProviders(db, "nobody"), NotFound);
});

test("an account is renamed with all it has; a name that another of its channel has is refused", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const sendgrid = { tenantId, channel: "EMAIL", kind: "sendgrid", settings: SENDGRID } as const;
  const { id } = await putActiveProvider(db, { ...sendgrid, maxPerSecond: 5 }, { keys });
  await putActiveProvider(db, { ...sendgrid, name: "marketing" }, { keys });
  const run = providerActsIn(db, tenantId, { keys });
  const sms = { tenantId, channel: "SMS", kind: "sandbox", name: "orders", settings: {} } as const;
  await putActiveProvider(db, sms, { keys });
  const before = await providerAt(db, { id });

  for (const name of ["marketing", "", "a\nb", "x".repeat(256)]) {
    assert.equal(
      (await refusal(run(renameProvider, { id, newName: name }))).faults[0]?.field,
      "newName",
    );
  }
  const renamed = await run(renameProvider, { id, newName: "orders" });
  assert.deepEqual(renamed, { ...before, name: "orders", updatedAt: renamed.updatedAt });
  assert.equal(
    (await run(renameProvider, { id, newName: "orders" })).name,
    "orders",
    "its own name is free",
  );
  await assert.rejects(
    providerActsIn(db, "other", { keys })(renameProvider, { id, newName: "x" }),
    NotFound,
  );
});

test("two accounts that are given one name at once: one has it, the other is refused", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const sandbox = { tenantId, channel: "EMAIL", kind: "sandbox", settings: {} } as const;
  const all = await Promise.all(
    ["a", "b"].map((name) => putActiveProvider(db, { ...sandbox, name }, { keys })),
  );
  const run = providerActsIn(db, tenantId, { keys });
  const ends = await Promise.allSettled(
    all.map(({ id }) => run(renameProvider, { id, newName: "same" })),
  );
  assert.deepEqual(ends.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  const refused = ends.find((end) => end.status === "rejected");
  assert.ok(refused?.reason instanceof InvalidInput);
});

test("a stored secret never follows a changed address: it is asked for again", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const options = { keys, allowPrivateAddresses: true };
  const accounts = [
    {
      input: { tenantId, channel: "EMAIL", kind: "sendgrid", settings: SENDGRID },
      moves: [{ baseUrl: "https://elsewhere.example" }],
      secret: "apiKey",
    },
    {
      input: {
        tenantId,
        channel: "EMAIL",
        kind: "smtp",
        settings: { host: "mail.example.com", user: "u", password: "pw-1", from: "a@example.com" },
      },
      moves: [{ host: "elsewhere.example" }, { port: 2525 }],
      secret: "password",
    },
  ] as const;
  for (const { input, moves, secret } of accounts) {
    const { id } = await putActiveProvider(db, input, options);
    const settings: Record<string, unknown> = { ...input.settings };
    delete settings[secret];
    // The same address, and anything else: kept.
    await putActiveProvider(
      db,
      { ...input, keepSecrets: true, settings: { ...settings, fromName: "Acme" } },
      options,
    );
    const stored = () => storedSettings(db, { id, tenantId }, keys);
    const secretText = (input.settings as Record<string, unknown>)[secret];
    assert.equal((await stored())?.[secret], secretText);
    for (const move of moves) {
      const moved = { ...input, keepSecrets: true, settings: { ...settings, ...move } };
      const { message } = await refusal(putActiveProvider(db, moved, options));
      const why = `must be given again: the stored one was for another ${Object.keys(move)[0]}`;
      assert.equal(message, `settings ${secret}: ${why}`);
      const given = { ...moved, settings: { ...moved.settings, [secret]: "another-1" } };
      await putActiveProvider(db, given, options);
      assert.equal((await stored())?.[secret], "another-1");
      await putActiveProvider(db, input, options);
    }
  }
});

test("a mail account changes from its password to OAuth and back: what is not used any more is not kept", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const account = { tenantId, channel: "EMAIL", kind: "smtp", keepSecrets: true } as const;
  const own = { host: "mail.example.com", user: "u", from: "a@example.com" };
  const oauth = { oauthTokenUrl: "https://login.example.com/token", oauthClientId: "c" };
  const options = { keys, allowPrivateAddresses: false };
  let id = "";
  for (const settings of [
    { ...own, password: "pw-1" },
    { ...own, ...oauth, oauthClientSecret: "secret-1" },
    { ...own, password: "pw-2" },
  ]) {
    ({ id } = await putActiveProvider(db, { ...account, settings }, options));
    assert.deepEqual(await storedSettings(db, { id, tenantId }, keys), settings);
  }
});

test("a new account is not active, and is activated without a test only where that is said", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const run = providerActsIn(db, tenantId, { keys });
  const input = { channel: "EMAIL", kind: "sandbox", settings: {} } as const;
  const { faults } = await refusal(run(putProvider, { ...input, active: true }));
  assert.deepEqual(
    faults.map(({ field }) => field),
    ["active"],
  );
  assert.equal((await run(putProvider, input)).active, false);
  assert.equal((await run(putProvider, { ...input, active: true, untested: true })).active, true);
  assert.equal((await run(putProvider, { ...input, settings: { takesAll: true } })).active, true);
});
