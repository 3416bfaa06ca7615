import assert from "node:assert/strict";
import test from "node:test";
import * as kinds from "@belfry/providers/kinds";
import { InvalidInput } from "../input-error.ts";
import { checkedSettings } from "./provider-rows.ts";

const SUBJECT = { subject: "mailto:ops@example.com" };
type Settings = Record<string, unknown>;

function save(settings: Settings, stored?: Settings, keepSecrets = true): Settings {
  const row = { channel: "DEVICE", kind: "webpush", settings } as const;
  const options = { stored, keepSecrets, allowPrivateAddresses: false };
  return checkedSettings(kinds, row, options).settings;
}

test("saving a Web Push account without keys makes a pair, and keeps it from then on", () => {
  const stored = save(SUBJECT);
  assert.match(String(stored.publicKey), /^B[\w-]{86}$/);
  assert.notDeepEqual(save(SUBJECT), stored, "each account has its own");
  const { publicKey } = stored;
  for (const keepSecrets of [true, false]) {
    assert.deepEqual(save(SUBJECT, stored, keepSecrets), stored);
  }
  // The form shows the public key and hides the private one.
  assert.deepEqual(save({ ...SUBJECT, publicKey }, stored), stored);
  assert.throws(() => save({ ...SUBJECT, publicKey }, stored, false), InvalidInput);
});

test("`new` as the public key makes another pair, and the stored one becomes the previous one", () => {
  const first = save(SUBJECT);
  const second = save({ ...SUBJECT, publicKey: "new" }, first);
  assert.notEqual(second.publicKey, first.publicKey);
  const previous = (of: Settings) => [of.previousPublicKey, of.previousPrivateKey];
  assert.deepEqual(previous(second), [first.publicKey, first.privateKey]);
  const { publicKey, previousPublicKey } = second;
  assert.deepEqual(save({ ...SUBJECT, publicKey, previousPublicKey }, second), second);
  const third = save({ ...SUBJECT, publicKey: "new", previousPublicKey }, second);
  assert.deepEqual(previous(third), [second.publicKey, second.privateKey]);
  assert.deepEqual(previous(save({ ...SUBJECT, publicKey }, second)), [undefined, undefined]);
  assert.deepEqual(Object.keys(save({ ...SUBJECT, publicKey: "new" })).sort(), [
    "privateKey",
    "publicKey",
    "subject",
  ]);
});
