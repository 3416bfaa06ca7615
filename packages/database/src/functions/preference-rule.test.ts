import assert from "node:assert/strict";
import { test } from "node:test";
import { reasonWords } from "@belfry/contracts/reasons";
import { connectedDatabase, type TestPool } from "@belfry/testing/database";
import { preferencesOf, recipientsOf } from "./recipients.ts";

/** States of a cell: no preference, on, off. */
const STATES = [null, true, false] as const;
type State = (typeof STATES)[number];

interface Case {
  userId: string;
  anyAny: State;
  anyChannel: State;
  categoryAny: State;
  categoryChannel: State;
  /** undefined: the event type has no category. */
  category: { required: boolean; defaultOn: boolean } | undefined;
}

const CATEGORIES = [
  undefined,
  ...[true, false].flatMap((required) =>
    [true, false].map((defaultOn) => ({ required, defaultOn })),
  ),
];

/** 3⁴ states of the cells × required × default, and the same without a category. */
const CASES: Case[] = STATES.flatMap((anyAny) =>
  STATES.flatMap((anyChannel) =>
    STATES.flatMap((categoryAny) =>
      STATES.flatMap((categoryChannel) =>
        CATEGORIES.map((category) => {
          const cells = { anyAny, anyChannel, categoryAny, categoryChannel };
          return { userId: `u ${Object.values(cells).join(" ")}`, ...cells, category };
        }),
      ),
    ),
  ),
);

/** The rule as capabilities has it, and the cell that is told. */
function oracle(one: Case): { sends: boolean; cell: string | null } {
  const { category } = one;
  const offs = [
    ...(category !== undefined && one.categoryChannel === false ? ["category/channel"] : []),
    ...(category !== undefined && one.categoryAny === false ? ["category/*"] : []),
    ...(one.anyChannel === false ? ["*/channel"] : []),
    ...(one.anyAny === false ? ["*/*"] : []),
  ];
  const cell = offs[0] ?? null;
  if (category?.required) return { sends: true, cell };
  if (cell !== null) return { sends: false, cell };
  if (category === undefined) return { sends: true, cell };
  const isOn = one.categoryAny === true || one.categoryChannel === true;
  return { sends: isOn || category.defaultOn, cell };
}

const keyOf = ({ category }: Pick<Case, "category">) =>
  category === undefined
    ? null
    : `${category.required ? "required" : "free"}-${category.defaultOn ? "on" : "off"}`;

async function seed(pool: TestPool) {
  await pool.query(
    "insert into tenants (id, name, per_minute) values ('a', 'A', 1), ('other', 'O', 1)",
  );
  for (const category of CATEGORIES) {
    const key = keyOf({ category });
    if (category === undefined || key === null) continue;
    const label = JSON.stringify({ "": `Label of ${key}`, de: "Anders" });
    await pool.sql`insert into categories (tenant_id, key, label, description, required,
        default_on) values ('a', ${key}, ${label}, '{}', ${category.required},
        ${category.defaultOn})`;
    await pool.sql`insert into event_type_categories values ('a', ${key}, ${key})`;
  }
}

async function say(pool: TestPool, cells: [user: string, cell: string, enabled: State][]) {
  const said = cells.filter(([, , enabled]) => enabled !== null);
  await pool.sql`insert into preferences (tenant_id, user_id, category, channel, enabled, source,
      at)
    select 'a', u, split_part(c, '/', 1), split_part(c, '/', 2), e, 'preference page', '2026-11-02T23:30:00Z'
    from unnest(${said.map(([user]) => user)}::text[], ${said.map(([, cell]) => cell)}::text[],
      ${said.map(([, , on]) => on)}::boolean[]) s (u, c, e) on conflict do nothing`;
}

