import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { MAX_DIGEST_EVENTS } from "@belfry/contracts/delivery";
import { reasonWords } from "@belfry/contracts/reasons";
import { assertEach } from "@belfry/testing/assert-each";
import { assertHas } from "@belfry/testing/assert-has";
import { connectedDatabase } from "@belfry/testing/database";
import { anEvent } from "@belfry/testing/rows";
import { uuidv7 } from "uuidv7";
import type { DeliveryTiming } from "./dispatch-events.ts";

interface Asked {
  user?: string;
  /** Default: of none that is stored. */
  eventId?: string;
  recipient?: string;
  locale?: string;
  key?: string;
  /** Seconds from the beginning. */
  quietUntil?: number;
  expiresAfter?: number;
  throttle?: DeliveryTiming["throttle"];
  unlessRead?: number;
  digest?: Omit<NonNullable<DeliveryTiming["digest"]>, "id" | "locale" | "key" | "maxSeconds"> & {
    maxSeconds?: number;
  };
}

const BEGIN = Date.parse("2026-06-01T12:00:00Z");
const at = (seconds: number) => new Date(BEGIN + seconds * 1000);

/** Times are told in seconds from the beginning. */
async function setUp(t: TestContext) {
  const { pool } = await connectedDatabase(t);
  const since = (time: Date | null) => (time === null ? null : (time.getTime() - BEGIN) / 1000);
  return {
    pool,
    /** Decides of one event each, at a moment, and makes the deliveries that are told; words without the date. */
    async decide(seconds: number, ...asked: Asked[]) {
      const events = asked.map(({ eventId }) => eventId ?? uuidv7());
      const all = <T>(value: T) => asked.map(() => value);
      const timing = asked.map((one): DeliveryTiming => {
        const { user = "ann", locale = "", key = "", digest, ...more } = one;
        return {
          ...{ userId: user, eventType: "comment", zone: null, sensitive: false },
          ...(more.throttle && { throttle: more.throttle }),
          ...(more.unlessRead !== undefined && { unlessRead: more.unlessRead }),
          ...(more.expiresAfter !== undefined && { expiresAfterSeconds: more.expiresAfter }),
          ...(more.quietUntil !== undefined && { quietEnd: "QUIET" }),
          ...(digest && { digest: { id: uuidv7(), locale, key, maxSeconds: 604_800, ...digest } }),
        };
      });
      const { rows } = await pool.query(
        `select t.*, t.event_id <> ($2::uuid[])[t.place] as gathers
         from time_deliveries($1, $2, $2, $3, $4, $5, $6, $7, $8, $9) t order by t.place`,
        [
          ...[at(seconds), events, all("acme"), all("EMAIL")],
          asked.map(({ recipient = "a@example.com" }) => recipient),
          asked.map(({ expiresAfter }) =>
            expiresAfter === undefined ? null : at(seconds + expiresAfter),
          ),
          asked.map(({ quietUntil }) => (quietUntil === undefined ? null : at(quietUntil))),
          asked.map(({ quietUntil }) =>
            quietUntil === undefined ? null : "quiet hours until QUIET",
          ),
          timing.map((one) => JSON.stringify(one)),
        ],
      );
      await pool.query(
        `insert into deliveries (id, event_id, tenant_id, channel, recipient, template_version_id, due_at,
           expires_at, reason, unless_read)
         select w.id, w.event_id, 'acme', 'EMAIL', 'a@example.com', 1, w.due, w.expires, w.reason, w.unless_read
         from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::text[], $6::boolean[])
           w (id, event_id, due, expires, reason, unless_read)`,
        [
          rows.map(() => uuidv7()),
          ...["event_id", "due", "expires", "reason", "unless_read"].map((column) =>
            rows.map((row) => (row.verdict === "write" ? row[column] : null)),
          ),
        ].map((column) => column.filter((_, place) => rows[place].verdict === "write")),
      );
      return rows.map((row, place) => ({
        verdict: row.gathers && row.verdict === "write" ? "opens" : row.verdict,
        due: since(row.due),
        expires: since(row.expires),
        words: reasonWords(row.words as string | null)?.replace(", 1 Jun 2026 (UTC)", "") ?? null,
        eventId: events[place]!,
        digestId: row.gathers ? (row.event_id as string) : null,
      }));
    },
    /** Digests with their items and what their deliveries come to, oldest first. */
    async digests() {
      const rows = await pool.sql`select g.id, g.key, g.locale, g.recipient, g.window_ends_at,
          g.closed_at is null as open, d.due_at,
               d.expires_at, d.status,
                 array(select i.event_id::text from digest_items i where i.digest_id = g.id
                 order by i.event_id) as events,
               array(select i.state from digest_items i where i.digest_id = g.id order by i.event_id) as states
        from digests g left join deliveries d on d.event_id = g.id order by g.id`;
      return rows.map((row) => ({
        ...row,
        ends: since(row.window_ends_at),
        due: since(row.due_at),
        expires: since(row.expires_at),
      }));
    },
    move: (change: string) => pool.query(`update deliveries set ${change}`),
  };
}

