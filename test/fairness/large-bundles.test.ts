import assert from "node:assert/strict";
import { test } from "node:test";
import { MANAGE_PATH } from "@belfry/administration/act-http";
import { MAX_BUNDLE_BYTES } from "@belfry/administration/templates/template-paths";
import { wholeFile } from "@belfry/testing/whole-file";
import { beside } from "./beside.ts";
import { startAdmin } from "./start-admin.ts";
import { withinMemory } from "./within-memory.ts";

const MIB = 1024 * 1024;
const admin = await startAdmin(wholeFile());
const TEXT = `---\nsubject: a\n---\n${"a ".repeat(100_000)}`;

/** A dry run of as many templates as the body has room for. */
function dryRun(bytes: number): string {
  const count = Math.floor(bytes / (TEXT.length + 100));
  const files = Array.from({ length: count }, (_, n) => [`sale-${n}/EMAIL.md`, TEXT]);
  return JSON.stringify({ files: Object.fromEntries(files), dryRun: true });
}

test("dry runs of two bundles of 12 MiB and of the largest one at once fail no page and no call of another tenant, and the process stays within its memory", async (t) => {
  const key = await admin.keyOf(admin.loud.id, "manage");
  const bodies = [12 * MIB, 12 * MIB, MAX_BUNDLE_BYTES].map(dryRun);
  for (const [method, path] of [
    ["PUT", `${MANAGE_PATH}/template-files`],
    ["POST", `${MANAGE_PATH}/bundle`],
  ] as const) {
    const answers = await beside(admin.neighbour, path, () =>
      bodies.map((body) => admin.call(key, method, path, body)),
    );
    const statuses = answers.map(({ status }) => status);
    t.diagnostic(`${path}: ${statuses.join(", ")}`);
    assert.ok(
      statuses.some((status) => status < 300),
      path,
    );
    assert.ok(!statuses.includes(500), path);
  }
  t.diagnostic(await withinMemory("admin", admin.process));
});
