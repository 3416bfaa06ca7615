import assert from "node:assert/strict";
import { test } from "node:test";
import { timeZoneName } from "@belfry/contracts/quiet-hours";
import { connectedDatabase } from "@belfry/testing/database";

type Row = [moment: string, until: string | null, byTheClock: string];

/**
 * Computed by hand from the rules of the zones: a moment (UTC), until when it is quiet (UTC; null: it is not),
 * and what the clock of the zone shows at the moment.
 *
 * Europe/Berlin: 29 March 2026 02:00 +01 → 03:00 +02 (01:00 UTC); 25 October 2026 03:00 +02 → 02:00 +01 (01:00 UTC).
 * Australia/Lord_Howe: 4 October 2026 02:00 +10:30 → 02:30 +11 (3 October 15:30 UTC);
 *   5 April 2026 02:00 +11 → 01:30 +10:30 (4 April 15:00 UTC).
 * America/Sao_Paulo: 4 November 2018 00:00 -03 → 01:00 -02 (03:00 UTC);
 *   18 February 2018 00:00 -02 → 17 February 23:00 -03 (02:00 UTC).
 * America/St_Johns: 7 November 2010 00:01 -02:30 → 6 November 23:01 -03:30 (02:31 UTC).
 * Pacific/Apia: 29 December 2011 24:00 -10 → 31 December 00:00 +14 (30 December 10:00 UTC).
 */