const verdicts = (decided: readonly { verdict: string }[]) => decided.map((one) => one.verdict);
const dues = (decided: readonly { due: number | null }[]) => decided.map((one) => one.due);

test("an event that says more of its mail than its text joins no digest, opens none, and leaves at once", async (t) => {
  const { pool, decide, digests } = await setUp(t);
  await pool.query("insert into tenants (id, name, per_minute) values ('acme', 'x', 1)");
  const digest = { windowSeconds: 60, ofMail: true } as const;
  const first = await anEvent(pool, { envelope: JSON.stringify({ cc: ["c@example.com"] }) });
  const own = await anEvent(pool, { envelope: JSON.stringify({ fromName: "Ann" }) });
  const plain = await anEvent(pool);
  const decided = await decide(
    0,
    { eventId: first, digest },
    { eventId: plain, digest },
    { eventId: own, digest },
    { eventId: own, digest: { windowSeconds: 60 }, key: "of another kind" },
  );
  assert.deepEqual(verdicts(decided), ["write", "opens", "write", "opens"]);
  assert.deepEqual(dues(decided), [null, 60, null, 60]);
  const told = decided.map(({ words }) => words?.startsWith("not gathered") === true);
  assert.deepEqual(told, [true, false, true, false]);
  const found = await digests();
  assert.deepEqual(found.map((one) => one.events).sort(), [[own], [plain]].sort());
});

test("a fixed window runs from its first event; whoever comes while its delivery rests joins it", async (t) => {
  const { decide, digests, move } = await setUp(t);
  const digest = { windowSeconds: 60 };
  const [first] = await decide(0, { digest });
  assertHas(first, { verdict: "opens", due: 60, words: "gathered until 12:01" });
  assert.deepEqual(verdicts(await decide(59, { digest }, { digest })), ["gathered", "gathered"]);
  // It is due, but not released: quiet hours, or no room.
  const [late] = await decide(90, { digest });
  assert.deepEqual([late?.verdict, late?.words], ["gathered", "gathered until 12:01"]);
  await move("released_at = now()");
  const [next] = await decide(91, { digest });
  assert.deepEqual([next?.verdict, next?.due], ["opens", 151]);
  const [old, young] = await digests();
  assert.deepEqual([old?.open, old?.due, old?.events.length], [false, 60, 4]);
  assert.deepEqual([young?.open, young?.due, young?.events], [true, 151, [next?.eventId]]);
  assert.equal(young?.id, next?.digestId);
});

for (const [change, joins] of [
  ["released_at = now()", false],
  ["released_at = now(), status = 'sending', attempts = 1", false],
  ["attempts = 1", false],
  ["status = 'skipped'", false],
  ["status = 'expired', due_at = null", false],
  ["due_at = due_at + interval '1 hour'", true],
] as const) {
  test(`a digest whose delivery has ${change} is ${joins ? "" : "not "}joined`, async (t) => {
    const { decide, digests, move } = await setUp(t);
    await decide(0, { digest: { windowSeconds: 60 } });
    await move(change);
    assert.deepEqual(verdicts(await decide(1, { digest: { windowSeconds: 60 } })), [
      joins ? "gathered" : "opens",
    ]);
    assertEach(await digests(), ({ open }) => open, joins ? [true] : [false, true]);
  });
}

