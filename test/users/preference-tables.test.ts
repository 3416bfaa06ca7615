import assert from "node:assert/strict";
import { test } from "node:test";
import type { PreferenceChannel } from "@belfry/contracts/preferences";
import type { ShownPreferences } from "@belfry/inbox/inbox-feed";
import * as inbox from "@belfry/inbox/preference-table";
import * as page from "../../services/ingest-api/src/pages/preference-page.ts";

const STATES = [undefined, true, false] as const;

/** A user who has said this of one row, in every way; of the others nothing. */
function* everyUser() {
  for (const key of ["*", "offers", "security"]) {
    for (const all of STATES) {
      for (const email of STATES) {
        for (const sms of STATES) {
          for (const defaultOn of [true, false]) {
            const cells = [
              { category: key, channel: "*", enabled: all },
              { category: key, channel: "EMAIL", enabled: email },
              { category: key, channel: "SMS", enabled: sms },
              { category: "gone", channel: "EMAIL", enabled: false },
            ] as const;
            const said = cells.flatMap(({ category, channel, enabled }) =>
              enabled === undefined ? [] : [{ category, channel, enabled }],
            );
            yield { said, defaultOn };
          }
        }
      }
    }
  }
}

test("a switch of <belfry-inbox> says what the box of the hosted page says, and a click changes the same", () => {
  const channels: PreferenceChannel[] = ["EMAIL", "SMS", "PUSH"];
  let clicks = 0;
  for (const { said, defaultOn } of everyUser()) {
    const texts = { label: { "": "" }, description: {} };
    const categories = [
      { key: "offers", required: false, defaultOn, ...texts },
      { key: "security", required: true, defaultOn, ...texts },
    ];
    const shown: ShownPreferences = { preferences: said, categories, channels };
    const stored = said.map((one) => ({ ...one, source: "api", at: new Date(0) }) as const);
    const rows = page.preferenceRows(channels, categories, stored);
    assert.deepEqual(inbox.preferenceRows(shown), rows);
    const was = new Set(
      rows.flatMap(({ key, on }) =>
        [...on].filter(([, isOn]) => isOn).map(([channel]) => page.cellName(key, channel)),
      ),
    );
    for (const { key } of rows) {
      for (const channel of channels) {
        const is = new Set(was);
        const name = page.cellName(key, channel);
        if (!is.delete(name)) is.add(name);
        const changes = inbox.changesOf(shown, key, channel);
        assert.deepEqual(changes, page.changesOf(rows, stored, was, is));
        // What is shown until the gateway has answered is what it will answer.
        const after = inbox.applied(said, changes);
        const now = inbox.preferenceRows({ ...shown, preferences: after });
        assert.equal(
          now.find((row) => row.key === key)?.on.get(channel),
          key === "security" || is.has(name),
        );
        clicks += 1;
      }
    }
    for (const [key, channel] of [
      ["gone", "EMAIL"],
      ["offers", "*"],
      ["__proto__", "EMAIL"],
    ] as const) {
      assert.deepEqual(inbox.changesOf(shown, key, channel), []);
    }
  }
  assert.equal(clicks, 3 * 27 * 2 * 9);
});
