import assert from "node:assert/strict";
import { test } from "node:test";
import { connectedDatabase } from "@belfry/testing/database";

type Row = [moment: string, time: string, next: string, why: string, days?: number[]];

/**
 * Computed by hand from the rules of the zones, which stand above the table of quiet-hours.test.ts: a moment, a time
 * of the clock, and when the clock shows it next (all moments in UTC).
 */
const TABLE: Record<string, Row[]> = {
  "Europe/Berlin": [
    ["2026-03-28T07:59:59Z", "09:00", "2026-03-28T08:00:00Z", "08:59:59"],
    ["2026-03-28T08:00:00Z", "09:00", "2026-03-28T08:00:00Z", "09:00 itself"],
    ["2026-03-28T08:00:01Z", "09:00", "2026-03-29T07:00:00Z", "23 hours later"],
    ["2026-10-24T07:00:01Z", "09:00", "2026-10-25T08:00:00Z", "25 hours later"],
    ["2026-03-28T01:30:01Z", "02:30", "2026-03-29T01:00:00Z", "there is no 02:30 on the next day"],
    ["2026-03-29T01:00:00Z", "02:30", "2026-03-29T01:00:00Z", "03:00, the change itself"],
    ["2026-03-29T01:00:01Z", "02:30", "2026-03-30T00:30:00Z", "03:00:01"],
    ["2026-10-25T00:29:59Z", "02:30", "2026-10-25T00:30:00Z", "02:29:59, the first"],
    ["2026-10-25T00:30:01Z", "02:30", "2026-10-26T01:30:00Z", "never twice a day"],
    ["2026-10-25T01:30:00Z", "02:30", "2026-10-26T01:30:00Z", "02:30, the second"],
    ["2026-06-01T07:00:00Z", "09:00", "2026-06-01T07:00:00Z", "a Monday at 09:00", [1]],
    ["2026-06-01T07:00:01Z", "09:00", "2026-06-08T07:00:00Z", "a week later", [1]],
    ["2026-06-01T07:00:01Z", "09:00", "2026-06-06T07:00:00Z", "Saturday", [7, 6]],
    ["2026-06-05T22:30:00Z", "00:45", "2026-06-05T22:45:00Z", "Saturday there", [6]],
    ["2026-03-23T00:00:00Z", "02:30", "2026-03-29T01:00:00Z", "a Sunday without it", [7]],
    ["2026-12-31T22:00:00Z", "00:00", "2026-12-31T23:00:00Z", "midnight"],
  ],
  "Australia/Lord_Howe": [
    ["2026-10-03T15:00:00Z", "02:15", "2026-10-03T15:30:00Z", "01:30; there is no 02:15"],
    ["2026-10-03T15:30:01Z", "02:15", "2026-10-04T15:15:00Z", "02:30:01"],
    ["2026-10-03T19:00:00Z", "09:00", "2026-10-03T22:00:00Z", "06:00"],
    ["2026-10-02T22:30:01Z", "09:00", "2026-10-03T22:00:00Z", "23 hours and a half later"],
    ["2026-04-04T14:00:00Z", "01:45", "2026-04-04T14:45:00Z", "01:00"],
    ["2026-04-04T14:45:01Z", "01:45", "2026-04-05T15:15:00Z", "the second is none"],
    ["2026-04-04T14:45:01Z", "01:45", "2026-04-05T15:15:00Z", "on Monday there", [1]],
  ],
  "America/Sao_Paulo": [
    ["2018-11-03T12:00:00Z", "00:00", "2018-11-04T03:00:00Z", "there is no midnight"],
    ["2018-02-18T01:30:01Z", "23:30", "2018-02-19T02:30:00Z", "the second is none"],
  ],
  "America/St_Johns": [
    [
      "2010-11-07T02:00:01Z",
      "23:30",
      "2010-11-08T03:00:00Z",
      "6 November had it, and has it again",
    ],
    ["2010-11-07T02:30:01Z", "00:00", "2010-11-08T03:30:00Z", "the second midnight is none"],
  ],
  "Pacific/Apia": [
    ["2011-12-29T19:00:01Z", "09:00", "2011-12-30T10:00:00Z", "30 December is left out"],
    ["2011-12-30T10:00:01Z", "09:00", "2011-12-30T19:00:00Z", "31 December"],
  ],
  "No/Such_Zone": [["2026-01-01T10:00:00Z", "09:00", "2026-01-02T09:00:00Z", "as UTC"]],
};

test("the next local time is the one that the clock of the zone shows, over every change of it", async (t) => {
  const { pool } = await connectedDatabase(t);
  const next = async (...args: unknown[]) => {
    const { rows } = await pool.query<{ next: Date }>(
      "select next_local_time($1, $2, $3, $4) as next",
      args,
    );
    return rows[0]?.next;
  };
  for (const [zone, rows] of Object.entries(TABLE)) {
    for (const [moment, time, expected, why, days = null] of rows) {
      const found = await next(moment, time, days, zone);
      assert.deepEqual(found, new Date(expected), `${zone}: ${time} after ${moment} (${why})`);
    }
  }
  assert.deepEqual(
    await next("2026-01-01T10:00:00.000001Z", "10:00", null, null),
    new Date("2026-01-02T10:00:00Z"),
  );
});