test("a full digest leaves when its window ends, and who comes before that opens another one", async (t) => {
  const { decide, digests, pool } = await setUp(t);
  const digest = { windowSeconds: 60 };
  await decide(0, { digest }, { digest });
  await decide(1, { digest });
  assert.deepEqual((await pool.query("select events from digests")).rows, [{ events: 3 }]);
  await pool.sql`update digests set events = ${MAX_DIGEST_EVENTS - 1}`;
  assert.deepEqual(verdicts(await decide(2, { digest })), ["gathered"]);
  const [next] = await decide(3, { digest });
  assert.deepEqual([next?.verdict, next?.due], ["opens", 63]);
  assert.deepEqual(verdicts(await decide(4, { digest })), ["gathered"]);
  assertEach(await digests(), ({ open, due, events }) => [open, due, events.length], [
    [false, 60, 4],
    [true, 63, 2],
  ]);
});

test("a sliding window begins anew with each event, up to its longest; past its end nothing moves it", async (t) => {
  const { decide, digests } = await setUp(t);
  const digest = { windowSeconds: 60, sliding: true, maxSeconds: 150 };
  const sent = { digest, expiresAfter: 1000 };
  const steps: [moment: number, ends: number][] = [
    [0, 60],
    [59, 119],
    [100, 150],
    [149, 150],
    [200, 150],
  ];
  for (const [moment, ends] of steps) {
    await decide(moment, sent);
    const [open] = await digests();
    assert.deepEqual(
      [open?.ends, open?.due, open?.expires],
      [ends, ends, ends + 1000],
      `${moment}`,
    );
  }
  assert.equal((await digests())[0]?.events.length, 5);
  // It could slide on, but has ended: it is to leave.
  await decide(0, { ...sent, user: "cid" });
  await decide(60, { ...sent, user: "cid" });
  assert.equal((await digests())[1]?.ends, 60);
  // A batch has one window, at its moment.
  const bob = await decide(300, { ...sent, user: "bob" }, { ...sent, user: "bob" });
  assert.deepEqual(dues(bob), [360, null]);
});

test("a digest that was made due by hand stays due, whoever joins it", async (t) => {
  const { decide, digests, pool } = await setUp(t);
  for (const [user, sliding] of [
    ["ann", false],
    ["bob", true],
  ] as const) {
    const one = { user, digest: { windowSeconds: 60, sliding } };
    await decide(0, one);
    await pool.query("update deliveries set due_at = $1 where due_at > $1", [at(10)]);
    assert.deepEqual(verdicts(await decide(11, one)), ["gathered"]);
    assert.equal((await digests()).at(-1)?.due, 10);
  }
});

test("at a time by the clock it waits for the next such time on a day that counts, in the zone", async (t) => {
  const { decide } = await setUp(t);
  // Monday, 12:00 UTC.
  assert.deepEqual(dues(await decide(0, { digest: { at: "12:00" } })), [0]);
  assert.deepEqual(dues(await decide(1, { user: "bob", digest: { at: "12:00" } })), [86_400]);
  const tuesdays = { at: "09:00", days: [2] };
  assert.deepEqual(dues(await decide(0, { user: "cid", digest: tuesdays })), [21 * 3600]);
  // No longer than a week, or than what the tenant keeps.
  const short = { at: "09:00", maxSeconds: 3600 };
  assert.deepEqual(dues(await decide(0, { user: "dan", digest: short })), [3600]);
});

test("a leading event goes alone; the second one opens the message of the window; then another leads", async (t) => {
  const { decide, digests, move } = await setUp(t);
  const digest = { windowSeconds: 60, leading: true };
  const [leading] = await decide(0, { digest });
  assert.deepEqual([leading?.verdict, leading?.due, leading?.words], ["write", null, null]);
  const two = await decide(10, { digest }, { digest });
  assert.deepEqual(
    [verdicts(two), dues(two)],
    [
      ["opens", "gathered"],
      [60, null],
    ],
  );
  assert.equal(two[0]?.words, "gathered until 12:01");
  let [only] = await digests();
  assert.deepEqual([only?.states, only?.due], [["alone", "in", "in"], 60]);
  await move("released_at = now()");
  const [again] = await decide(61, { digest });
  assert.deepEqual([again?.verdict, again?.due], ["write", null]);
  // Nobody came in the window of that: whoever comes after it leads again.
  const [stale] = await decide(121, { digest });
  assert.deepEqual([stale?.verdict, stale?.due], ["write", null]);
  const all = await digests();
  assertEach(all, ({ open, states }) => [open, states.join()], [
    [false, "alone,in,in"],
    [false, "alone"],
    [true, "alone"],
  ]);
  only = all[2];
  assert.equal(only?.ends, 181);
  // In one batch as in three.
  const batch = await decide(200, ...[1, 2, 3].map(() => ({ user: "bob", digest })));
  assert.deepEqual(verdicts(batch), ["write", "opens", "gathered"]);
});

