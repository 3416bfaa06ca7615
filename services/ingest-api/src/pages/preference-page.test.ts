import assert from "node:assert/strict";
import test from "node:test";
import type { PreferenceChange, PreferenceChannel } from "@belfry/contracts/preferences";
import type { Preference } from "@belfry/database/preferences";
import { cellName, changesOf, preferenceRows } from "./preference-page.ts";

const CHANNELS = ["EMAIL", "SMS"] as const;
const STATES = [undefined, true, false] as const;

function said(cells: readonly (readonly [string, PreferenceChannel, boolean | undefined])[]) {
  return cells.flatMap(([category, channel, enabled]): Preference[] =>
    enabled === undefined ? [] : [{ category, channel, enabled, source: "api", at: new Date(0) }],
  );
}

/** Applies changes as setPreferences does. */
function applied(before: readonly Preference[], changes: readonly PreferenceChange[]) {
  const cells = new Map(before.map((one) => [cellName(one.category, one.channel), one]));
  for (const { category, channel, enabled } of changes) {
    const name = cellName(category, channel);
    if (enabled === null) cells.delete(name);
    else
      cells.set(name, { category, channel, enabled, source: "preference page", at: new Date(0) });
  }
  return [...cells.values()];
}

test("for any earlier state, a saved page shows each box as it was left, and nothing else has changed", () => {
  let cases = 0;
  for (const key of ["*", "offers"]) {
    for (const both of STATES) {
      for (const email of STATES) {
        for (const sms of STATES) {
          for (const defaultOn of [true, false]) {
            for (const left of [[], ["EMAIL"], ["SMS"], ["EMAIL", "SMS"]] as const) {
              const before = said([
                [key, "*", both],
                [key, "EMAIL", email],
                [key, "SMS", sms],
                ["kept", "EMAIL", false],
              ]);
              const categories = [
                { key: "offers", required: false, defaultOn },
                { key: "kept", required: false, defaultOn: true },
              ];
              const shown = preferenceRows(CHANNELS, categories, before);
              const names = (row: (typeof shown)[number]) =>
                [...row.on].filter(([, isOn]) => isOn).map(([one]) => cellName(row.key, one));
              const was = new Set(shown.flatMap(names));
              const wanted = new Set([
                ...shown.filter((row) => row.key !== key).flatMap(names),
                ...left.map((channel) => cellName(key, channel)),
              ]);
              const changes = changesOf(shown, before, was, wanted);
              const after = preferenceRows(CHANNELS, categories, applied(before, changes));
              assert.deepEqual(
                new Set(after.flatMap(names)),
                wanted,
                JSON.stringify({ before, left }),
              );
              assert.ok(changes.every(({ category }) => category === key));
              cases += 1;
            }
          }
        }
      }
    }
  }
  assert.equal(cases, 2 * 27 * 2 * 4);
});

test("a form cannot change boxes that the page did not show or could not change", () => {
  const rows = preferenceRows(CHANNELS, [{ key: "security", required: true, defaultOn: true }], []);
  const is = new Set(["security/EMAIL", "none/EMAIL", "*/PUSH", "*/EMAIL", "*/SMS", "*/*"]);
  const was = new Set(["*/EMAIL", "*/SMS"]);
  assert.deepEqual(changesOf(rows, [], was, is), []);
  assert.deepEqual(changesOf(rows, [], was, new Set(["*/SMS"])), [
    { category: "*", channel: "EMAIL", enabled: false },
  ]);
});
