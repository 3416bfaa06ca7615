import assert from "node:assert/strict";
import { test } from "node:test";
import type { PreferenceChange } from "@belfry/contracts/preferences";
import { changePreferencesOfUser } from "@belfry/database/preferences";
import { assertEach } from "@belfry/testing/assert-each";
import type { Cleanup } from "@belfry/testing/cleanup";
import { actsIn, programIn } from "../../test/acts.ts";
import { refusal, tenantDatabase } from "../../test/database.ts";
import { InvalidInput, NotFound } from "../input-error.ts";
import { putCategory } from "./categories.ts";
import { changePreferences, showPreferences } from "./preferences.ts";

async function world(t: Cleanup) {
  const { db, tenantId } = await tenantDatabase(t);
  const run = actsIn(db, tenantId);
  await run(putCategory, { key: "offers", label: { "": "Offers" } });
  await run(putCategory, { key: "security", label: { "": "Security" }, required: true });
  const program = programIn(db, tenantId);
  const say = (preferences: PreferenceChange[], userId = "ann") =>
    program(changePreferences, { userId, preferences });
  const show = (userId = "ann") => program(showPreferences, { userId });
  const said = async (userId = "ann") =>
    (await show(userId)).preferences.map(
      ({ category, channel, enabled, source }) => `${category}/${channel} ${enabled} ${source}`,
    );
  return { db, tenantId, say, said, show };
}

test("cells are written and forgotten as named, the last word counts, and others stay", async (t) => {
  const { db, tenantId, say, said, show } = await world(t);
  await say([
    { category: "*", channel: "SMS", enabled: false },
    { category: "offers", channel: "EMAIL", enabled: true },
    { category: "offers", channel: "EMAIL", enabled: false },
    { category: "offers", channel: "*", enabled: true },
  ]);
  await say([{ category: "*", channel: "*", enabled: true }], "bob");
  assert.deepEqual(await said(), [
    "*/SMS false api",
    "offers/* true api",
    "offers/EMAIL false api",
  ]);
  const { changed } = await changePreferencesOfUser(db, { tenantId, userId: "ann" }, "api", [
    { category: "offers", channel: "EMAIL", enabled: null },
    { category: "offers", channel: "PUSH", enabled: null },
    { category: "offers", channel: "*", enabled: false },
  ]);
  assert.equal(changed, 2, "one forgotten, one turned off; the third said nothing before");
  assert.deepEqual(await said(), ["*/SMS false api", "offers/* false api"]);
  assert.deepEqual(await said("bob"), ["*/* true api"]);
  const shown = await show();
  assertEach(shown.categories, ({ key, required }) => [key, required], [
    ["offers", false],
    ["security", true],
  ]);
});

test("saying the same again keeps where it came from, and when", async (t) => {
  const { db, tenantId, say, show } = await world(t);
  const off = { category: "offers", channel: "EMAIL", enabled: false } as const;
  const owner = { tenantId, userId: "ann" };
  await changePreferencesOfUser(db, owner, "unsubscribe link", [off]);
  const before = await show();
  await say([off]);
  assert.deepEqual(await show(), before);
  await say([{ ...off, enabled: true }]);
  const [after] = (await show()).preferences;
  assert.deepEqual([after?.enabled, after?.source], [true, "api"]);
  assert.ok(after!.at > before.preferences[0]!.at);
});

test("an unknown category or channel, and a required one turned off, are refused with all that came with them", async (t) => {
  const { db, say, said } = await world(t);
  const refused = say([
    { category: "offers", channel: "EMAIL", enabled: false },
    { category: "gone", channel: "EMAIL", enabled: false },
    { category: "security", channel: "*", enabled: false },
  ]);
  assert.deepEqual((await refusal(refused)).message.split("\n"), [
    'preferences[1].category must be * or the key of a category: "gone"',
    'preferences[2].category is required, and cannot be turned off: "security"',
  ]);
  const fax = say([{ category: "offers", channel: "FAX" as "SMS", enabled: false }]);
  assert.equal(
    (await refusal(fax)).message,
    "preferences[0].channel must be one of *, EMAIL, SMS, PUSH, DEVICE, CHAT",
  );
  assert.deepEqual(await said(), []);
  await say([{ category: "security", channel: "*", enabled: true }]);
  const nobody = programIn(db, "none")(changePreferences, { userId: "ann", preferences: [] });
  await assert.rejects(nobody, NotFound);
  await assert.rejects(say([], "a\u0000"), InvalidInput);
});

test("changes of one user from many places at once neither fail nor mix", async (t) => {
  const { say, said } = await world(t);
  const cells = (["EMAIL", "SMS", "PUSH", "*"] as const).flatMap((channel) =>
    ["offers", "*"].map((category) => ({ category, channel })),
  );
  const every = (enabled: boolean | null, reverse: boolean) =>
    say((reverse ? cells.toReversed() : cells).map((cell) => ({ ...cell, enabled })));
  await Promise.all(
    Array.from({ length: 12 }, (_, n) => every([true, false, null][n % 3]!, n % 2 === 0)),
  );
  await every(true, false);
  assert.equal((await said()).filter((cell) => cell.endsWith("true api")).length, 8);
});
