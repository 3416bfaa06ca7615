import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { createProgram } from "../../packages/cli/src/program.ts";
import { TEST_CODE } from "../test-code.ts";
import { SERVICE_VARIABLES } from "./service-variables.ts";

const ROOT = resolve(import.meta.dirname, "../..");

async function operatorsDocuments(): Promise<Map<string, string>> {
  const documents = new Map<string, string>();
  const patterns = ["docs/operations/*.md", "docs/runbook.md", "deploy/**/README.md", "*.md"];
  for await (const file of glob(patterns, { cwd: ROOT })) {
    documents.set(file, await readFile(join(ROOT, file), "utf8"));
  }
  return documents;
}

test("a command that an operator reads of at night is one that exists", async () => {
  const program = await createProgram();
  const known = new Set(
    program.commands.flatMap((command) => [
      command.name(),
      ...command.commands.map((below) => `${command.name()} ${below.name()}`),
    ]),
  );
  for (const [file, text] of await operatorsDocuments()) {
    for (const [, words = ""] of text.matchAll(
      /(?:^|[`"] ?|\/restored )belfry ([a-z-]+(?: [a-z-]+)?)/gm,
    )) {
      const [first = "", second] = words.split(" ");
      const isKnown = known.has(words) || (second === undefined && known.has(first));
      assert.ok(
        isKnown ||
          (known.has(first) &&
            program.commands.some((one) => one.name() === first && one.commands.length === 0)),
        `${file}: belfry ${words}`,
      );
    }
  }
});

test("a variable that is written of is one that some service reads", async () => {
  const known = new Set(
    Object.values(SERVICE_VARIABLES).flatMap(({ schema }) => Object.keys(schema.properties)),
  );
  const others =
    /^(API_KEY|BELFRY_\w+|BUILD_NUMBER|MIGRATION_DATABASE_URL|DEMO_PORT|POSTGRES_\w+|NODE_EXTRA_CA_CERTS|OTEL_RESOURCE_ATTRIBUTES|OTEL_BSP_SCHEDULE_DELAY|TEST_\w+|NATS_PASSWORD|EVENT_ID|MESSAGE_ID|NOTIFICATION_ID|DELIVERY_\w+|[A-Z]+_CHANNELS|SERVICE_\w+|RETRY_\w+)$/;
  for (const [file, text] of await operatorsDocuments()) {
    if (!/^docs|^deploy|^SECURITY|^CHANGELOG/.test(file)) continue;
    for (const [name] of text.matchAll(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]\b/g)) {
      assert.ok(known.has(name) || others.test(name), `${file}: ${name}`);
    }
  }
});

test("every metric has its line in the documents", async () => {
  const document = await readFile(join(ROOT, "docs/operations/metrics.md"), "utf8");
  const named = new Set<string>();
  const sources = ["packages/*/src/**/*.ts", "services/*/**/*.ts"];
  for await (const file of glob(sources, { cwd: ROOT })) {
    if (TEST_CODE.test(file) || file.includes("node_modules/")) continue;
    const source = await readFile(join(ROOT, file), "utf8");
    for (const [, name = ""] of source.matchAll(/"(belfry_\w+)"/g)) named.add(name);
  }
  const documented = new Set(
    [...document.matchAll(/^\| `(belfry_\w+)` \|/gm)].map(([, one]) => one!),
  );
  assert.deepEqual([...documented].sort(), [...named].sort());
});