const TABLE: Record<string, Row[]> = {
  "Europe/Berlin 22:00-06:00": [
    ["2026-03-28T20:59:59Z", null, "21:59:59"],
    ["2026-03-28T21:00:00Z", "2026-03-29T04:00:00Z", "22:00, seven hours of quiet"],
    ["2026-03-29T00:59:59Z", "2026-03-29T04:00:00Z", "01:59:59"],
    ["2026-03-29T01:00:00Z", "2026-03-29T04:00:00Z", "03:00"],
    ["2026-03-29T03:59:59Z", "2026-03-29T04:00:00Z", "05:59:59"],
    ["2026-03-29T04:00:00Z", null, "06:00"],
    ["2026-03-29T19:59:59Z", null, "21:59:59"],
    ["2026-03-29T20:00:00Z", "2026-03-30T04:00:00Z", "22:00"],
    ["2026-10-24T19:59:59Z", null, "21:59:59"],
    ["2026-10-24T20:00:00Z", "2026-10-25T05:00:00Z", "22:00, nine hours of quiet"],
    ["2026-10-25T00:30:00Z", "2026-10-25T05:00:00Z", "02:30, the first"],
    ["2026-10-25T01:30:00Z", "2026-10-25T05:00:00Z", "02:30, the second"],
    ["2026-10-25T04:59:59Z", "2026-10-25T05:00:00Z", "05:59:59"],
    ["2026-10-25T05:00:00Z", null, "06:00"],
    ["2026-10-25T21:00:00Z", "2026-10-26T05:00:00Z", "22:00"],
  ],
  "Europe/Berlin 23:00-05:00": [
    ["2026-06-30T20:59:59Z", null, "22:59:59"],
    ["2026-06-30T21:00:00Z", "2026-07-01T03:00:00Z", "23:00"],
    ["2026-06-30T21:59:59Z", "2026-07-01T03:00:00Z", "23:59:59"],
    ["2026-06-30T22:00:00Z", "2026-07-01T03:00:00Z", "00:00"],
    ["2026-07-01T02:59:59Z", "2026-07-01T03:00:00Z", "04:59:59"],
    ["2026-07-01T03:00:00Z", null, "05:00"],
  ],
  "Europe/Berlin 13:00-14:00": [
    ["2026-07-01T10:59:59Z", null, "12:59:59"],
    ["2026-07-01T11:00:00Z", "2026-07-01T12:00:00Z", "13:00"],
    ["2026-07-01T12:00:00Z", null, "14:00"],
    ["2026-01-01T12:30:00Z", "2026-01-01T13:00:00Z", "13:30"],
  ],
  "Europe/Berlin 22:00-02:30": [
    ["2026-03-28T21:00:00Z", "2026-03-29T01:00:00Z", "22:00; there is no 02:30"],
    ["2026-03-29T00:59:00Z", "2026-03-29T01:00:00Z", "01:59; there is no 02:30"],
    ["2026-03-29T01:00:00Z", null, "03:00"],
    ["2026-10-25T00:29:00Z", "2026-10-25T01:30:00Z", "02:29, the first"],
    ["2026-10-25T00:45:00Z", "2026-10-25T01:30:00Z", "02:45, the first"],
    ["2026-10-25T01:15:00Z", "2026-10-25T01:30:00Z", "02:15, the second"],
    ["2026-10-25T01:30:00Z", null, "02:30, the second"],
  ],
  "Europe/Berlin 02:30-06:00": [
    ["2026-03-29T00:59:59Z", null, "01:59:59"],
    ["2026-03-29T01:00:00Z", "2026-03-29T04:00:00Z", "03:00; there was no 02:30"],
    ["2026-10-25T00:29:59Z", null, "02:29:59, the first"],
    ["2026-10-25T00:30:00Z", "2026-10-25T05:00:00Z", "02:30, the first"],
    ["2026-10-25T01:10:00Z", "2026-10-25T05:00:00Z", "02:10, the second"],
    ["2026-10-25T01:40:00Z", "2026-10-25T05:00:00Z", "02:40, the second"],
  ],
  "Europe/Berlin 02:10-02:50": [
    ["2026-03-29T00:59:59Z", null, "01:59:59; there are no such hours"],
    ["2026-03-29T01:00:00Z", null, "03:00"],
    ["2026-10-25T00:09:59Z", null, "02:09:59, the first"],
    ["2026-10-25T00:10:00Z", "2026-10-25T01:50:00Z", "02:10, the first"],
    ["2026-10-25T00:55:00Z", "2026-10-25T01:50:00Z", "02:55, the first"],
    ["2026-10-25T01:05:00Z", "2026-10-25T01:50:00Z", "02:05, the second"],
    ["2026-10-25T01:50:00Z", null, "02:50, the second"],
  ],
  "Europe/Berlin 02:45-02:15": [
    ["2026-07-01T00:14:59Z", "2026-07-01T00:15:00Z", "02:14:59"],
    ["2026-07-01T00:30:00Z", null, "02:30"],
    ["2026-10-24T01:00:00Z", "2026-10-26T01:15:00Z", "24 October 03:00, 22 hours before"],
    [
      "2026-10-25T00:30:00Z",
      "2026-10-26T01:15:00Z",
      "02:30: the next hours begin before these end",
    ],
    ["2026-03-29T00:30:00Z", "2026-03-30T00:15:00Z", "01:30: they end and begin with the change"],
  ],
  "Australia/Lord_Howe 22:00-06:00": [
    ["2026-10-03T11:29:59Z", null, "21:59:59"],
    ["2026-10-03T11:30:00Z", "2026-10-03T19:00:00Z", "22:00"],
    ["2026-10-03T15:29:59Z", "2026-10-03T19:00:00Z", "01:59:59"],
    ["2026-10-03T15:30:00Z", "2026-10-03T19:00:00Z", "02:30"],
    ["2026-10-03T19:00:00Z", null, "06:00"],
    ["2026-04-04T10:59:59Z", null, "21:59:59"],
    ["2026-04-04T11:00:00Z", "2026-04-04T19:30:00Z", "22:00"],
    ["2026-04-04T14:45:00Z", "2026-04-04T19:30:00Z", "01:45, the first"],
    ["2026-04-04T15:15:00Z", "2026-04-04T19:30:00Z", "01:45, the second"],
    ["2026-04-04T19:30:00Z", null, "06:00"],
  ],
  "Australia/Lord_Howe 22:00-02:15": [
    ["2026-10-03T15:29:00Z", "2026-10-03T15:30:00Z", "01:59; there is no 02:15"],
    ["2026-10-03T15:30:00Z", null, "02:30"],
  ],
  "Australia/Lord_Howe 22:00-01:45": [
    ["2026-04-04T14:50:00Z", "2026-04-04T15:15:00Z", "01:50, the first"],
    ["2026-04-04T15:15:00Z", null, "01:45, the second"],
  ],
  "Australia/Lord_Howe 01:45-06:00": [
    ["2026-04-04T14:44:59Z", null, "01:44:59, the first"],
    ["2026-04-04T14:45:00Z", "2026-04-04T19:30:00Z", "01:45, the first"],
    ["2026-04-04T15:05:00Z", "2026-04-04T19:30:00Z", "01:35, the second"],
  ],
  "America/Sao_Paulo 22:00-06:00": [
    ["2018-11-04T00:59:59Z", null, "21:59:59"],
    ["2018-11-04T01:00:00Z", "2018-11-04T08:00:00Z", "22:00"],
    ["2018-11-04T02:59:59Z", "2018-11-04T08:00:00Z", "23:59:59"],
    ["2018-11-04T03:00:00Z", "2018-11-04T08:00:00Z", "01:00"],
    ["2018-11-04T08:00:00Z", null, "06:00"],
    ["2018-02-17T23:59:59Z", null, "21:59:59"],
    ["2018-02-18T00:00:00Z", "2018-02-18T09:00:00Z", "22:00"],
    ["2018-02-18T01:30:00Z", "2018-02-18T09:00:00Z", "23:30, the first"],
    ["2018-02-18T02:30:00Z", "2018-02-18T09:00:00Z", "23:30, the second"],
    ["2018-02-18T09:00:00Z", null, "06:00"],
  ],
  "America/Sao_Paulo 22:00-00:00": [
    ["2018-11-04T01:30:00Z", "2018-11-04T03:00:00Z", "22:30; there is no midnight"],
    ["2018-11-04T03:00:00Z", null, "01:00"],
    ["2018-02-18T01:30:00Z", "2018-02-18T03:00:00Z", "23:30, the first"],
    ["2018-02-18T02:30:00Z", "2018-02-18T03:00:00Z", "23:30, the second"],
    ["2018-02-18T03:00:00Z", null, "00:00"],
  ],
  "America/Sao_Paulo 00:00-06:00": [
    ["2018-11-04T02:59:59Z", null, "23:59:59"],
    ["2018-11-04T03:00:00Z", "2018-11-04T08:00:00Z", "01:00; there was no midnight"],
  ],
  "America/Sao_Paulo 23:30-06:00": [
    ["2018-02-18T01:29:59Z", null, "23:29:59, the first"],
    ["2018-02-18T01:30:00Z", "2018-02-18T09:00:00Z", "23:30, the first"],
    ["2018-02-18T02:10:00Z", "2018-02-18T09:00:00Z", "23:10, the second"],
  ],
  "America/Sao_Paulo 22:00-23:30": [
    ["2018-02-18T01:45:00Z", "2018-02-18T02:30:00Z", "23:45, the first"],
    ["2018-02-18T02:30:00Z", null, "23:30, the second"],
  ],
  "America/St_Johns 00:00-06:00": [
    ["2010-11-07T02:29:59Z", null, "6 November 23:59:59"],
    ["2010-11-07T02:30:00Z", "2010-11-07T09:30:00Z", "7 November 00:00, the first"],
    ["2010-11-07T02:45:00Z", "2010-11-07T09:30:00Z", "6 November 23:15, the second"],
    ["2010-11-07T09:30:00Z", null, "06:00"],
  ],
  "Pacific/Apia 22:00-06:00": [
    ["2011-12-30T07:59:59Z", null, "29 December 21:59:59"],
    ["2011-12-30T08:00:00Z", "2011-12-30T16:00:00Z", "29 December 22:00; the 30th is left out"],
    ["2011-12-30T16:00:00Z", null, "31 December 06:00"],
  ],
  "No/Such_Zone 22:00-06:00": [
    ["2026-03-29T05:59:59Z", "2026-03-29T06:00:00Z", "as UTC"],
    ["2026-03-29T06:00:00Z", null, "as UTC"],
  ],
  "Europe/Berlin 06:00-06:00": [["2026-03-29T05:00:00Z", null, "none: from and to are the same"]],
};