test("events of another user, address, language or key are kept apart, and in one batch, too", async (t) => {
  const { decide, digests } = await setUp(t);
  const digest = { windowSeconds: 60 };
  const kinds: Asked[] = [
    {},
    { user: "bob" },
    { recipient: "b@example.com" },
    { locale: "de" },
    ...["1", "1 ", "A", "a", "__proto__", "é", "e\u0301", "\u2028", '"', "'; --", "{}"].map(
      (key) => ({ key }),
    ),
  ];
  const both = [...kinds, ...kinds].map((kind) => ({ ...kind, digest }));
  const decided = verdicts(await decide(0, ...both));
  assert.deepEqual(
    decided,
    both.map((_, place) => (place < kinds.length ? "opens" : "gathered")),
  );
  assert.ok(verdicts(await decide(1, ...both)).every((one) => one === "gathered"));
  const all = await digests();
  assert.equal(all.length, kinds.length);
  assert.ok(all.every(({ events }) => events.length === 4));
});

test("the longest names of all have room in the index", async (t) => {
  const { decide, digests } = await setUp(t);
  const wide = (count: number, from: number) =>
    Array.from({ length: count }, (_, at) =>
      String.fromCodePoint(from + ((at * 7919) % 40_000)),
    ).join("");
  const asked = {
    user: wide(255, 0x20000),
    key: wide(32, 0x20000),
    recipient: `${wide(60, 0x4e00)}@example.com`,
  };
  await decide(0, { ...asked, digest: { windowSeconds: 60 } });
  assert.equal((await digests())[0]?.key, asked.key);
});

test("quiet hours beyond the window hold up the message, not who may join it", async (t) => {
  const { decide, digests } = await setUp(t);
  const digest = { windowSeconds: 60 };
  const [quiet] = await decide(0, { digest, quietUntil: 600 });
  assert.deepEqual([quiet?.due, quiet?.words], [600, "gathered, quiet hours until 12:10"]);
  assert.equal((await decide(500, { digest, quietUntil: 600 }))[0]?.verdict, "gathered");
  // They end within the window: that alone counts.
  const [within] = await decide(0, { user: "bob", digest, quietUntil: 30 });
  assert.deepEqual([within?.due, within?.words], [60, "gathered until 12:01"]);
  // They begin while it is open.
  const [during] = await decide(50, { user: "bob", digest, quietUntil: 900 });
  assertHas(during, { verdict: "gathered", words: "gathered, quiet hours until 12:15" });
  assertEach(await digests(), ({ due, ends }) => [due, ends], [
    [600, 60],
    [900, 60],
  ]);
});

test("a life counts from the window's end; what would end before quiet hours do expires by itself", async (t) => {
  const { decide, digests } = await setUp(t);
  const digest = { windowSeconds: 60 };
  const [open] = await decide(0, { digest, expiresAfter: 10 });
  assert.deepEqual([open?.due, open?.expires], [60, 70]);
  const [alone] = await decide(5, { digest, expiresAfter: 10, quietUntil: 70 });
  // dispatch_events ends as expired what does not live longer than it waits.
  assertHas(alone, { verdict: "write", due: 70, expires: 70, words: null });
  assert.equal(
    (await decide(6, { digest, expiresAfter: 10, quietUntil: 69 }))[0]?.verdict,
    "gathered",
  );
  const [none] = await decide(0, { user: "bob", digest, expiresAfter: 10, quietUntil: 70 });
  assert.deepEqual([none?.verdict, none?.digestId], ["write", null]);
  const [leading] = await decide(0, {
    ...{ user: "cid", digest: { ...digest, leading: true }, expiresAfter: 10, quietUntil: 10 },
  });
  assert.deepEqual([leading?.verdict, leading?.due, leading?.expires], ["write", 10, 10]);
  const all = await digests();
  assert.equal(all.length, 1, "who expires opens and joins none");
  assert.deepEqual([all[0]?.events.length, all[0]?.due], [2, 69]);
});

