import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { CHANNEL_ROWS, CHANNELS, PROVIDER_CHANNELS, sentRow } from "@belfry/contracts/channels";
import { needlessExclusions } from "@belfry/testing/needless-exclusions";
import { parseAllDocuments, parseDocument } from "yaml";
import { TEST_CODE } from "../test-code.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(resolve(ROOT, path), "utf8");

/** Where a channel is named, and why it cannot follow from its row. */
const NAMED: Readonly<Record<string, string>> = {
  "packages/contracts/src/channels.ts": "the table",
  "packages/client/src/management-api.ts": "written from the management document",
  "packages/client/src/tenant-api.ts": "written from the document for tenants",
  "packages/inbox/src/inbox-labels.js":
    "for pages of others, which have its folder alone; test/browser/inbox-preferences.test.ts holds it to the table",
  "packages/database/src/functions/tell-webhooks.sql": "what a notification is told of as",
  "packages/providers/src/kinds.ts": "which provider serves which channel",
  "packages/providers/src/sns.ts": "the vendor's names of a message's attributes",
  ...Object.fromEntries(
    PROVIDER_CHANNELS.map((channel) => [
      `services/${sentRow(channel).sender.service}/src/main.ts`,
      "the process of the channel",
    ]),
  ),
};

/** What runs at a tenant's or an operator's: not tests, nor the demo, whose pages show three channels. */
const SHIPPED = /^(packages|services|deploy)\/.*\.(ts|js|sql|eta)$/;
const MAY_NAME_CHANNELS = [
  /\/demo\//,
  /platform-templates\.sql$/,
  // The HTTP document's first sentence, and its example of an event.
  "services/ingest-api/src/app.ts",
  "packages/administration/src/events/event-example.ts",
];

function namesIn(path: string): string[] {
  const text = read(path)
    .replaceAll(/\/\*.*?\*\//gs, "")
    .replaceAll(/(^|\s)(\/\/|--) .*$/gm, "");
  const names = CHANNELS.join("|");
  // In a text, or as a key: a vendor's class may have the name too.
  const named = new RegExp(`["'\`][^"'\`\\n]*\\b(?:${names})\\b|\\b(?:${names}):`, "g");
  return [...text.matchAll(named)].map(([found]) => found);
}

test("no file that is shipped names a channel but those of the list: everything else follows from the table", () => {
  const files = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" }).split("\n");
  const shipped = files.filter((path) => SHIPPED.test(path) && !TEST_CODE.test(path));
  assert.ok(shipped.length > 300, "the files are found");
  const naming = shipped.filter(
    (path) => existsSync(resolve(ROOT, path)) && namesIn(path).length > 0,
  );
  const exclusions = [...Object.keys(NAMED), ...MAY_NAME_CHANNELS];
  assert.deepEqual(needlessExclusions(exclusions, naming), []);
  assert.deepEqual(
    naming.filter((path) => needlessExclusions(exclusions, [path]).length === exclusions.length),
    [],
  );
});

test("no two channels have a bit in common, and a mask of all fits its column", () => {
  const bits = CHANNELS.map((channel) => CHANNEL_ROWS[channel].bit);
  for (const bit of bits) assert.equal(Math.log2(bit) % 1, 0, `${bit} is one bit`);
  assert.equal(new Set(bits).size, bits.length);
  assert.ok(bits.reduce((sum, bit) => sum + bit) < 2 ** 15);
  // Stored events hold them.
  assert.deepEqual(
    [CHANNEL_ROWS.EMAIL.bit, CHANNEL_ROWS.SMS.bit, CHANNEL_ROWS.PUSH.bit],
    [1, 2, 4],
  );
});

test("every channel that a sender serves has its process, a service of compose and a Deployment with its policy", () => {
  const compose = parseDocument(read("deploy/compose.yaml"), { merge: true }).toJS();
  const objects = parseAllDocuments(read("deploy/kubernetes/base/objects.yaml")).map((one) =>
    one.toJS(),
  );
  for (const channel of PROVIDER_CHANNELS) {
    const { service } = sentRow(channel).sender;
    assert.match(read(`services/${service}/src/main.ts`), new RegExp(`"${channel}"`));
    assert.ok(compose.services[service], `compose.yaml: ${service}`);
    const kinds = objects.filter(({ metadata }) => metadata.name === service);
    assert.deepEqual(kinds.map(({ kind }) => kind).sort(), [
      "Deployment",
      "NetworkPolicy",
      "PodDisruptionBudget",
    ]);
  }
});