test("quiet hours end when the clock of the recipient says so, over every change of it", async (t) => {
  const { pool } = await connectedDatabase(t);
  for (const [name, rows] of Object.entries(TABLE)) {
    const [zone, hours = ""] = name.split(" ");
    const [from, to] = hours.split("-");
    for (const [moment, until, clock] of rows) {
      const found = await pool.sql<{ until: Date | null }>`select quiet_until(${moment}, ${zone},
          ${from}, ${to}) as until`;
      assert.deepEqual(
        found[0]?.until ?? null,
        until === null ? null : new Date(until),
        `${name} at ${moment} (${clock})`,
      );
    }
  }
});

test("without quiet hours or without a zone nothing fails", async (t) => {
  const { pool } = await connectedDatabase(t);
  const rows = await pool.sql`select quiet_until('2026-01-01T23:00:00Z', 'Europe/Berlin', null,
      null) as none, quiet_until('2026-01-01T23:00:00Z', null, '22:00', '06:00') as utc`;
  assert.deepEqual(rows, [{ none: null, utc: new Date("2026-01-02T06:00:00Z") }]);
});

test("far from any change of the clock it is as the long way round has it, hour by hour", async (t) => {
  const { pool } = await connectedDatabase(t);
  const rows = await pool.sql<{ wrong: string }>`select count(*) as wrong
    from generate_series('2026-06-01T00:00:00Z', '2026-06-20T00:00:00Z', interval '31 minutes') m (moment)
    cross join (values ('22:00'::time, '06:00'::time), ('01:00', '02:30'), ('12:00', '11:59')) h (f, e)
    cross join (values ('Europe/Berlin'), ('Australia/Lord_Howe'), ('UTC'), ('America/Sao_Paulo')) z (zone)
    cross join lateral (
      select min(w.ends) as until from generate_series(-1, 1) d
      cross join lateral (
        select (clock_moments((m.moment at time zone z.zone)::date + d + h.f, z.zone)).first_at as begins,
               (clock_moments((m.moment at time zone z.zone)::date + d + (h.e < h.f)::integer + h.e, z.zone)).last_at
                 as ends
      ) w where w.begins <= m.moment and m.moment < w.ends
    ) long
    where quiet_until(m.moment, z.zone, h.f, h.e) is distinct from long.until`;
  assert.equal(Number(rows[0]?.wrong), 0);
});

