import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { startForTenant } from "@belfry/admin/test/start-admin";
import { createKey } from "@belfry/administration/tenants/tenant-credentials";
import { updateTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import { workImports } from "@belfry/administration/users/work-imports";
import { eventually } from "@belfry/testing/eventually";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { runBelfry } from "../../packages/cli/test/run-belfry.ts";

/** More than fits into two parts. */
const MANY = 90_000;
const LINES = Array.from({ length: MANY }, (_, n) => `user-😀${n}`).join("\r\n");

test("without the database it goes by HTTP, part by part, signed where the tenant signs", async (t) => {
  const { admin, id } = await startForTenant(t);
  const webhookSecret = "a secret of the tenant";
  await updateTenant(admin.db, id, { webhookSecret }, admin.keys);
  const { apiKey } = await actsIn(admin.db, id)(createKey, { role: "manage", name: "pipeline" });
  const home = await temporaryFolder(t, "import");
  const env = {
    ...{ BELFRY_HOME: home, BELFRY_API_URL: admin.url, BELFRY_API_KEY: apiKey },
    BELFRY_WEBHOOK_SECRET: webhookSecret,
  };
  const text = Buffer.from(`\ufeffuserId\n${LINES}`, "utf16le");
  await writeFile(join(home, "members.csv"), text);
  const args = "import start --kind members --topic news --file members.csv".split(" ");
  const running = runBelfry(args, { env, cwd: home });
  await eventually(async () =>
    assert.ok(
      (await workImports(
        { db: admin.db, rest: async () => undefined },
        new AbortController().signal,
      )) > 0,
    ),
  );
  const { code, out } = await running;
  const { state, added, parts, person } = JSON.parse(out);
  assert.deepEqual(
    [code, state, added, parts > 2, person],
    [0, "done", MANY, true, "key pipeline"],
  );
});
