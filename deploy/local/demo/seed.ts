import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { createDatabase, createPool, type Database } from "@belfry/database/connection";
import { type HomeFolder, type LocalJson, readJson, writeJson } from "../home-folder.ts";

const run = promisify(execFile);
const DEMO_TENANT = { name: "Demo", perMinute: 6_000, dailyCap: 1_000_000 };

/** `tenant.json`: the key is kept, since the database has only its hash. */
interface KeptTenant {
  id: string;
  name: string;
  apiKey: string;
  /** Templates and providers are there too; after that they are the newcomer's to change. */
  seeded: boolean;
}

/**
 * Finds the demo tenant of this home, or makes it: sandbox providers on EMAIL and SMS, templates on
 * all three channels, and the platform's `global.*` templates where there are none.
 */
export async function seedDemoTenant(options: {
  databaseUrl: string;
  secretsKeys: string;
  home: HomeFolder;
  say: (line: string) => void;
}): Promise<LocalJson["tenant"]> {
  const { home, say } = options;
  const db = createDatabase(
    createPool({ url: options.databaseUrl, applicationName: "belfry-local", maxConnections: 2 }),
  );
  try {
    let kept = await readJson<KeptTenant>(home.tenantFile);
    if (kept !== undefined && !(await keyIsLive(db, kept))) kept = undefined;
    if (kept === undefined) {
      // Loaded when needed: compiling templates takes large libraries, and a second start is quick.
      const { createTenant } = await import("@belfry/administration/tenants/tenants");
      const { id, name, apiKey } = await createTenant(db, DEMO_TENANT);
      kept = { id, name, apiKey, seeded: false };
      await writeJson(home.tenantFile, kept);
    }
    if (!kept.seeded) {
      await seedConfiguration(options.databaseUrl, kept.id, options.secretsKeys);
      await writeJson(home.tenantFile, { ...kept, seeded: true });
      say(`demo tenant ${kept.id}: sandbox providers and templates are in place`);
    }
    return { id: kept.id, name: kept.name, apiKey: kept.apiKey };
  } finally {
    await db.destroy();
  }
}

/** In a process of its own: what compiling templates takes goes with it. */
async function seedConfiguration(databaseUrl: string, tenantId: string, secretsKeys: string) {
  const env = { DATABASE_URL: databaseUrl, SECRETS_KEYS: secretsKeys, TENANT_ID: tenantId };
  await run(process.execPath, [join(import.meta.dirname, "seed-configuration.ts")], {
    // biome-ignore lint/style/noProcessEnv: the seeding runs in the environment of the stack
    env: { ...process.env, ...env },
  });
}

/** Another database may stand behind the same home folder now. */
async function keyIsLive(db: Database, kept: KeptTenant): Promise<boolean> {
  const row = await db
    .selectFrom("api_keys")
    .select("expires_at")
    .where("tenant_id", "=", kept.id)
    .where("sha256", "=", createHash("sha256").update(kept.apiKey).digest())
    .executeTakeFirst();
  return row !== undefined && (row.expires_at === null || row.expires_at > new Date());
}