/** Names of zones that Intl alone has: they were accepted for users once, and may be stored. */
const NAMES_OF_INTL_ALONE =
  "ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST";

test("under every name that a user may have the clock is the one that Intl shows, in winter and summer", async (t) => {
  const { pool } = await connectedDatabase(t);
  const names = await pool.sql<{ name: string }>`select name from pg_timezone_names union
    select abbrev from pg_timezone_abbrevs
    union select unnest(${NAMES_OF_INTL_ALONE.split(" ")}::text[])`;
  const accepted = names.map(({ name }) => name).filter((name) => timeZoneName(name));
  assert.ok(accepted.length > 500, `${accepted.length} names`);
  // Not of late: Postgres and Node may have the tz database of different years.
  const moments = ["2024-01-15", "2024-07-15", "2025-04-20", "2025-11-10"].map((day) => {
    return `${day}T12:34:56Z`;
  });
  const spellings = [...accepted, ...accepted.map((name) => name.toLowerCase())];
  const rows = await pool.sql<{ zone: string; moment: Date; clock: string }>`select zone, moment,
      to_char(moment at time zone zone_name(zone), 'YYYY-MM-DD HH24:MI:SS') as clock
    from unnest(${spellings}::text[]) zone, unnest(${moments}::timestamptz[]) moment`;
  assert.equal(rows.length, spellings.length * moments.length);
  const wrong = rows.filter(({ zone, moment, clock }) => {
    const format = { timeZone: zone, dateStyle: "short", timeStyle: "medium" } as const;
    return clock !== new Intl.DateTimeFormat("sv", format).format(moment);
  });
  assert.deepEqual(wrong, []);
});

test("quiet hours, digests and the timeline go by the summer time of a zone whose name is an abbreviation, too", async (t) => {
  const { pool } = await connectedDatabase(t);
  const rows = await pool.sql`select quiet_until('2026-07-01T20:30:00Z', 'CET', '22:00',
      '06:00') as until, next_local_time('2026-07-01T00:00:00Z', '09:00', '{1,2,3,4,5,6,7}', 'CET') as next,
    quiet_end_words('2026-07-02T04:00:00Z', 'CET') as words`;
  assert.deepEqual(rows, [
    {
      until: new Date("2026-07-02T04:00:00Z"),
      next: new Date("2026-07-01T07:00:00Z"),
      words: "06:00, 2 Jul 2026 (CET)",
    },
  ]);
});