test("in any time of a throttle's length so many are let through, and no more", async (t) => {
  const { decide, pool } = await setUp(t);
  const throttle = { count: 2, seconds: 10 };
  const steps: [moment: number, verdict: string, words: string | null][] = [
    [0, "write", null],
    [4, "write", null],
    [5, "throttled", "throttled until 12:00"],
    [9.999, "throttled", "throttled until 12:00"],
    // The first is out of the window: it does not count, and neither did what was throttled.
    [10, "write", null],
    [10.001, "throttled", "throttled until 12:00"],
    [13.999, "throttled", "throttled until 12:00"],
    [14, "write", null],
    [19.999, "throttled", "throttled until 12:00"],
    [100, "write", null],
  ];
  for (const [moment, verdict, words] of steps) {
    const [one] = await decide(moment, { throttle });
    assert.deepEqual([one?.verdict, one?.words], [verdict, words], `${moment}`);
  }
  const batch = await decide(
    1000,
    { throttle },
    { throttle },
    { throttle },
    { user: "bob", throttle },
  );
  assert.deepEqual(verdicts(batch), ["write", "write", "throttled", "write"]);
  assert.deepEqual(await pool.sql`select user_id, times, ends_at from throttles order by 1`, [
    { user_id: "ann", times: [at(1000), at(1000)], ends_at: at(1010) },
    { user_id: "bob", times: [at(1000)], ends_at: at(1010) },
  ]);
  // A smaller count binds at once, until so few are left.
  const [fewer] = await decide(1001, { throttle: { count: 1, seconds: 3600 } });
  assert.equal(fewer?.words, "throttled until 13:16");
});

test("a digest counts once towards a throttle, when it opens; a leading event by itself", async (t) => {
  const { decide, digests, move } = await setUp(t);
  const throttle = { count: 1, seconds: 3600 };
  const fixed = { throttle, digest: { windowSeconds: 60 } };
  assert.deepEqual(verdicts(await decide(0, fixed, fixed)), ["opens", "gathered"]);
  assert.deepEqual(verdicts(await decide(1, fixed)), ["gathered"]);
  await move("released_at = now()");
  assert.deepEqual(verdicts(await decide(61, fixed)), ["throttled"]);
  assertEach(await digests(), ({ open, events }) => [open, events.length], [[false, 3]]);
  const leading = { user: "bob", throttle, digest: { windowSeconds: 60, leading: true } };
  assert.deepEqual(verdicts(await decide(0, leading, leading)), ["write", "throttled"]);
  assert.deepEqual(verdicts(await decide(3600, leading, leading)), ["write", "throttled"]);
});

test("unless it is read it goes so much later, beyond quiet hours, and lives from then on", async (t) => {
  const { decide, pool } = await setUp(t);
  const [one] = await decide(0, { unlessRead: 300, expiresAfter: 60 });
  assertHas(one, { due: 300, expires: 360, words: "sent unless it is read by 12:05" });
  const [quiet] = await decide(0, { unlessRead: 300, quietUntil: 900 });
  assert.deepEqual([quiet?.due, quiet?.words], [900, "quiet hours until QUIET"]);
  const [over] = await decide(0, { unlessRead: 300, quietUntil: 200 });
  assert.deepEqual([over?.due, over?.words], [300, "sent unless it is read by 12:05"]);
  const [ended] = await decide(0, { unlessRead: 300, expiresAfter: 60, quietUntil: 360 });
  assert.deepEqual([ended?.due, ended?.expires, ended?.words], [360, 360, null]);
  const rows = await pool.sql`select unless_read, reason from deliveries order by id`;
  const inWords = rows.map(({ reason, ...row }) => ({ ...row, reason: reasonWords(reason) }));
  assert.deepEqual(inWords, [
    { unless_read: true, reason: "sent unless it is read by 12:05, 1 Jun 2026 (UTC)" },
    { unless_read: true, reason: "quiet hours until QUIET" },
    { unless_read: true, reason: "sent unless it is read by 12:05, 1 Jun 2026 (UTC)" },
    { unless_read: null, reason: "it would expire before quiet hours end at QUIET" },
  ]);
});