test("every state of a user's four cells is decided as the rule says, whatever else the user has said", async (t) => {
  const { pool } = await connectedDatabase(t);
  await seed(pool);
  await say(
    pool,
    CASES.flatMap((one) => {
      const key = keyOf(one);
      const { userId } = one;
      // Preferences for other channels and categories, which must not matter.
      const noise: [string, string, State][] = [
        [userId, "*/SMS", false],
        [userId, "other/*", false],
        [userId, "other/EMAIL", false],
        [`not ${userId}`, "*/*", false],
      ];
      const own: [string, string, State][] = [
        [userId, "*/*", one.anyAny],
        [userId, "*/EMAIL", one.anyChannel],
      ];
      if (key === null) return [...own, ...noise];
      return [
        ...own,
        ...noise,
        [userId, `${key}/*`, one.categoryAny],
        [userId, `${key}/EMAIL`, one.categoryChannel],
        [userId, `${key}/SMS`, false],
      ];
    }),
  );
  await pool.query(
    `insert into preferences select 'other', user_id, category, channel, not enabled, source, at
     from preferences where tenant_id = 'a'`,
  );
  assert.equal(CASES.length, 3 ** 4 * 5);
  const verdicts = await preferencesOf(
    pool,
    CASES.map((one) => ({
      tenantId: "a",
      userId: one.userId,
      eventType: keyOf(one) ?? "uncategorised",
      channels: ["EMAIL", "PUSH"],
    })),
  );
  // In short: who is not asked for gets what the rule would have said.
  const recipients = await recipientsOf(
    pool,
    CASES.map((one) => ({
      ...{ tenantId: "a", userId: one.userId, eventType: keyOf(one) ?? "uncategorised" },
    })),
  );
  for (const [at, one] of CASES.entries()) {
    const { chooses, required } = recipients[at]!;
    const mayChoose = [...verdicts[at]!.values()].some(({ sends }) => !sends);
    assert.equal(required, one.category?.required ?? false);
    assert.ok(chooses ? !required : !mayChoose, JSON.stringify(one));
    // A preference for one channel does not affect another.
    const ofOther = { ...one, anyChannel: null, categoryChannel: null };
    for (const [channel, expected] of [
      ["EMAIL", oracle(one)],
      ["PUSH", oracle(ofOther)],
    ] as const) {
      const key = keyOf(one);
      const found = verdicts[at]!.get(channel)!;
      const what = JSON.stringify([channel, one]);
      assert.equal(found.sends, expected.sends, what);
      assert.equal(found.reason === null, expected.sends, what);
      assert.equal(found.category, key, what);
      assert.equal(found.required, one.category?.required ?? false, what);
      const cell = expected.cell?.replace("category", key ?? "").replace("channel", channel);
      assert.equal(found.cell, cell ?? null, what);
    }
  }
});

test("what is not sent says by which cell, since when and from where, by the category's name", async (t) => {
  const { pool } = await connectedDatabase(t);
  await seed(pool);
  const asked = async (cell: string | undefined, eventType: string) => {
    await pool.query("delete from preferences");
    if (cell !== undefined) await say(pool, [["u", cell, false]]);
    const question = { tenantId: "a", userId: "u", eventType, channels: ["EMAIL"] } as const;
    const reason = (await preferencesOf(pool, [question]))[0]?.get("EMAIL")?.reason;
    return reasonWords(reason ?? null);
  };
  const since = "2 Nov 2026, preference page";
  for (const [cell, eventType, reason] of [
    ["*/*", "any", `turned off by the user, ${since}`],
    ["*/EMAIL", "any", `turned off by the user on EMAIL, ${since}`],
    ["free-on/*", "free-on", `turned off by the user for Label of free-on, ${since}`],
    ["free-on/EMAIL", "free-on", `turned off by the user for Label of free-on on EMAIL, ${since}`],
    [undefined, "free-off", "not turned on by the user: Label of free-off is off by default"],
    [undefined, "free-on", null],
    ["*/*", "required-off", null],
  ] as const) {
    assert.equal(await asked(cell, eventType), reason);
  }
});
